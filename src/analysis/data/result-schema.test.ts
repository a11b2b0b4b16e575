import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { testVocabulary } from "../../../test/support/vocabulary.js";
import type { Json } from "../../base/canonical-json.js";
import type { ParametersSchema } from "../../registry/capability.js";
import { typeText } from "../../registry/type-signature.js";
import { resultSchema } from "./result-schema.js";

const ANY = { type: "object" };
const PERSON = { type: "object", properties: { name: { type: "string" }, age: { type: "integer" } } };

/** Parts of it refer to parts of it. */
function referring(up: Json): Json {
  const who = { type: "object", properties: { id: { type: "string" }, up: { $ref: "#/$defs/up" } } };
  const all = { type: "array", items: { $ref: "#/$defs/who" } };
  return { type: "object", properties: { who: { $ref: "#/$defs/who" }, all }, $defs: { who, up } };
}

const VOCABULARY = testVocabulary(
  {
    fs: {
      read: {
        inputSchema: ANY,
        outputSchema: { type: "object", properties: { data: PERSON, size: { type: "number" } } },
      },
      list: { inputSchema: ANY, outputSchema: { type: "array", items: PERSON } },
      text: { inputSchema: ANY, outputSchema: { type: "string" } },
      other: { inputSchema: ANY },
      deep: { inputSchema: ANY, outputSchema: referring({ type: "object" }) },
      like: { inputSchema: ANY, outputSchema: referring({ type: "string" }) },
    },
  },
  [{ name: "num:inc", parameters: { type: "object", properties: {}, required: [] } }],
);
const PARAMETERS = {
  type: "object",
  properties: { path: { type: "string", description: "Where" }, n: { type: "integer", default: 2 } },
  required: ["path"],
  additionalProperties: false,
} satisfies ParametersSchema;

/** As TypeScript; `unknown` where nothing is known. */
function resultText(code: string): string {
  return typeText(resultSchema(code, VOCABULARY, { parameters: PARAMETERS }) ?? {}, { budget: 1_000 });
}

/** `§` is a dollar sign. */
function check(code: string, expected: string): void {
  expect(resultText(code.replaceAll("§", "$"))).toBe(expected);
}

describe("[ID-13] what code returns", () => {
  it.each([
    ["return 1", "number"],
    ["return 'a'", "string"],
    ["return `a§{args.x}`", "string"],
    ["return true", "boolean"],
    ["return null", "null"],
    ["return -1", "number"],
    ["return !args.x", "boolean"],
    ["return args.a > 1", "boolean"],
    ["return args.a + 1", "unknown"],
    ["return args.a + ''", "string"],
    ["return args.n + 1", "number"],
    ["return args.a * 2", "number"],
    ["return args.a * args.b", "unknown"],
    ["return typeof args", "string"],
    ["return 'path' in args", "boolean"],
    ["return []", "unknown[]"],
    ["return [1, 2]", "number[]"],
    ["return [1, 'a']", "unknown[]"],
    ["return [...args.list]", "unknown[]"],
    ["return {}", "{}"],
    ["return new Date()", "string"],
    ["return new Set([1])", "unknown[]"],
  ])("of one value: %s", check);

  it.each([
    [
      "return { ok: true, 'my key': [1], n: { a: 'x' } }",
      '{ ok?: boolean; "my key"?: number[]; n?: { a?: string } }',
    ],
    [
      "return { path: args.path, n: args.n, other: args.other }",
      "{ path?: string; n?: number; other?: unknown }",
    ],
    ["const { path } = args; return { path }", "{ path?: string }"],
    ["return { x: path }", "{ x?: string }"],
    ["return { f() { return 1 }, get g() { return 1 }, [args.k]: 1 }", "{ g?: unknown }"],
    ["const a = { x: 1 }; return { ...a, y: 2 }", "{ x?: number; y?: number }"],
    ["const a = { x: 1 }; return { x: 'a', ...a }", "{ x?: number }"],
    ["return { x: 1, ...args.more, y: 2 }", "{ x?: unknown; y?: number }"],
    ["return { ['__proto__']: 1, __proto__: null, z: 1 }", "{ __proto__?: number; z?: number }"],
    ["return { a: 1 } as const", "{ a?: number }"],
  ])("of fields: %s", check);

  it.each([
    ["return await mcp.fs.list({})", "{ name?: string; age?: number }[]"],
    ["return mcp.fs.text({})", "string"],
    ["return await mcp.fs.other({})", "unknown"],
    ["const r = await mcp.fs.read({}); return r.data", "{ name?: string; age?: number }"],
    [
      "const { data, size: s } = await mcp.fs.read({}); return { who: data.name, s }",
      "{ who?: string; s?: number }",
    ],
    [
      "const r = await mcp.fs.read({}); return { ...r, extra: 1 }",
      "{ data?: { name?: string; age?: number }; size?: number; extra?: number }",
    ],
    [
      "const l = await mcp.fs.list({}); return { first: l[0], count: l.length }",
      "{ first?: { name?: string; age?: number }; count?: number }",
    ],
    ["return (await mcp.fs.read({}))?.data?.name", "string"],
    ["const r = await mcp.fs.read({}); r.data = 1; return r", "Record<string, unknown>"],
    ["return await mcp.num.inc({})", "unknown"],
    ["return (await mcp.fs.deep({})).who", "{ id?: string; up?: Record<string, unknown> }"],
    ["return { all: (await mcp.fs.deep({})).all }", "{ all?: unknown[] }"],
    [
      "return args.x ? (await mcp.fs.deep({})).who : (await mcp.fs.like({})).who",
      "{ id?: string; up?: unknown }",
    ],
    ["let { data } = await mcp.fs.read({}); data = 1; return data", "unknown"],
  ])("of tools: %s", check);

  it.each([
    ["return JSON.stringify(args)", "string"],
    ["return Object.keys(args.x)", "string[]"],
    ["return Object.entries(args.x)", "unknown[]"],
    ["return Math.max(1, 2)", "number"],
    ["return Date.now()", "number"],
    ["return args.text.split(',')", "string[]"],
    ["return args.list.join(',')", "string"],
    ["return (await mcp.fs.list({})).filter((each) => each.age > 3)", "{ name?: string; age?: number }[]"],
    [
      "return (await mcp.fs.list({})).map((each) => ({ id: each.name, n: 1 }))",
      "{ id?: unknown; n?: number }[]",
    ],
    [
      "return await Promise.all(args.list.map(async (path) => { return { path, r: (await mcp.fs.read({ path })).size } }))",
      "{ path?: unknown; r?: number }[]",
    ],
    ["return await Promise.all([mcp.fs.text({}), mcp.fs.text({})])", "string[]"],
    ["return (await mcp.fs.text({})).slice(1)", "string"],
    ["return args.x.slice(1)", "unknown"],
    ["async function main() { return { a: 1 } } return await main()", "{ a?: number }"],
    ["return await (async () => { if (args.x) return { a: 1, b: 2 }; return { a: 2 } })()", "{ a?: number }"],
    ["const f = (n) => n < 1 ? { n } : f(n - 1); return f(3)", "unknown"],
    ["return (function* () { yield 1; return 2 })()", "unknown"],
    ["const x = { join: () => 1 }; return x.join()", "number"],
  ])("of calls: %s", check);

  it.each([
    ["if (args.x) return { a: 1, b: 'x' }; return { a: 2, c: 1 }", "{ a?: number }"],
    ["if (args.x) return { a: 1 }; else return { a: 'x' }", "{ a?: unknown }"],
    ["return args.x ? [1] : ['a']", "unknown[]"],
    ["return args.x ? 1 : args.n", "number"],
    ["return args.path ?? 'a'", "string"],
    ["if (args.x) return null; return { a: 1 }", "unknown"],
    ["if (args.x) return; return { a: 1 }", "unknown"],
    ["if (args.x) return { a: 1 }", "unknown"],
    ["if (args.x) throw new Error('no'); return { a: 1 }", "{ a?: number }"],
    ["try { return { a: 1 } } catch (e) { return { a: 2, error: String(e) } }", "{ a?: number }"],
    ["try { return { a: 1 } } catch {}", "unknown"],
    ["try { return { a: 1 } } finally { console.log(1) }", "{ a?: number }"],
    ["for (const x of args.list) { return { a: 1 } }", "unknown"],
    ["await mcp.fs.read({})", "unknown"],
    ["const out = []; for (const x of args.list) out.push(x); return out", "unknown[]"],
    ["const out = { n: 1 }; out.n = 'x'; out.m = 2; return out", "Record<string, unknown>"],
    ["let x = 1; x = 'a'; return x", "unknown"],
    ["const f = () => { return 5 }; return { a: 1 }", "{ a?: number }"],
    ["return {", "unknown"],
    ["", "unknown"],
  ])("of several ways: %s", check);

  it("asks the caller for the result types of capabilities", () => {
    const outputOf = (): Json => PERSON;
    expect(resultSchema("return await mcp.num.inc({})", VOCABULARY, { outputOf })).toEqual(PERSON);
  });

  it("hands on a schema that refers to itself whole, and no part of it that would refer to nothing", () => {
    expect(resultSchema("return await mcp.fs.deep({})", VOCABULARY)).toMatchObject({ $defs: {} });
    expect(JSON.stringify(resultSchema("return [await mcp.fs.deep({})]", VOCABULARY))).not.toContain("$ref");
  });

  it("ends soon and stays small, whatever the code", () => {
    const lines = Array.from(
      { length: 60 },
      (_, i) => `const a${i + 1} = { x: a${i}, y: a${i}, z: a${i}, u: [a${i}, a${i}] };`,
    );
    const doubling = `const a0 = await mcp.fs.read({});\n${lines.join("\n")}\nreturn a60`;
    expect(JSON.stringify(resultSchema(doubling, VOCABULARY) ?? {}).length).toBeLessThan(5_000);
    const deep = `return ${"[".repeat(90)}1${"]".repeat(90)}`;
    expect(JSON.stringify(resultSchema(deep, VOCABULARY) ?? {}).length).toBeLessThan(5_000);
    expect(resultSchema("function f() { return [f()] } return f()", VOCABULARY)).toMatchObject({
      type: "array",
    });
  });
});

describe("[ID-13] the kind of what code returns", () => {
  it("is that of what it returned", async () => {
    const leaf = fc.constantFrom(
      "1",
      "'a'",
      "true",
      "null",
      "args.path",
      "args.n",
      "`x`",
      "-2",
      "1 < 2",
      "'a' + 1",
      "3 - 1",
    );
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("expression"), { maxLength: 3 }).map((all) => `[${all.join(", ")}]`),
        fc
          .array(fc.tuple(fc.constantFrom("a", "b", "c"), tie("expression")), { maxLength: 3 })
          .map((all) => `{ ${all.map(([key, value]) => `${key}: ${value}`).join(", ")} }`),
        fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `(args.n > 1 ? ${a} : ${b})`),
        fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `(${a} ?? ${b})`),
        fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `(${a} && ${b})`),
        tie("expression").map((text) => `((x) => { const y = ${text}; return y })(1)`),
        tie("expression").map((text) => `{ ...{ a: 0 }, ...(${text}) }`),
        tie("expression").map((text) => `[1].map(() => (${text}))`),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(expression, async (text) => {
        const schema = resultSchema(`return ${text}`, VOCABULARY, { parameters: PARAMETERS });
        const value: unknown = new Function("args", `return ${text}`)({ path: "p", n: 2 });
        const json: unknown = JSON.parse(JSON.stringify(value ?? null));
        expect(
          misfit(schema, json),
          `${text} is ${JSON.stringify(json)}, not ${JSON.stringify(schema)}`,
        ).toBe(false);
      }),
      { numRuns: 500 },
    );
  });
});

function misfit(schema: unknown, value: unknown): boolean {
  const { type, properties = {}, items = {} } = (schema ?? {}) as Readonly<Record<string, unknown>>;
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (type !== undefined && type !== kind && !(type === "integer" && kind === "number")) return true;
  if (Array.isArray(value)) return value.some((item) => misfit(items, item));
  if (kind !== "object") return false;
  return Object.entries(value as object).some(([key, field]) =>
    misfit((properties as Readonly<Record<string, unknown>>)[key], field),
  );
}
