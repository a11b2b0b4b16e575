import fc from "fast-check";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { callSignature, codeName, toolSignature, typeText } from "./type-signature.js";

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const string = { type: "string" };
const integer = { type: "integer" };

describe("[AN-13] a JSON Schema as a TypeScript type", () => {
  it.each<[unknown, string]>([
    [undefined, "unknown"],
    [true, "unknown"],
    [{}, "unknown"],
    ["string", "unknown"],
    [{ type: "file" }, "unknown"],
    [false, "never"],
    [{ type: "string", format: "uri" }, "string"],
    [integer, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: "string", nullable: true }, "string | null"],
    [{ type: ["integer", "number"] }, "number"],
    [{ enum: ["utf8", "latin1", 1, null, true] }, '"utf8" | "latin1" | 1 | null | true'],
    [{ type: "string", const: "a" }, '"a"'],
    [{ const: { a: [1, {}], "b-c": -2 } }, '{ a: [1, {}]; "b-c": -2 }'],
    [{ type: "array" }, "unknown[]"],
    [{ type: "array", items: string }, "string[]"],
    [{ type: "array", items: { enum: [1, 2] } }, "(1 | 2)[]"],
    [{ type: "array", items: false }, "[]"],
    [{ type: "array", prefixItems: [string, integer] }, "[string, number]"],
    [
      { type: "array", prefixItems: [string, { type: ["integer", "null"] }], minItems: 1, items: string },
      "[string, (number | null)?, ...string[]]",
    ],
    [{ type: "array", items: [string, integer] }, "[string, number]"],
    [{ type: "object" }, "Record<string, unknown>"],
    [{ type: "object", additionalProperties: false }, "{}"],
    [object({}), "{}"],
    [{ type: "object", additionalProperties: integer }, "Record<string, number>"],
    [{ type: "object", patternProperties: { "^x": string } }, "Record<string, string>"],
    [object({ a: string }, { additionalProperties: integer }), "{ a?: string; [key: string]: number }"],
    [
      object({ head: { ...integer, default: 30 }, path: string }, { required: ["path"] }),
      "{ path: string; head?: number }",
    ],
    [object({}, { required: ["x"] }), "{ x: unknown }"],
    [{ properties: { a: string } }, "{ a?: string }"],
    [
      object({ "a-b": string, __proto__x: string, "": string }),
      '{ "a-b"?: string; __proto__x?: string; ""?: string }',
    ],
    [{ anyOf: [string, { type: "array", items: string }] }, "string | string[]"],
    [{ oneOf: [object({ a: string }), string] }, "{ a?: string } | string"],
    [
      { allOf: [object({ a: string }), { anyOf: [object({ b: string }), string] }] },
      "{ a?: string } & ({ b?: string } | string)",
    ],
    // What only says which fields are needed together changes no type.
    [object({ a: string }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }), "{ a?: string }"],
    [{ $ref: "#/$defs/a~1b", $defs: { "a/b": string } }, "string"],
    [{ $ref: "https://example.com/schema" }, "unknown"],
    [
      { $ref: "#/$defs/node", $defs: { node: object({ next: { $ref: "#/$defs/node" } }) } },
      "{ next?: unknown }",
    ],
    [{ $ref: "#" }, "unknown"],
    [object({ a: 5, b: [] }, { required: 5 }), "{ a?: unknown; b?: unknown }"],
    [{ type: "object", properties: [] }, "Record<string, unknown>"],
    [{ enum: [] }, "never"],
    [{ const: '\u2028\u202e"\n' }, '"\\u2028\\u202e\\"\\n"'],
  ])("%j is %s", (schema, text) => expect(typeText(schema)).toBe(text));

  it("shows defaults only in detail", () =>
    expect(
      typeText(object({ head: { ...integer, default: 30 }, x: { default: "*/" } }), { detail: true }),
    ).toBe('{ head?: number /* = 30 */; x?: unknown /* = "*\\/" */ }'));
});

describe("[AN-13] a type that is longer than its budget", () => {
  const filter = object({ glob: { type: "array", items: string }, kind: { enum: ["file", "directory"] } });
  it.each<[number, unknown, string]>([
    [40, object({ path: string, filter }), "{ path?: string; filter?: { /* … */ } }"],
    [57, object({ path: string, filter }), "{ path?: string; filter?: { glob?: string[]; /* … */ } }"],
    [24, { enum: ["one", "two", "three", "four"] }, '"one" | "two" /* | … */'],
    [
      60,
      { type: "array", items: { enum: ["one", "two", "three", "four", "five", "six", "seven"] } },
      '("one" | "two" | "three" | "four" | "five" /* | … */)[]',
    ],
    [40, { type: "array", items: { anyOf: [string, filter] } }, "(string | { /* … */ })[]"],
    [22, { type: "array", items: { anyOf: [string, filter] } }, "(string /* | … */)[]"],
    [16, { type: "array", items: { anyOf: [string, filter] } }, "unknown[]"],
    [20, { prefixItems: [string, string, string, string] }, "[string, /* … */]"],
    [23, object({ a: string, b: string, c: string }), "{ a?: string; /* … */ }"],
    [22, object({ a: string, b: string, c: string }), "{ /* … */ }"],
    [10, object({ a: string, b: string, c: string }), "unknown"],
    [4, object({ a: string, b: string, c: string }), "unknown"],
    [12, { const: "a long, long story" }, "unknown"],
  ])("of %i is cut from the inside: %j", (budget, schema, text) =>
    expect(typeText(schema, { budget })).toBe(text),
  );

  it("keeps what is required", () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`option${i}`, string]));
    const text = typeText(object({ ...many, path: string }, { required: ["path"] }), { budget: 70 });
    expect(text).toMatch(/^\{ path: string; option0\?: string; .*; \/\* … \*\/ \}$/);
  });

  it("ends where schemas refer to one another without end", () => {
    const both = { type: "object", properties: { l: { $ref: "#/$defs/b" }, r: { $ref: "#/$defs/a" } } };
    const defs = Object.fromEntries(
      Array.from({ length: 26 }, (_, i) => [
        String.fromCharCode(97 + i),
        object({
          l: { $ref: `#/$defs/${String.fromCharCode(97 + ((i + 1) % 26))}` },
          r: { $ref: `#/$defs/${String.fromCharCode(97 + ((i + 2) % 26))}` },
        }),
      ]),
    );
    expect(typeText({ ...both, $defs: defs }).length).toBeLessThanOrEqual(400);
  });

  it("ends where a schema is deep", () => {
    let schema: object = string;
    for (let i = 0; i < 10_000; i += 1) schema = { type: "array", items: schema };
    expect(typeText(schema)).toBe("unknown[][][][][][][][][][][][]");
  });
});

describe("[AN-13] a tool as code calls it", () => {
  it.each<[string, string]>([
    ["fs:read", "mcp.fs.read"],
    ["my-server:read:all", 'mcp["my-server"]["read:all"]'],
    ["sum", "capabilities.sum"],
    ["a-b", 'capabilities["a-b"]'],
  ])("%s is %s", (name, text) => expect(codeName(name)).toBe(text));

  it("says what it takes and what it gives", () =>
    expect(
      toolSignature({
        name: "fs:read",
        inputSchema: object({ path: string, encoding: { enum: ["utf8", "latin1"] } }, { required: ["path"] }),
        outputSchema: object({ content: string }, { required: ["content"] }),
      }),
    ).toBe(
      'mcp.fs.read(args: { path: string; encoding?: "utf8" | "latin1" }): Promise<{ content: string }>',
    ));

  it.each<[unknown, string]>([
    [object({}), "mcp.t.x()"],
    [{}, "mcp.t.x(args?: unknown)"],
    [object({ a: string }), "mcp.t.x(args?: { a?: string })"],
    [object({ a: string }, { required: ["a"] }), "mcp.t.x(args: { a: string })"],
    [
      { anyOf: [object({ a: string }), object({ b: string })] },
      "mcp.t.x(args: { a?: string } | { b?: string })",
    ],
  ])("%j", (inputSchema, text) => {
    expect(callSignature({ name: "t:x", inputSchema })).toBe(text);
    expect(toolSignature({ name: "t:x", inputSchema })).toBe(`${text}: Promise<unknown>`);
  });

  it("leaves room for both", () => {
    const large = object(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field${i}`, string])));
    const text = toolSignature({ name: "t:x", inputSchema: large, outputSchema: large }, { budget: 150 });
    expect(text).toMatch(
      /^mcp\.t\.x\(args\?: \{ field0\?: string; .*; \/\* … \*\/ \}\): Promise<\{ field0\?: string; .*; \/\* … \*\/ \}>$/,
    );
    expect(text.length).toBeLessThanOrEqual(150);
  });
});

const words = fc.constantFrom(
  "a",
  "b-c",
  "new",
  "get",
  "readonly",
  "",
  "…",
  'q"',
  "\u2028",
  "\\",
  "*/",
  "[",
  "0",
  "__proto__",
);

const { schema: schemas } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<unknown>(true, false, {}, null, 5, "x", [], { $ref: "#" }, { $ref: "#/$defs/a" }),
    fc.record({
      type: fc.constantFrom("string", "integer", "number", "boolean", "null", "object", "array", "x", 3),
    }),
    fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 }) }),
    fc.record({ const: fc.oneof(fc.jsonValue({ maxDepth: 2 }), words) }),
    fc.record(
      {
        type: fc.constantFrom("object", ["object", "null"]),
        properties: fc.dictionary(words, tie("schema"), { maxKeys: 4 }),
        required: fc.array(words, { maxLength: 2 }),
        additionalProperties: tie("schema"),
        default: words,
        $defs: fc.record({ a: tie("schema") }),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      {
        type: fc.constant("array"),
        items: fc.oneof(tie("schema"), fc.array(tie("schema"), { maxLength: 3 })),
        prefixItems: fc.array(tie("schema"), { maxLength: 3 }),
        minItems: fc.nat(3),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      {
        anyOf: fc.array(tie("schema"), { maxLength: 3 }),
        oneOf: fc.array(tie("schema"), { maxLength: 3 }),
        allOf: fc.array(tie("schema"), { maxLength: 3 }),
        nullable: fc.boolean(),
        properties: fc.dictionary(words, tie("schema"), { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    ),
  ),
}));

/** What a parser of TypeScript says against it. */
function problemsOf(code: string): readonly string[] {
  return parseSync("x.ts", code).errors.map(({ message }) => message);
}

describe("[AN-13, DI-1] whatever the schema", () => {
  it("the type is TypeScript, in one line, within its budget", () =>
    fc.assert(
      fc.property(schemas, fc.integer({ min: 7, max: 120 }), fc.boolean(), (schema, budget, detail) => {
        const text = typeText(schema, { budget, detail });
        expect(text.length).toBeLessThanOrEqual(budget);
        expect(text).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(problemsOf(`declare const x: ${text};`), text).toEqual([]);
      }),
      { numRuns: 1_000 },
    ));

  it("the signature is TypeScript, in one line, within its budget", () =>
    fc.assert(
      fc.property(schemas, fc.integer({ min: 40, max: 200 }), fc.boolean(), (schema, budget, detail) => {
        const tool = { name: "t:x", inputSchema: schema, outputSchema: schema };
        for (const text of [
          toolSignature(tool, { budget, detail }),
          callSignature(tool, { budget, detail }),
        ]) {
          expect(text.length).toBeLessThanOrEqual(budget);
          expect(text).toMatch(/^mcp\.t\.x\([^\n\r\u2028\u2029]*$/);
          expect(problemsOf(text.replace("mcp.t.x", "declare function x")), text).toEqual([]);
        }
      }),
      { numRuns: 1_000 },
    ));

  it("nothing is cut out of what is short enough", () =>
    fc.assert(
      fc.property(schemas, (schema) => {
        const whole = typeText(schema, { budget: 10_000 });
        expect(typeText(schema, { budget: Math.max(7, whole.length) })).toBe(whole);
      }),
    ));

  it("a name that is too long for the signature is left out of it", () =>
    expect(callSignature({ name: `t:${"x".repeat(10_000)}`, inputSchema: {} })).toBe("(args?: unknown)"));

  it("hides nothing in names and values", () =>
    expect(typeText(object({ "a\u{e0041}\u200b": { const: "\u{e0042}" } }))).toBe(
      '{ "a\\u{e0041}\\u200b"?: "\\u{e0042}" }',
    ));
});
