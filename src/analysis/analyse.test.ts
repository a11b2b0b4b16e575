import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { programs, write } from "../../test/support/programs.js";
import { sampleVocabulary } from "../../test/support/sample-vocabulary.js";
import { sized } from "../../test/support/sizes.js";
import { analyse, analyser } from "./analyse.js";
import type { Analysis } from "./analysis.js";

const corpus: readonly string[] = readFileSync(
  new URL("../../test/corpus/analysis.jsonl", import.meta.url),
  "utf8",
)
  .trim()
  .split("\n")
  .map((line) => (JSON.parse(line) as { code: string }).code)
  .filter((code) => code.length < 2_000);

const TOKENS =
  "mcp args capabilities . ?. [ ] ( ) { } => = == ?? || && ! ; , : ` ${ / ' \" const let var async await function class " +
  "if else for of in while do switch case default break continue return throw try catch new typeof as satisfies <T> " +
  "type interface enum import export x y 1 0x 1n #p @d ... ** ++ \n \r\n \u2028 // /* */ \\ \\u0061 🎉 \ud800 \0 t echo fs";

/** Code with some of its characters replaced, and pieces of it moved. */
const mutated = fc
  .tuple(
    fc.constantFrom(...corpus),
    fc.array(fc.tuple(fc.nat(), fc.nat(20), fc.constantFrom(...TOKENS.split(" "))), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([code, changes]) =>
    changes.reduce((text, [place, length, token]) => {
      const at = place % (text.length + 1);
      return text.slice(0, at) + token + text.slice(at + length);
    }, code),
  );

const tokens = fc
  .array(fc.constantFrom(...TOKENS.split(" ")), { maxLength: 40 })
  .map((list) => list.join(" "));

/** What holds of every analysis. */
function checkLaws(code: string, analysis: Analysis): void {
  const lines = code.split(/\r\n|[\n\r\u2028\u2029]/);
  for (const { line, column, text } of analysis.problems) {
    expect(lines[line - 1]?.slice(0, 500)).toBe(text.replace(/…$/, "").slice(0, 500));
    expect(column).toBeGreaterThan(0);
    expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
  }
  expect(analysis.savedCode.split(/\r\n|[\n\r\u2028\u2029]/).length).toBe(lines.length);
  expect(analysis.runnableCode.split(/\r\n|[\n\r\u2028\u2029]/).length).toBe(lines.length);
  const { properties, required } = analysis.parameters;
  for (const name of [...required, ...analysis.freeParameters])
    expect(Object.keys(properties)).toContain(name);
  // Wrong arguments change nothing about the code itself.
  if (analysis.problems.some(({ code: kind }) => kind !== "ARGUMENTS_INVALID")) return;
  // What runs is JavaScript that can be parsed, and the same program.
  const erased = analyse(analysis.runnableCode, sampleVocabulary);
  expect(erased.problems.filter(({ code: kind }) => kind === "CODE_SYNTAX")).toEqual([]);
  expect(erased.runnableCode.length).toBeGreaterThanOrEqual(analysis.runnableCode.length);
  expect(analyse(analysis.savedCode, sampleVocabulary).canonicalCode).toBe(analysis.canonicalCode);
}

describe("[AN-14] whatever the code, analysis ends and does not throw", () => {
  const check = (code: string) => checkLaws(code, analyse(code, sampleVocabulary));
  it("for code that was changed at random", () =>
    fc.assert(fc.property(mutated, check), { numRuns: sized(6_000, 300) }));
  it("for tokens at random", () => fc.assert(fc.property(tokens, check), { numRuns: sized(6_000, 300) }));
  it("for characters at random", () =>
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), check), {
      numRuns: sized(2_000, 100),
    }));
  it("for programs", () =>
    fc.assert(
      fc.property(programs, fc.nat(1_000), (program, seed) => check(write(program, seed))),
      { numRuns: sized(800, 40) },
    ));
});

it("[AN-1] of code with a syntax error nothing is known but its problems", () => {
  const { originalPosition, problems, ...rest } = analyse("mcp.t.echo({", sampleVocabulary);
  expect(problems.map(({ code }) => code)).toEqual(["CODE_SYNTAX"]);
  expect(rest).toEqual({
    calls: [],
    hasComputedCalls: false,
    parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
    freeParameters: [],
    liftedParameters: [],
    structure: { nodes: [], edges: [] },
    toolsUsed: [],
    dependencies: [],
    warnings: [],
    source: "mcp.t.echo({",
    canonicalCode: "",
    savedCode: "mcp.t.echo({",
    liftedCode: "mcp.t.echo({",
    runnableCode: "mcp.t.echo({",
  });
  expect(originalPosition({ line: 1, column: 3 })).toEqual({ line: 1, column: 3 });
});

it("[AN-10, AN-14] code that would be too long once it is saved is refused before", () => {
  const code = "mcp.fs.readJson({});\n".repeat(10_000);
  expect(analyse(code, sampleVocabulary).problems).toMatchObject([
    { code: "LIMIT_EXCEEDED", message: expect.stringContaining("written as FQDNs") },
  ]);
  expect(analyse(code.slice(0, code.length / 4), sampleVocabulary).problems).toEqual([]);
});

it("[AN-3] a list of started calls that is called itself is no fork, and no reason to give up", () => {
  const { problems, structure } = analyse("const jobs = [mcp.t.echo({})];\njobs();", sampleVocabulary);
  expect(problems).toEqual([]);
  expect(structure.nodes.map(({ type }) => type)).toEqual(["task"]);
});

describe("[AN-3] calls of unknown names", () => {
  const { structure, calls, toolsUsed, liftedParameters, problems, runnableCode } = analyse(
    "const a = await mcp.t.nothing({ text: args.x }); if (a.ok) await mcp.fs.readFile({ path: a.path, mode: 'text' }); await capabilities.gone({ y: 1 })",
    sampleVocabulary,
  );

  it("are nodes that say so, with where data comes from, and are no calls of anything", () => {
    const shown = structure.nodes.map((node) =>
      node.type === "task" ? [node.id, node.tool, node.unknown ?? false] : [node.id],
    );
    expect(shown).toEqual([
      ["n1", "t:nothing", true],
      ["d1"],
      ["n2", "fs:read_file", false],
      ["n3", "gone", true],
    ]);
    expect(structure.nodes[2]).toMatchObject({ arguments: { path: { producer: "n1" } } });
    expect(structure.edges).toContainEqual({ from: "n1", to: "d1", type: "sequence" });
    expect(problems.map(({ code }) => code)).toEqual(["TOOL_NOT_FOUND", "CAPABILITY_NOT_FOUND"]);
    expect([toolsUsed, liftedParameters]).toEqual([["fs:read_file"], ["mode"]]);
  });

  it("have the same ids in the structure, in call sites and in what would run", () => {
    expect(calls.map(({ node, target }) => [node, target])).toEqual([
      ["n2", { kind: "tool", id: "fs:read_file" }],
    ]);
    expect(runnableCode).toMatch(/readFile\([^;]*"n2"/);
  });
});

describe("[AN-7] what is refused", () => {
  it.each(["enum Color { Red }", "export enum Color { Red }", "namespace Color { export const Red = 1 }"])(
    "%s is no parameter",
    (declaration) => {
      const { parameters, freeParameters } = analyse(
        `${declaration} return [Color.Red, path]`,
        sampleVocabulary,
      );
      expect([parameters.required, freeParameters]).toEqual([["path"], ["path"]]);
    },
  );
});

it("code that is analysed with several vocabularies is read by each as if there were no other", () => {
  const nothing = { resolve: () => undefined, nearest: () => [] };
  const textOf = (analysis: Analysis): string => JSON.stringify(analysis);
  for (const code of corpus) {
    const again = analyser(code);
    for (const vocabulary of [nothing, sampleVocabulary, nothing, sampleVocabulary])
      expect(textOf(again(vocabulary))).toBe(textOf(analyse(code, vocabulary)));
  }
});
