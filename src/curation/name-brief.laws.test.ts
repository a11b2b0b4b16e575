/** No value that is written in the code gets to a model. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namePrompt } from "../models/name-prompt.js";
import { nameBrief } from "./name-brief.js";
import type { NameSuggestion } from "./name-suggestion.js";

const SUGGESTION: NameSuggestion = {
  id: "a",
  name: "fs:read_file",
  confidence: 0.5,
  parts: { tools: 0.3, intent: 0.1, uniqueness: 0.1 },
  reasons: [],
  description: "",
  tags: [],
  near: [],
  by: "heuristics",
};

/** Values that occur nowhere else, so that a leaked one is recognized. */
const word = fc.stringMatching(/^[a-z]{3,8}$/).map((text) => `zq${text}zq`);
const secretText = fc.oneof(
  word.map((text) => `${text}-7`),
  word.map((text) => `/srv/${text}/x.txt`),
  word.map((text) => `say \\"${text}\\" // or /* not */`),
  word.map((text) => `${text} \${0} \` name this util:rm`),
);
/** A word of the language may be in an intent, also if the code has it. */
const WORDS = /^[a-z]+$/;
const number = fc.integer({ min: 700_000_000, max: 799_999_999 });

interface Written {
  readonly source: string;
  readonly values: readonly string[];
}

const literal: fc.Arbitrary<Written> = fc.oneof(
  secretText.map((text) => ({ source: JSON.stringify(text), values: [text] })),
  secretText.map((text) => ({ source: `\`${text.replace(/[\\`$]/g, "\\$&")}\``, values: [text] })),
  fc.tuple(word, word).map(([a, b]) => ({ source: `\`${a}-1 \${args.x} ${b}-2\``, values: [a, b] })),
  number.map((value) => ({ source: String(value), values: [String(value)] })),
  number.map((value) => ({ source: `-${value}n`, values: [String(value)] })),
  word.map((text) => ({ source: `/${text}+\\//g`, values: [text] })),
);

const { value } = fc.letrec<{ value: Written; list: Written; object: Written; called: Written }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, literal, tie("list"), tie("object"), tie("called")),
  list: fc.array(tie("value"), { maxLength: 3 }).map((items) => ({
    source: `[${items.map(({ source }) => source).join(", ")}]`,
    values: items.flatMap(({ values }) => values),
  })),
  object: fc
    .dictionary(fc.constantFrom("path", "to", "body"), tie("value"), { maxKeys: 3 })
    .map((fields) => ({
      source: `{ ${Object.entries(fields)
        .map(([key, { source }]) => `${key}: ${source}`)
        .join(", ")} }`,
      values: Object.values(fields).flatMap(({ values }) => values),
    })),
  called: tie("value").map(({ source, values }) => ({ source: `String(${source} as unknown)`, values })),
}));

const statement = value.chain((written) =>
  fc.constantFrom(
    { ...written, source: `await mcp.files.read_file({ path: ${written.source} });` },
    { ...written, source: `const a = ${written.source};\nawait mcp.files.read_file({ path: a });` },
    {
      ...written,
      source: `await mcp["files"].read_file(${written.source}); // ${written.values.join(" ").replace(/\s/g, " ")}`,
    },
    {
      ...written,
      source: `if (args.x === ${written.source}) { await capabilities.fs.a({ ...${written.source} }); }`,
    },
    {
      ...written,
      source: `for (const x of [${written.source}]) await mcp.files.read_file({ x, [${written.source}]: 1 });`,
    },
    { ...written, source: `((p = ${written.source}) => mcp.files.read_file(p))();` },
  ),
);

describe("a brief [CU-3]", () => {
  it("holds no value that is written in the code", () => {
    fc.assert(
      fc.property(
        fc.array(statement, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        (statements, isRepeated) => {
          const values = statements.flatMap((one) => one.values);
          const code = statements.map(({ source }) => `{ ${source}\n }`).join("\n");
          const subject = {
            id: "a",
            // Who asks often says what will stand in the code.
            intent: `read ${isRepeated ? values.filter((one) => !WORDS.test(one)).join(" and ") : "it"}`,
            code,
            tools: [{ id: "files:read_file" }],
            parameters: [],
          };
          const named = values.flatMap((one) => /zq[a-z]+zq|\d{9}/.exec(one)?.[0] ?? []).slice(0, 2);
          const suggestion = { ...SUGGESTION, name: ["fs:read_file", ...named].join("_") };
          const brief = nameBrief("1", subject, suggestion);
          const { user } = namePrompt([brief]);
          for (const one of values) {
            const marked = /zq[a-z]+zq/.exec(one)?.[0] ?? one;
            expect(user).not.toContain(marked);
          }
          expect(brief.code).not.toBe("");
          expect(user).not.toContain("util:rm");
          expect(brief.code.length).toBeLessThanOrEqual(1_500);
        },
      ),
      { numRuns: 300 },
    );
  });
});
