import fc from "fast-check";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { programs, write } from "../../../test/support/programs.js";
import { recordedRun } from "../../../test/support/recorded-run.js";
import { sized } from "../../../test/support/sizes.js";
import { testVocabulary } from "../../../test/support/vocabulary.js";
import { analyse } from "../analyse.js";
import type { Vocabulary } from "../vocabulary.js";

const ONE = "local.default.c.one.a000";
const any = { inputSchema: { type: "object" } };
const vocabulary = testVocabulary({ t: { read_file: any, echo: any }, u: { list: any } }, [
  { name: "c:one", fqdn: ONE, parameters: { type: "object", properties: {}, required: [] } },
]);

/** What is known of saved code when it is loaded again: names of capabilities may have changed. */
const saved: Vocabulary = {
  resolve(reference) {
    const meaning = vocabulary.resolve(reference);
    const isFqdn = reference.object === "mcp" && reference.path[0] === ONE;
    return meaning?.kind === "capability" && !isFqdn ? undefined : meaning;
  },
  nearest: () => [],
};

/** `@` is a capability or a tool, `#` a variable of its own, `§` a dollar sign. */
const KEPT = [
  "let # = @; if (args.no) # = 1; out(await #({ a: 1 }));",
  "let # = @ as any\nif (args.no) # = 1\nout(await #({}));",
  "var # = <any>@; # = #; out(await #({}));",
  "let # = @!, #b = #; #b ??= 1; out(await #b({}));",
  "const # = @; let #b = #; if (args.no) #b = 1; out([typeof #, await #b({})]);",
  "const # = () => #b({}); const #b = @; out(await #());",
  "let #; # = @; out(await #({}));",
  "const # = { f: @, g: [@] }; out([await #.f({}), await #.g[0]({})]);",
  "const #f = @, # = { #f }; out(await #.#f({}));",
  "let #f = @; const # = { #f }; if (args.no) #f = 1; out(await #.#f({}));",
  "const [#] = [@]; out(await #({}));",
  "let { a: # = @ } = {}; if (args.no) # = 1; out(await #({}));",
  "const # = args.no ? 1 : @; out(await #({}));",
  "let # = args.no || @; # &&= #; out(await #({}));",
  "function #(f, g = @) { return (args.no ? f : g)({}); } out(await #(@));",
  "const # = async ({ f = @ }) => f({}); out(await #({}));",
  "class # { x = @; static y = @; m() { return this.x({}); } } out([await new #().m(), await #.y({})]);",
  "for (const # of [@, @]) out(await #({}));",
  "for (let # = @, #i = 0; #i < 2; #i += 1, # = #) out(await #({}));",
  "switch (1) { case 1: let # = @; default: out(await #({})); }",
  "out(await Promise.all([1, 2].map(@)));",
  "out(await @?.({}).then?.((x) => x));",
  "out(await (@)?.({}));",
  "out(`§{typeof @} §{(await @({ a: 1 })).tool}`);",
  "out(await @.call(null, {}));",
];
const REFERENCES = [
  "capabilities.c.one",
  "capabilities?.c?.one",
  "capabilities\n  // why\n  .c\n  .one",
  'capabilities["c:one"]',
  "(capabilities as any).c.one",
  "mcp.c.one",
  `mcp["${ONE}"]`,
  "mcp.t.echo",
  "mcp?.t?.['echo']",
];

function filled(form: string, reference: string, name: string): string {
  return form
    .replaceAll("@", () => reference)
    .replaceAll("#", name)
    .replaceAll("§", () => "$");
}

const kept = fc
  .array(fc.tuple(fc.constantFrom(...KEPT), fc.constantFrom(...REFERENCES)), { minLength: 1, maxLength: 4 })
  .map((chosen) => chosen.map(([form, reference], index) => filled(form, reference, `kept${index}`)));

function facts(code: string, known: Vocabulary): unknown {
  const { problems, canonicalCode, liftedParameters, dependencies, toolsUsed } = analyse(code, known);
  // Random programs pass any value to tools.
  const wrong = problems.filter(({ code: kind }) => kind !== "ARGUMENTS_INVALID");
  return { wrong, canonicalCode, liftedParameters, dependencies, toolsUsed };
}

function check(code: string): void {
  const { savedCode, runnableCode } = analyse(code, vocabulary);
  const found = facts(code, vocabulary);
  expect(found, code).toMatchObject({ wrong: [] });
  expect(facts(savedCode, vocabulary), code).toEqual(found);
  expect(facts(savedCode, saved), code).toEqual(found);
  const { errors } = parseSync("code.js", `async()=>{${runnableCode}\n}`, { lang: "js" });
  expect(errors, runnableCode).toEqual([]);
}

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe("[AN-10] saved code, loaded when names may have changed, is the same code", () => {
  it("for programs of any kind", () => {
    fc.assert(
      fc.property(programs, seeds, kept, (program, seed, lines) => {
        check(`const out = (x) => x;\n${lines.join("\n")}\n${write(program, seed)}`);
      }),
      { numRuns: sized(600, 60) },
    );
  });

  it.each(KEPT.flatMap((form) => REFERENCES.map((reference) => [form, reference] as const)))(
    "%s with %j, and it runs",
    async (form, reference) => {
      const code = `const seen = [], out = (x) => seen.push(x);\n${filled(form, reference, "kept")}\nreturn seen`;
      check(code);
      const { runnableCode, savedCode } = analyse(code, vocabulary);
      const tool = reference.includes("echo") ? "t:echo" : ONE;
      const { result, isError, marks } = await recordedRun(runnableCode, async (name) => ({ tool: name }));
      expect(isError, `${result} ${runnableCode}`).toBe(false);
      expect(result).not.toBe("[]");
      for (const mark of marks) if (mark.kind === "call") expect(mark.tool, savedCode).toBe(tool);
      expect(marks.some(({ kind }) => kind === "call")).toBe(true);
    },
  );
});
