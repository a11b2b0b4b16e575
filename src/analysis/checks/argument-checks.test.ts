import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TestTool, testVocabulary } from "../../../test/support/vocabulary.js";
import type { Json } from "../../base/canonical-json.js";
import { findReferences } from "../names/references.js";
import { parseCode } from "../syntax/parse-code.js";
import { resolveScopes } from "../syntax/scopes.js";
import { SourceText } from "../syntax/source-text.js";
import { type ArgumentProblems, argumentProblems } from "./argument-checks.js";

const object = (properties: object, more: object = {}): Json =>
  ({ type: "object", properties, ...more }) as unknown as Json;
const closed = (properties: object, more: object = {}): Json =>
  object(properties, { additionalProperties: false, ...more });
const string = { type: "string" };
const integer = { type: "integer" };

const FS: Readonly<Record<string, TestTool>> = {
  read: { inputSchema: closed({ path: string, head: integer }, { required: ["path"] }) },
  list: { inputSchema: object({ path: string, depth: { type: ["integer", "null"] } }) },
  find: {
    inputSchema: {
      type: "object",
      properties: {
        mode: { enum: ["glob", "regex", 3] },
        kind: { const: "file" },
        limit: { type: "number", minimum: 1, maximum: 10 },
        ratio: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
        name: { type: "string", minLength: 2, maxLength: 4 },
        tags: { type: "array", items: string, minItems: 1, maxItems: 2 },
        pair: { type: "array", prefixItems: [string, integer], items: false },
        filter: { $ref: "#/$defs/filter" },
        where: { anyOf: [string, { type: "array", items: string }] },
        node: {
          oneOf: [
            closed({ type: { const: "a" }, x: integer }, { required: ["type", "x"] }),
            closed({ type: { const: "b" }, y: string }, { required: ["type"] }),
          ],
        },
        any: {
          anyOf: [string, object({ type: { const: "a" }, x: integer }), object({ type: { const: "b" } })],
        },
        both: { allOf: [object({ a: string }, { required: ["a"] }), object({ b: integer })] },
        maybe: { type: "string", nullable: true },
        never: false,
        map: { type: "object", additionalProperties: integer },
      },
      $defs: { filter: closed({ deep: { type: "boolean" }, inner: { $ref: "#/$defs/filter" } }) },
    } as unknown as Json,
  },
  pick: {
    inputSchema: object({ a: string, b: string }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
  },
  defaulted: { inputSchema: object({ a: { type: "string", default: "x" } }, { required: ["a"] }) },
  open: { inputSchema: object({ path: string }, { additionalProperties: true }) },
};

const CAPABILITIES = [
  {
    name: "fs:read_json",
    parameters: closed({ path: string, depth: { ...integer, default: 3 } }, { required: ["path", "depth"] }),
  },
  { name: "sum", parameters: closed({ list: { type: "array", items: { type: "number" } } }) },
];

function check(code: string, tools: Readonly<Record<string, TestTool>> = FS): ArgumentProblems {
  const source = new SourceText(code);
  const { body, problems } = parseCode(source);
  if (body === undefined) throw new Error(problems[0]?.message);
  const scopes = resolveScopes(body);
  return argumentProblems(
    source,
    scopes,
    findReferences(scopes, testVocabulary({ fs: tools }, CAPABILITIES)),
  );
}

/** Each problem with the text that it is at, as far as the end of the line. */
function told(code: string): readonly string[] {
  return check(code).problems.map(
    ({ message, line, column, text }) => `${message} @${line} ${text.slice(column - 1, column + 11)}`,
  );
}

const find = (field: string): string => `await mcp.fs.find({ ${field} });`;

describe("[AN-13] what is missing", () => {
  it.each<[string, readonly string[]]>([
    ["await mcp.fs.read();", ['fs:read needs "path" (string) @1 mcp.fs.read(']],
    ["await mcp.fs.read({ head: 3 });", ['fs:read needs "path" (string) @1 mcp.fs.read(']],
    ["await mcp.fs.read(undefined);", ['fs:read needs "path" (string) @1 mcp.fs.read(']],
    ["await mcp.fs.read({ path: undefined });", ['fs:read needs "path" (string) @1 mcp.fs.read(']],
    ["await mcp.fs.read({ ...args.x, path: void 0 });", ['fs:read needs "path" (string) @1 mcp.fs.read(']],
    [
      "const o = { head: 1 };\nawait mcp.fs.read({ ...o });",
      ['fs:read needs "path" (string) @2 mcp.fs.read('],
    ],
    [
      "for (const x of args.list) {\n  await mcp.fs.read({});\n  await mcp.fs.read({});\n}",
      ['fs:read needs "path" (string) @2 mcp.fs.read(', 'fs:read needs "path" (string) @3 mcp.fs.read('],
    ],
    [find("both: {}"), ['"both" of fs:find needs "a" (string) @1 {} });']],
    ["await mcp.fs.pick({});", ['fs:pick needs "a", or needs "b" @1 mcp.fs.pick(']],
    ["await mcp.fs.defaulted({});", ['fs:defaulted needs "a" (string) @1 mcp.fs.defau']],
    ["await mcp.fs.readJson({});", ['fs:read_json needs "path" (string) @1 mcp.fs.readJ']],
    ["await mcp.fs.readJson({ path: 'x' });", []],
    ["await mcp.fs.pick({ b: 'x' });", []],
    // These may hold it.
    ["await mcp.fs.read({ ...args });", []],
    ["await mcp.fs.read({ [args.key]: 'x' });", []],
    ["await mcp.fs.read(args);", []],
    ["await mcp.fs.read(...args.list);", []],
    ["await mcp.fs.read({ path: args.path });", []],
    ["await Promise.all(args.list.map(mcp.fs.read));", []],
  ])("%s", (code, expected) => expect(told(code)).toEqual(expected));
});

describe("[AN-13] what there is no field for", () => {
  it.each<[string, readonly string[]]>([
    ["await mcp.fs.read({ path: 'x', haed: 3 });", ['fs:read has no argument "haed" @1 haed: 3 });']],
    ["await mcp.fs.read({ path: 'x', more: undefined });", []],
    ["await mcp.fs.read({ path: 'x', more: args.x });", ['fs:read has no argument "more" @1 more: args.x']],
    [find("filter: { deep: true, flat: 1 }"), ['"filter" of fs:find has no field "flat" @1 flat: 1 } })']],
    ["await capabilities.sum({ items: [] });", ['sum has no argument "items" @1 items: [] })']],
    ["await mcp.fs.open({ paht: 'x' });", []],
  ])("%s", (code, expected) => expect(told(code)).toEqual(expected));

  it("is told with the nearest field, and what is expected", () =>
    expect(check("await mcp.fs.read({ path: 'x', heads: 3 });").problems).toMatchObject([
      {
        code: "ARGUMENTS_INVALID",
        hint: 'Did you mean "head"? Expected: mcp.fs.read(args: { path: string; head?: number })',
        nearest: ["head"],
      },
    ]));

  it("is not taken for a field that is given too", () =>
    expect(check("await mcp.fs.read({ path: 'x', paths: 3 });").problems).toMatchObject([
      { hint: "Expected: mcp.fs.read(args: { path: string; head?: number })" },
    ]));

  it.each<[string, readonly string[]]>([
    ["await mcp.fs.list({ paths: 'x' });", ["fs:list has no argument \"paths\" @1 paths: 'x' }"]],
    [
      "await mcp.fs.list({ path: 'x', colour: 'x' });",
      ["fs:list has no argument \"colour\" @1 colour: 'x' "],
    ],
    ["await mcp.fs.open({ paths: 'x' });", []],
    ["await mcp.fs.list({ ...args.more });", []],
  ])("is none of a schema that has names and says nothing of others: %s", (code, expected) =>
    expect(told(code)).toEqual(expected),
  );
});

describe("[AN-13] what is of the wrong kind", () => {
  it.each<[string, readonly string[]]>([
    [
      "await mcp.fs.read({\n  path: 3,\n  head: '3',\n});",
      [
        '"path" of fs:read must be a string, found the number 3 @2 3,',
        '"head" of fs:read must be an integer, found the string "3" @3 \'3\',',
      ],
    ],
    [
      "await mcp.fs.read({ path: 'x', head: -1.5 });",
      ['"head" of fs:read must be an integer, found the number -1.5 @1 -1.5 });'],
    ],
    [
      "await mcp.fs.read({ path: 'x', head: +2.5 });",
      ['"head" of fs:read must be an integer, found the number 2.5 @1 +2.5 });'],
    ],
    ["await mcp.fs.read({ path: 'x', head: 2.0 });", []],
    [
      `await mcp.fs.read({ path: \`a\${args.x}\`, head: \`\${args.y}\` });`,
      [`"head" of fs:read must be an integer, found a string @1 \`\${args.y}\` `],
    ],
    [
      "await mcp.fs.read({ path: 'a' + 'b', head: 'a' + 'b' });",
      ["\"head\" of fs:read must be an integer, found the string \"ab\" @1 'a' + 'b' })"],
    ],
    [
      "await mcp.fs.list({ depth: true });",
      ['"depth" of fs:list must be an integer or null, found true @1 true });'],
    ],
    ["await mcp.fs.list({ depth: null });", []],
    [
      find("mode: 'globb'"),
      ['"mode" of fs:find must be one of "glob", "regex", 3, found the string "globb" @1 \'globb\' });'],
    ],
    [find("mode: 3"), []],
    [find("kind: 'dir'"), ['"kind" of fs:find must be "file", found the string "dir" @1 \'dir\' });']],
    [find("limit: 0"), ['"limit" of fs:find must be at least 1, found the number 0 @1 0 });']],
    [find("limit: 11"), ['"limit" of fs:find must be at most 10, found the number 11 @1 11 });']],
    [find("ratio: 0"), ['"ratio" of fs:find must be more than 0, found the number 0 @1 0 });']],
    [find("ratio: 1"), ['"ratio" of fs:find must be less than 1, found the number 1 @1 1 });']],
    [
      find("name: '🎉'"),
      ['"name" of fs:find must have at least 2 characters, found the string "🎉" @1 \'🎉\' });'],
    ],
    [find("name: '🎉🎉🎉🎉'"), []],
    [
      find("name: 'abcde'"),
      ['"name" of fs:find must have at most 4 characters, found the string "abcde" @1 \'abcde\' });'],
    ],
    [find("tags: []"), ['"tags" of fs:find must have at least 1 item, found a list of 0 items @1 [] });']],
    [find("tags: [...args.x]"), []],
    [
      find("tags: ['a', ...args.x, 'b', 'c']"),
      ["\"tags\" of fs:find must have at most 2 items, found a list @1 ['a', ...arg"],
    ],
    [find("tags: ['a', 1]"), ['"tags[1]" of fs:find must be a string, found the number 1 @1 1] });']],
    [
      find("pair: ['a', 'b', 'c']"),
      [
        "\"pair[1]\" of fs:find must be an integer, found the string \"b\" @1 'b', 'c'] })",
        "\"pair[2]\" of fs:find is not allowed @1 'c'] });",
      ],
    ],
    [
      find("filter: { inner: { inner: { deep: 1 } } }"),
      ['"filter.inner.inner.deep" of fs:find must be a boolean, found the number 1 @1 1 } } } });'],
    ],
    [find("where: 5"), ['"where" of fs:find must be string | string[], found the number 5 @1 5 });']],
    [find("where: ['a', 5]"), ['"where[1]" of fs:find must be a string, found the number 5 @1 5] });']],
    [find("where: ['a', args.x]"), []],
    [find("node: { type: 'a' }"), ['"node" of fs:find needs "x" (number) @1 { type: \'a\' ']],
    [
      find("node: { type: 'a', x: 'y' }"),
      ['"node.x" of fs:find must be an integer, found the string "y" @1 \'y\' } });'],
    ],
    [find("node: { type: 'b', y: 'y' }"), []],
    [
      find("any: { type: 'a', x: 'y' }"),
      ['"any.x" of fs:find must be an integer, found the string "y" @1 \'y\' } });'],
    ],
    [find("pair: [...args.x, 'b', 'c']"), []],
    [
      find("both: { a: 1, b: 'x' }"),
      [
        "\"both.a\" of fs:find must be a string, found the number 1 @1 1, b: 'x' } ",
        '"both.b" of fs:find must be an integer, found the string "x" @1 \'x\' } });',
      ],
    ],
    [find("maybe: null"), []],
    [find("maybe: 1"), ['"maybe" of fs:find must be a string, found the number 1 @1 1 });']],
    [find("never: 1"), ['"never" of fs:find is not allowed @1 1 });']],
    [
      find("map: { a: 1, b: 'x' }"),
      ['"map.b" of fs:find must be an integer, found the string "x" @1 \'x\' } });'],
    ],
    [
      "await capabilities.sum({ list: [1, '2'] });",
      ['"list[1]" of sum must be a number, found the string "2" @1 \'2\'] });'],
    ],
    ['await mcp.fs.read("x");', ['The argument of fs:read must be an object, found the string "x" @1 "x");']],
    [
      "await mcp.fs.list(['x']);",
      ["The argument of fs:list must be an object, found a list of 1 item @1 ['x']);"],
    ],
    ["await mcp.fs.list(null);", ["The argument of fs:list must be an object, found null @1 null);"]],
  ])("%s", (code, expected) => expect(told(code)).toEqual(expected));

  it("is told with what is expected", () =>
    expect(check('await mcp.fs.read("x");').problems[0]?.hint).toBe(
      "Expected: mcp.fs.read(args: { path: string; head?: number })",
    ));

  it("a second argument is not used, and that is worth a warning", () => {
    const { problems, warnings } = check("await mcp.fs.read({ path: 'x' }, 5);");
    expect(problems).toEqual([]);
    expect(warnings).toEqual(["fs:read takes one object; further arguments are ignored (line 1, column 34)"]);
  });
});

describe("[AN-13] constants count as what they are set to", () => {
  const wrong = (at: string) => [`"path" of fs:read must be a string, found the number 3 @${at}`];
  it.each<[string, readonly string[]]>([
    ["const path = 3;\nawait mcp.fs.read({ path });", wrong("2 path });")],
    ["const a = 3;\nconst b = a;\nawait mcp.fs.read({ path: b });", wrong("3 b });")],
    ["const o = { path: 3 };\nawait mcp.fs.read(o);", wrong("2 o);")],
    ["const o = { path: 3 };\nawait mcp.fs.read({ ...o });", wrong("2 ...o });")],
    ["const o = { path: 3 };\nconsole.log(o, o.path + 1);\nawait mcp.fs.read(o);", wrong("3 o);")],
    ["const path = 3 as unknown as string;\nawait mcp.fs.read({ path: path! });", wrong("2 path! });")],
    ["const fs = mcp.fs;\nawait fs.read({ path: 3 });", wrong("2 3 });")],
  ])("%s", (code, expected) => expect(told(code)).toEqual(expected));

  it("each place that uses one has its problem", () =>
    expect(told("const o = { path: 3 };\nawait mcp.fs.read(o);\nawait mcp.fs.read(o);")).toEqual([
      ...wrong("2 o);"),
      ...wrong("3 o);"),
    ]));

  it.each([
    "let path = 3; path = 'x'; await mcp.fs.read({ path });",
    "const o = {}; o.path = 'x'; await mcp.fs.read(o);",
    "const o = {}; o['path'] = 'x'; await mcp.fs.read({ ...o });",
    "const o = {}; Object.assign(o, { path: 'x' }); await mcp.fs.read(o);",
    "const o = {}; const p = o; p.path = 'x'; await mcp.fs.read(o);",
    "const o = {}; [o].forEach((p) => { p.path = 'x'; }); await mcp.fs.read(o);",
    "const o = { path: 'x', more: 1 }; delete o.more; await mcp.fs.read(o);",
    "const o = { path: 3 }; o.path++; ({ path: o.path } = { path: 'x' }); await mcp.fs.read(o);",
    "const o = {}; for (o.path of ['x']) await mcp.fs.read(o);",
    "const o = { tags: [] }; o.tags.push('x'); await mcp.fs.find(o);",
    "const tags = []; tags.push('x'); await mcp.fs.find({ tags });",
    "const tags = []; const q = { tags }; q.tags.push('x'); await mcp.fs.find(q);",
    "const o = { tags: [] }; const q = { ...o }; q.tags.push('x'); await mcp.fs.find(o);",
    "const o = { tags: [] }; fill(o.tags); await mcp.fs.find(o); function fill(x) { x.push('a'); }",
    "const o = { tags: [] }; fill`$" +
      "{o.tags}`; await mcp.fs.find(o); function fill(_, x) { x.push('a'); }",
    "const o = { tags: [] }; const q = o; q.tags.push('x'); await mcp.fs.find(o);",
    "const o = { tags: [] }; const q = [o]; q[0].tags.push('x'); await mcp.fs.find(o);",
    "const o = { tags: [] }; (args.a ? o : {}).tags.push('x'); await mcp.fs.find(o);",
    "const tags = []; const o = { all: { tags } }; tags.push('x'); await mcp.fs.find(o.all);",
    "await mcp.fs.read({ path: 3, ...args });",
    "const o = { ...args.x }; await mcp.fs.read({ path: 3, ...o });",
    "await mcp.fs.read({ path: 3, [args.key]: 'x' });",
    "await mcp.fs.read({ path: 3, path: 'x' });",
    "await mcp.fs.read({ path: args.x ? 'x' : 3 });",
    "await mcp.fs.read({ get path() { return 'x'; } });",
    "await mcp.fs.read({ __proto__: { path: 'x' } });",
    "await mcp.fs.read({ path: 'x', head: 1e999 });",
  ])("but not where they may be something else by then: %s", (code) => expect(told(code)).toEqual([]));
});

describe("[AN-14] whatever the schema, it ends, throws nothing and forbids nothing that is not understood", () => {
  const call = "await mcp.fs.x({ a: 1, b: 'x', c: [1, 'x', null], d: { e: { f: true } } });";
  const problems = (inputSchema: unknown) =>
    check(call, { x: { inputSchema: inputSchema as Json } }).problems.length;

  it.each<unknown>([
    5,
    "object",
    [],
    null,
    true,
    { type: 5 },
    { type: ["object", 5] },
    { type: "any" },
    { type: [] },
    { properties: [], additionalProperties: false },
    { properties: 5, required: 5 },
    { required: [5, null, {}] },
    { enum: 5, anyOf: {}, oneOf: [], allOf: "x" },
    { $ref: "#" },
    { $ref: 5 },
    { $ref: "#/nowhere" },
    { anyOf: [{ $ref: "#" }], allOf: [{ $ref: "#" }], oneOf: [{ $ref: "#" }, { $ref: "#" }] },
    {
      properties: { a: { minimum: "x", maximum: null, exclusiveMinimum: true }, c: { maxItems: "1" } },
      additionalProperties: true,
    },
    { properties: { b: { pattern: "^[", format: "date" } }, additionalProperties: true },
    { patternProperties: { "": false }, additionalProperties: false },
    { properties: { c: { items: [5], additionalItems: 7 } }, additionalProperties: true },
  ])("%j", (schema) => expect(problems(schema)).toBe(0));

  it("for schemas that are deep, wide or without end", () => {
    let deep: object = { type: "string" };
    for (let i = 0; i < 10_000; i += 1) deep = { allOf: [deep] };
    expect(problems(deep)).toBe(0);
    const branch = { anyOf: Array.from({ length: 10 }, () => ({ $ref: "#/$defs/x", type: "object" })) };
    const inner = { ...branch, properties: { a: { type: "string" } }, additionalProperties: true };
    expect(problems({ ...branch, $defs: { x: inner } })).toBe(0);
    const many = Array.from({ length: 10_000 }, (_, i) => `v${i}`);
    expect(problems({ properties: { b: { enum: many } }, additionalProperties: true })).toBe(1);
    expect(problems({ required: many })).toBe(50);
  });

  it("and lists 50 problems at most", () => {
    const { problems: found, warnings } = check("await mcp.fs.read({ path: 1 });\n".repeat(60));
    expect(found).toHaveLength(50);
    expect(warnings).toEqual(["More than 50 arguments are wrong; the rest are not listed"]);
  });

  it("for code that is long and deep", () => {
    const list = `const list = [${"1,".repeat(10_000)}];\n`;
    const code = list + "mcp.fs.find({ tags: list, odd: list });\n".repeat(500);
    expect(check(code).problems.length).toBeLessThanOrEqual(50);
    expect(check(`mcp.fs.find({ where: ${"[".repeat(900)}${"]".repeat(900)} });`).problems).toHaveLength(1);
    const wide = `{ ${Array.from({ length: 2_000 }, (_, i) => `f${i}: ${i}`).join(", ")} }`;
    expect(check(`mcp.fs.find(${wide}); mcp.fs.list(${wide});`).problems).toHaveLength(50);
  });
});

const keys = fc.constantFrom("a", "b", "c");
const { schema: anySchemas } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.record({ type: fc.constantFrom("string", "integer", "number", "boolean", "null", "object", "array") }),
    fc.record({ type: fc.constant(["integer", "null"]) }),
    fc.record({ enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 }) }),
    fc.record({ const: fc.jsonValue({ maxDepth: 1 }) }),
    fc.record({ minimum: fc.nat(3), exclusiveMaximum: fc.nat(5) }, { requiredKeys: [] }),
    fc.record({ minLength: fc.nat(2), maxLength: fc.nat(4) }, { requiredKeys: [] }),
    fc.record({ items: tie("schema"), minItems: fc.nat(2), maxItems: fc.nat(3) }, { requiredKeys: [] }),
    fc.record(
      {
        properties: fc.dictionary(keys, tie("schema"), { maxKeys: 3 }),
        required: fc.uniqueArray(keys, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), tie("schema")),
      },
      { requiredKeys: [] },
    ),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
  ),
}));
const { value: anyValues } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, true, 0, 1, 4, 2.5, -1, "", "a", "abc", "🎉🎉"),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 3 }),
  ),
}));

/** As they come over the wire: objects that have the usual prototype. */
const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const schemas = anySchemas.map(parsed);
const values = anyValues.map(parsed);

describe("[AN-13] as the check of the call itself would", () => {
  const validator = new AjvJsonSchemaValidator();
  it("refuses values that are known as a whole", () => {
    let refused = 0;
    fc.assert(
      fc.property(schemas, values, (schema, value) => {
        const wanted = { type: "object", properties: { x: schema } };
        const { valid } = validator.getValidator(wanted as never)({ x: value });
        const { problems, warnings } = check(`mcp.fs.x({ x: ${JSON.stringify(value)} });`, {
          x: { inputSchema: wanted as unknown as Json },
        });
        expect(problems.length === 0, JSON.stringify(problems)).toBe(valid);
        expect(warnings).toEqual([]);
        if (!valid) refused += 1;
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(20);
  });

  it("refuses nothing of which a part is not known that could be right", () =>
    fc.assert(
      fc.property(schemas, values, fc.nat(), (schema, value, seed) => {
        const wanted = { type: "object", properties: { x: schema } };
        if (!validator.getValidator(wanted as never)({ x: value }).valid) return;
        // Some part of it comes from `args`.
        let place = seed % 5;
        const written = JSON.stringify(value, (_, part: unknown) => {
          place -= 1;
          return place === -1 ? "PART" : part;
        });
        const code = written.replace('"PART"', "args.part");
        expect(
          check(`mcp.fs.x({ x: ${code} });`, { x: { inputSchema: wanted as unknown as Json } }).problems,
        ).toEqual([]);
      }),
      { numRuns: 150 },
    ));
});
