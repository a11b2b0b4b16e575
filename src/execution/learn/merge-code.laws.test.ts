import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeVocabulary } from "../../../test/support/merge-sources.js";
import { analyse } from "../../analysis/analyse.js";
import type { Json } from "../../base/canonical-json.js";
import { type MergeSource, mergeCode } from "./merge-code.js";

const type: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    {},
    { type: "string" },
    { type: "integer" },
    { type: "number" },
    { type: "object" },
    { type: "array", items: { type: "string" } },
    { type: ["string", "null"] },
    { enum: ["a", "b"] },
    { const: 3 },
    { anyOf: [{ type: "string" }, { type: "boolean" }] },
    { type: "string", default: "x" },
    true,
  ),
  fc.json().map((text): Json => JSON.parse(text)),
);
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("path", "data", "Data", "file_name", "fileName", "args", "json") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("__proto__", "constructor", "toString", "class", "my key", "path_2", "mcp"),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
);
const properties = fc
  .array(fc.tuple(key, type), { maxLength: 5 })
  .map((entries): Readonly<Record<string, Json>> => Object.fromEntries(entries));
const action = fc.oneof(
  fc.constantFrom(
    "read_json",
    "get_args",
    "fetch_class",
    "call",
    "name",
    "then",
    "mcp",
    "2",
    "_",
    "-",
    "getPath",
    "__proto__",
  ),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,10}$/),
);
const displayName = fc.oneof(
  action,
  fc.tuple(action, action).map((parts) => parts.join(":")),
  fc.tuple(action, action, action).map((parts) => parts.join(":")),
);
const source: fc.Arbitrary<MergeSource> = fc
  .record(
    {
      displayName,
      version: fc.integer({ min: 1, max: 9 }),
      properties,
      required: fc.infiniteStream(fc.boolean()),
      isOpen: fc.boolean(),
      result: fc.oneof(
        type,
        properties.map((fields): Json => ({ type: "object", properties: fields })),
      ),
      intent: fc.string({ unit: "binary" }),
    },
    { requiredKeys: ["displayName", "properties", "required", "isOpen"] },
  )
  .map(({ properties: fields, required, isOpen, ...rest }) => ({
    ...rest,
    parameters: {
      type: "object",
      properties: fields,
      required: Object.keys(fields).filter(() => required.next().value),
      additionalProperties: isOpen,
    },
  }));

describe("whatever is merged", () => {
  it("[ID-13] is code without problems, and every step has what it requires", () => {
    const sources = fc
      .array(source, { minLength: 2, maxLength: 6 })
      // Each name has one meaning.
      .map((all) => all.map((one) => all.find((other) => nameOf(other) === nameOf(one)) ?? one));
    fc.assert(
      fc.property(sources, (given) => {
        const code = codeOf(given);
        if (code === undefined) return;
        const { problems, calls, structure, hasComputedCalls, parameters } = analyse(
          code,
          mergeVocabulary(given),
        );
        expect({ problems, hasComputedCalls, code }).toEqual({ problems: [], hasComputedCalls: false, code });
        expect(calls).toHaveLength(given.length);
        const names = new Set(given.flatMap((one) => Object.keys(one.parameters.properties)));
        for (const name of Object.keys(parameters.properties))
          expect(names.has(name) || names.has(name.replace(/_\d+$/, ""))).toBe(true);
        const steps = structure.nodes.filter((node) => node.type === "capability");
        for (const [index, { parameters: wanted }] of given.entries()) {
          const isWhole = /\(\w+\);$/.test(statements(code)[index] ?? "");
          const supplied = Object.keys(steps[index]?.arguments ?? {});
          const needed = wanted.required.filter((name) => !hasDefault(wanted.properties[name]));
          if (!isWhole) expect(supplied).toEqual(expect.arrayContaining(needed));
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** Returns undefined if the input of a step is unclear, the only reason for a refusal. */
function codeOf(sources: readonly MergeSource[]): string | undefined {
  try {
    return mergeCode(sources).code;
  } catch (error) {
    expect(error).toMatchObject({ code: "MERGE_UNCLEAR" });
    return undefined;
  }
}

/** The name as the vocabulary folds it. */
function nameOf({ displayName: name, version }: MergeSource): string {
  return `${name}@${version ?? ""}`
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

function hasDefault(schema: Json | undefined): boolean {
  return typeof schema === "object" && schema !== null && Object.hasOwn(schema, "default");
}

/** The calls, as text. */
function statements(code: string): readonly string[] {
  return code
    .split(/^(?=const |await |return )/m)
    .map((text) => text.replace(/^\/\/.*$/gm, "").trim())
    .filter((text) => text !== "");
}
