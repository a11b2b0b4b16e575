import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { testVocabulary } from "../../../test/support/vocabulary.js";
import { analyse } from "../analyse.js";
import { dataFlow } from "../data/data-flow.js";
import { findFlow } from "../flow/flow.js";
import { findReferences } from "../names/references.js";
import { applyEdits, wrapEdits } from "../syntax/edits.js";
import { eraseTypes } from "../syntax/erase-types.js";
import { parseCode } from "../syntax/parse-code.js";
import { resolveScopes } from "../syntax/scopes.js";
import { SourceText } from "../syntax/source-text.js";
import type { Vocabulary } from "../vocabulary.js";
import { liftedCodeEdits, liftWraps } from "./lifting.js";
import { findReads } from "./parameter-reads.js";
import { findParameters, type Parameters } from "./parameters.js";

interface Lifted extends Parameters {
  /** For people, and as it runs. */
  readonly code: string;
  readonly runs: string;
}

/** `§` in code is a dollar sign. */
function lift(written: string, vocabulary: Vocabulary = sampleVocabulary): Lifted {
  const source = new SourceText(written.replaceAll("§", "$"));
  const { body, problems } = parseCode(source);
  expect(problems).toEqual([]);
  if (body === undefined) throw new Error(`Cannot parse ${written}`);
  const scopes = resolveScopes(body);
  const references = findReferences(scopes, vocabulary);
  const reads = findReads(scopes);
  const { nodes } = findFlow(source, body, scopes, references);
  const calls = nodes.flatMap((node) => (node.type === "call" ? [node.use] : []));
  const data = dataFlow(scopes, references, reads);
  const found = findParameters(source, scopes, references, reads, data, calls);
  return {
    ...found,
    code: applyEdits(source.text, liftedCodeEdits(found.lifted)).text,
    runs: applyEdits(source.text, [...eraseTypes(source.text, scopes), ...wrapEdits(liftWraps(found.lifted))])
      .text,
  };
}

/** What is lifted, in order: each name with its default. */
function check(code: string, expected: string): void {
  const { lifted } = lift(code);
  expect(lifted.map(({ name, value }) => `${name} = ${JSON.stringify(value)}`).join(", ")).toBe(expected);
}

describe("[AN-8] what looks like a secret stays where it is", () => {
  it.each([
    ["mcp.t.echo({ text: 'x', password: 'hunter2', api_key: 'k', clientSecret: 's' })", 'text = "x"'],
    ["mcp.t.echo({ text: 'x', 'x-api-key': 'k' })", 'text = "x"'],
    [
      "mcp.t.echo({ headers: { Authorization: 'Bearer abcdefgh123', Accept: 'text/plain' } })",
      'Accept = "text/plain"',
    ],
    ["mcp.t.echo({ list: ['a', 'ghp_abcdefghijklmnopqrst'] })", 'list = "a"'],
    ["const t = 'eyJhbGciOiJIUzI1NiJ9.e30.x'; mcp.t.echo({ text: t })", ""],
    ["mcp.t.echo({ text: '-----BEGIN RSA PRIVATE KEY-----' })", ""],
    [
      "mcp.t.echo({ page_token: 'p2', max_tokens: 100, token: '', secret: true })",
      'page_token = "p2", max_tokens = 100, token = "", secret = true',
    ],
  ])("%j", check);
});

describe("[AN-8] a literal that is passed to a tool becomes a parameter", () => {
  it.each([
    ["mcp.fs.readFile({ path: 'a.json' })", 'path = "a.json"'],
    ["mcp.fs.readFile({ path: `a.json` })", 'path = "a.json"'],
    [
      "mcp.fs.readFile({ 'path': 'a', [`mode`]: 'b', ['fil' + 'ter']: 'c' })",
      'path = "a", mode = "b", filter = "c"',
    ],
    [
      "mcp.t.echo({ times: 2, f: -1.5, deep: true, n: null, text: '' })",
      'times = 2, f = -1.5, deep = true, n = null, text = ""',
    ],
    [
      "mcp.t.echo({ text: 'a' as const, b: <string>'b', c: 'c'!, d: ('d' satisfies string) })",
      'text = "a", b = "b", c = "c", d = "d"',
    ],
    [
      "mcp.t.echo({ list: [1, 'a', [null]], o: { a: { b: 1 }, 'c-d': [] }, e: {}, f: [] })",
      'list = [1,"a",[null]], o = {"a":{"b":1},"c-d":[]}, e = {}, f = []',
    ],
    ["mcp.t.echo({ times: +2, f: +2.5, list: [+1, -1] })", "times = 2, f = 2.5, list = [1,-1]"],
    ["const read = mcp.fs.readFile; await read?.({ path: 'a' })", 'path = "a"'],
    ["list.map((x) => mcp['fs:read_file']({ path: x, mode: 'text' }))", 'mode = "text"'],
    [
      "mcp.t.echo({ 'a-b': 1, 2: 'x', constructor: 3, toString: 4 })",
      'a-b = 1, 2 = "x", constructor = 3, toString = 4',
    ],
    ["mcp.t.echo({ text: 'kept', ...args.more })", 'text = "kept"'],
    ["mcp.t.echo({ text: 'a', text: 'b' })", 'text = "b"'],
    ["mcp.t.echo({ ...{ text: 'a' }, times: 1 })", 'text = "a", times = 1'],
    ["mcp.t.echo({ text: 'a' }, 'ignored')", 'text = "a"'],
  ])("%j", check);
});

describe("[AN-8] what is not a literal passed to a tool stays as it is", () => {
  it.each([
    ["capabilities.fs.readJson({ path: 'a' })", ""],
    ["mcp.fs.readJson({ path: 'a' })", ""],
    ["const o = { path: 'a' }; f(o); return 'b'", ""],
    ["mcp.t.echo('a'); mcp.t.echo(['a']); mcp.t.echo(); mcp.t.echo(...x)", ""],
    ["mcp.t.echo({ text: args.x ?? 'b' })", ""],
    ["mcp.t.echo({ text: x || 'b', times: flag ? 1 : 2 })", ""],
    ["mcp.t.echo({ text: 'a' + x, b: 'a' + 'b', c: ~1, d: !0, e: -x })", ""],
    ["mcp.t.echo({ text: `a§{x}b`, b: `§{1}` })", ""],
    ["mcp.t.echo({ a: undefined, b: /x/, c: 1n, d: () => 'x', e() {}, f: NaN, g: 1e999, h: -1e999 })", ""],
    ["mcp.t.echo({ a: ('x', 'y'), b: String('x'), c: tag`x`, d: ['a'].length })", ""],
    ["mcp.t.echo({ get text() { return 'a' } })", ""],
    ["mcp.t.echo({ [key]: 'a' })", ""],
    ["mcp.t.echo({ '': 'a', ['__proto__']: 'b', __proto__: { x: 'c' } })", ""],
    ["mcp.t.echo(flag ? { text: 'a' } : { text: 'b' })", ""],
    ["list.map(mcp.t.echo); mcp.t.echo.call(null, { text: 'a' })", ""],
    ["const say = (text) => mcp.t.echo({ text }); say('a')", ""],
    ["for (const path of ['a', 'b']) mcp.fs.readFile({ path })", ""],
    ["const say = (text = 'a') => mcp.t.echo({ text }); say()", ""],
    ["mcp[args.server].echo({ text: 'a' })", ""],
  ])("%j", check);

  it("also where its name or the literal is too long, or it is too deep", () => {
    const long = "x".repeat(101);
    check(
      `mcp.t.echo({ ${long}: 1, text: '${"x".repeat(9_999)}', o: ${"[".repeat(21)}${"]".repeat(21)} })`,
      "",
    );
    check(`mcp.t.echo({ text: '${"x".repeat(9_998)}' })`, `text = "${"x".repeat(9_998)}"`);
    check(
      `mcp.t.echo({ list: [${"1,".repeat(6_000)}], o: ${"[".repeat(20)}${"]".repeat(20)} })`,
      `o = ${"[".repeat(20)}${"]".repeat(20)}`,
    );
  });

  it("and beyond the first 200", () => {
    const { lifted, parameters } = lift("mcp.t.echo({ text: 'a' });".repeat(300));
    expect(lifted.at(-1)?.name).toBe("text_200");
    expect(Object.keys(parameters.properties)).toHaveLength(200);
  });
});

describe("[AN-8] a literal in a field that is not wholly literal is named by its own key", () => {
  it.each([
    ["mcp.t.echo({ body: { page: p.body, kind: 'x' } })", 'kind = "x"'],
    [
      "mcp.t.echo({ body: { page: p, meta: { a: 1, b: [2] }, more: { q, c: 3 } } })",
      'meta = {"a":1,"b":[2]}, c = 3',
    ],
    ["mcp.t.echo({ tags: ['a', x, 'b'] })", 'tags = "a", tags_2 = "b"'],
    [
      "mcp.t.echo({ rows: [{ id: 1, at }, { id: 2, at }, { id: 3 }, ...rest, [4, x]] })",
      'id = 1, id_2 = 2, rows = {"id":3}, rows_2 = 4',
    ],
    ["mcp.t.echo({ list: [1, , 2] })", "list = 1, list_2 = 2"],
    ["mcp.t.echo({ o: { __proto__: { a: 1 }, b: 2 } })", "b = 2"],
    ["mcp.t.echo({ o: { a: 1, a: x, b: 2, ...more } })", "b = 2"],
    ["mcp.t.echo({ o: { t: `§{x}`, u: `y`, v: f('z'), [`w`]: 1 } })", 'u = "y", w = 1'],
  ])("%j", check);
});

describe("[AN-8] names", () => {
  it.each([
    ["mcp.t.echo({ text: 'a' }); mcp.t.echo({ text: 'b' })", 'text = "a", text_2 = "b"'],
    ["mcp.t.echo({ text: 'a' }); mcp.t.echo({ text: 'a' })", 'text = "a", text_2 = "a"'],
    [
      "mcp.t.echo({ text: (await mcp.t.echo({ text: 'first' })).x, o: { text: 'second', x } })",
      'text = "first", text_2 = "second"',
    ],
    ["mcp.fs.readFile({ path: 'a' }); return args.path", 'path_2 = "a"'],
    [
      "const { path_2 } = args; mcp.fs.readFile({ path: 'a' }); mcp.fs.readFile({ path: 'b' }); return path_2",
      'path = "a", path_3 = "b"',
    ],
    ["mcp.fs.readFile({ path }); mcp.fs.readFile({ path: 'a' })", 'path_2 = "a"'],
    [
      "mcp.t.echo({ text_2: 1, text: 2 }); mcp.t.echo({ text: 3, args: 4 })",
      "text_2 = 1, text = 2, text_3 = 3, args_2 = 4",
    ],
    [
      "if (x) await mcp.fs.readFile({ path: 'a' }); else await mcp.fs.write({ path: 'b', content: 'c' })",
      'path = "a", path_2 = "b", content = "c"',
    ],
    [
      "const path = 'a'; { const path = 'b'; mcp.fs.readFile({ path }) } mcp.fs.readFile({ path })",
      'path = "b", path_2 = "a"',
    ],
  ])("%j", check);
});

describe("[AN-8] names are counted in the order in which tools are called", () => {
  it.each([
    [
      "const f = () => mcp.fs.readFile({ path: 'b' }); await mcp.fs.readFile({ path: 'a' }); await f()",
      'path = "a", path_2 = "b"',
    ],
    [
      "const f = () => mcp.fs.readFile({ path: 'a' }); await f(); await mcp.fs.readFile({ path: 'b' })",
      'path = "a", path_2 = "b"',
    ],
    [
      "await mcp.fs.readFile({ path: 'a' }); await f(); function f() { return g() } function g() { return mcp.fs.readFile({ path: 'b' }) }",
      'path = "a", path_2 = "b"',
    ],
    [
      "function f() { return mcp.fs.readFile({ path: 'c' }) } await mcp.fs.write({ path: 'b', content: await mcp.fs.readFile({ path: 'a' }) }); f()",
      'path = "a", path_2 = "b", path_3 = "c"',
    ],
  ])("%j", check);
});

describe("[AN-8] a shared constant is one parameter", () => {
  it.each([
    ["const path = 'a'; mcp.fs.readFile({ path })", 'path = "a"'],
    ["const dir = 'x'; mcp.fs.readFile({ path: dir }); mcp.t.echo({ text: dir })", 'path = "x"'],
    [
      "const d = 'x'; mcp.t.echo({ text: `§{d}/y` }); mcp.fs.readFile({ path: d }); if (d === 'x') return d",
      'path = "x"',
    ],
    ["let d = 'x' as const; var n = 1; mcp.t.echo({ text: d, times: n })", 'text = "x", times = 1'],
    ["async function f() { const d = 'x'; await mcp.t.echo({ text: d }) } f(); f()", 'text = "x"'],
    ["const d = 'x'; const f = () => mcp.t.echo({ text: d }); f()", 'text = "x"'],
    [
      "const list = [1, 2]; mcp.fs.readFile({ ranges: list }); mcp.fs.readFile({ ranges: list })",
      "ranges = [1,2]",
    ],
    [
      "const o = { deep: true }; mcp.fs.readFile({ options: o, path: 'a' })",
      'options = {"deep":true}, path = "a"',
    ],
    ["const o = { deep: x, kind: 'y' }; mcp.fs.readFile({ options: o })", 'kind = "y"'],
    [
      "const path = 'a'; const out = {}; out[path] = await mcp.fs.readFile({ path }); return { [path]: out }",
      'path = "a"',
    ],
    [
      "const path = 'a'; const f = await mcp.fs.readFile({ path }); return f[path] + f.x?.[`§{path}`]",
      'path = "a"',
    ],
    ["const d = 'x'; mcp.t.echo({ text: d }); capabilities.fs.readJson({ path: d })", 'text = "x"'],
  ])("%j", check);
});

describe("[AN-8] an object that is spread into calls, or is their argument, is lifted by key", () => {
  it.each([
    [
      "const base = { path: 'a', mode: 'text' }; mcp.fs.readFile({ ...base, filter: 'x' })",
      'path = "a", mode = "text", filter = "x"',
    ],
    [
      "const base = { path: 'a' }; mcp.fs.readFile(base); mcp.fs.readFile({ ...base, mode: 'text' })",
      'path = "a", mode = "text"',
    ],
    [
      "const base = { path: 'a' }; mcp.fs.readFile({ ...base, path: 'b' }); mcp.fs.readFile(base)",
      'path = "b", path_2 = "a"',
    ],
    [
      "const a = { path: 'a' }; const b = { ...a, mode: 'text' }; mcp.fs.readFile(b)",
      'path = "a", mode = "text"',
    ],
    ["const base = { x: 1 }; mcp.t.echo({ o: { ...base, y } })", "x = 1"],
    ["const base = { path: 'a' }; mcp.fs.readFile({ filter: flag ? base : 1, ...base })", 'path = "a"'],
    ["const dir = 'd'; const base = { path: dir }; mcp.fs.readFile(base)", 'path = "d"'],
  ])("%j", check);
});

describe("[AN-8] a constant that must stay what it is", () => {
  it.each([
    ["const s = 'fs'; mcp[s].readFile({ path: s })", ""],
    ["const s = 'fs'; const k = `§{s}:read_file`; mcp[k]({ path: s })", ""],
    ["const t = 'readFile'; const fs = mcp.fs; fs[t]({ path: t })", ""],
    ["const t = 'readFile'; const { [t]: read } = mcp.fs; read({ path: t })", ""],
    ["const k = 'x'; mcp.t.echo({ text: k }); return args[k]", ""],
    ["const k = 'x'; mcp.t.echo({ text: k }); const { [k]: y } = args; return y", ""],
    ["const k = 'x'; mcp.t.echo({ text: k }); return k in args", ""],
    ["const k = 'x'; mcp.t.echo({ text: k, [k]: y })", ""],
    ["const k = 'x'; mcp.t.echo({ text: k }); const f = { x: () => mcp.t.danger() }; f[k]()", ""],
    ["const d = 'x'; const a = args.a ?? d; mcp.t.echo({ text: d, a })", ""],
    ["const d = 'x'; const { a = d } = args; mcp.t.echo({ text: d, a })", ""],
    ["let d = 'x'; d = 'y'; mcp.t.echo({ text: d })", ""],
    ["if (x) { var d = 'x' } mcp.t.echo({ text: d })", ""],
    ["switch (x) { case 1: const d = 'x'; mcp.t.echo({ text: d }) }", ""],
    ["const o = { a: 1 }; o.a = 2; mcp.t.echo({ o })", ""],
    ["const o = { a: 1 }; mcp.t.echo({ o, text: o.a })", ""],
    ["const o = { a: 1 }; mcp.t.echo({ o }); return o", ""],
    ["const o = { a: 1 }; f(o); mcp.t.echo({ ...o })", ""],
    ["const o = { path: 'a' }; mcp.fs.readFile(o); capabilities.fs.readJson(o)", ""],
    ["const list = ['a']; for (const x of list) f(x); mcp.t.echo({ list })", ""],
    ["const o = { path: 'a' }; const { path } = o; mcp.fs.readFile({ path, ...o })", ""],
    ["const a = 'x'; const b = a; mcp.t.echo({ text: b })", ""],
  ])("%j", check);
});

describe("[AN-8] code", () => {
  it.each([
    [
      "await mcp.t.echo({ text: 'a' });",
      "await mcp.t.echo({ text: args.text });",
      "await mcp.t.echo({ text: $pml.given(\"text\", 'a') });",
    ],
    [
      "mcp.t.echo({ 'a-b':`x` as const, é: -1 })",
      "mcp.t.echo({ 'a-b':args[\"a-b\"], é: args.é })",
      'mcp.t.echo({ \'a-b\':$pml.given("a-b", `x`)         , é: $pml.given("é", -1) })',
    ],
    [
      "const path = ('a'); mcp.fs.readFile({ path })",
      "const path = (args.path); mcp.fs.readFile({ path })",
      "const path = ($pml.given(\"path\", 'a')); mcp.fs.readFile({ path })",
    ],
    [
      "const b = { x: 1,\n y: z }; mcp.t.echo({ ...b, o: [\n 1 ] })",
      "const b = { x: args.x,\n y: z }; mcp.t.echo({ ...b, o: args.o })",
      'const b = { x: $pml.given("x", 1),\n y: z }; mcp.t.echo({ ...b, o: $pml.given("o", [\n 1 ]) })',
    ],
    [
      "return capabilities.fs.readJson({ path: 'a' })",
      "return capabilities.fs.readJson({ path: 'a' })",
      "return capabilities.fs.readJson({ path: 'a' })",
    ],
  ])("%j", (written, code, runs) => expect(lift(written)).toMatchObject({ code, runs }));

  it("is stored as it is written; what runs and what people read is not", () => {
    const code = "const p = 'a';\nawait mcp.fs.readFile({ path: p, mode: 'text' });";
    const { savedCode, liftedCode, runnableCode, liftedParameters } = analyse(code, sampleVocabulary);
    expect(savedCode).toBe(code);
    expect(liftedCode).toBe("const p = args.path;\nawait mcp.fs.readFile({ path: p, mode: args.mode });");
    expect(runnableCode).toContain('$pml.given("path", ');
    expect(liftedParameters).toEqual(["path", "mode"]);
  });
});

describe("[AN-8] the schema of a lifted parameter", () => {
  const schemas = (code: string) => lift(code).parameters;

  it("is that of the field, with the literal as default", () =>
    expect(
      schemas("mcp.t.echo({ text: 'a', times: 2 }); mcp.fs.readFile({ mode: 'text', filter: '*' })"),
    ).toEqual({
      type: "object",
      properties: {
        text: { type: "string", description: "What to say", default: "a" },
        times: { type: "integer", default: 2 },
        mode: { type: "string", enum: ["text", "binary"], default: "text" },
        filter: { type: "string", format: "glob", default: "*" },
      },
      required: [],
      additionalProperties: false,
    }));

  it("is that of the field where it is nested, in a list, or passed by a constant", () =>
    expect(
      schemas(
        "const base = { path: 'a' }, deep = true; mcp.fs.readFile({ ...base, options: { deep, x }, ranges: [1, y] })",
      ).properties,
    ).toEqual({
      x: {},
      y: { type: "number" },
      path: { type: "string", default: "a" },
      deep: { type: "boolean", default: true },
      ranges: { type: "number", default: 1 },
    }));

  it("is the type of the literal where the field says nothing, or something else", () =>
    expect(
      schemas("mcp.t.echo({ text: 1, times: 1.5, a: 'x', b: [1], c: { d: 1 }, e: null, f: true })")
        .properties,
    ).toEqual({
      text: { type: "number", description: "What to say", default: 1 },
      times: { type: "number", default: 1.5 },
      a: { type: "string", default: "x" },
      b: { type: "array", default: [1] },
      c: { type: "object", default: { d: 1 } },
      e: { default: null },
      f: { type: "boolean", default: true },
    }));

  it("comes after those of parameters that are read, and requires nothing", () => {
    const { parameters } = lift("mcp.t.echo({ text: 'a', times: args.n }); return args.z ?? 1");
    expect(Object.keys(parameters.properties)).toEqual(["n", "z", "text"]);
    expect(parameters.required).toEqual(["n"]);
  });

  it("leaves names and defaults to the code alone", () => {
    const bare: Vocabulary = {
      ...sampleVocabulary,
      resolve(reference) {
        const meaning = sampleVocabulary.resolve(reference);
        return meaning?.kind === "tool" ? { ...meaning, inputSchema: {} } : meaning;
      },
    };
    const code = "const p = 'a'; mcp.fs.readFile({ path: p, mode: 'other', options: { deep: 'no', x } })";
    const facts = (found: Lifted) => [found.lifted.map(({ name, value }) => [name, value]), found.runs];
    expect(facts(lift(code, bare))).toEqual(facts(lift(code)));
  });
});

describe("[AN-8] a field that takes anything", () => {
  const untyped = testVocabulary(
    {
      kv: {
        put: {
          inputSchema: {
            type: "object",
            properties: {
              value: {},
              yes: true,
              noted: { title: "Noted", description: "Anything", default: null, "x-order": 1 },
              object: { type: "object", properties: { inner: {}, name: { type: "string" } } },
              list: { type: "array", items: {} },
              never: { not: { type: "string" } },
            },
          },
        },
        raw: { inputSchema: {} },
      },
    },
    [],
  );
  const typed = (code: string) =>
    lift(code, untyped)
      .lifted.map(({ name, schema: { type, default: _, ...rest } }) =>
        [name, type ?? "any", ...Object.keys(rest)].join(" "),
      )
      .join(", ");

  it.each([
    ["mcp.kv.put({ value: { a: 1 } })", "value any"],
    ["mcp.kv.put({ value: 'a', yes: [1] })", "value any, yes any"],
    ["mcp.kv.put({ noted: 7 })", "noted any description"],
    ["mcp.kv.put({ object: { inner: { a: 1 }, name: 'x', more: args.x } })", "inner any, name string"],
    ["mcp.kv.put({ value: { a: { b: 1, c: args.x }, l: ['x', args.x] } })", "b any, l any"],
    ["mcp.kv.put({ list: [{ a: 1 }, args.x] })", "list any"],
    ["mcp.kv.put({ object: { unknown: 1, more: args.x }, other: 'a' })", "unknown number, other string"],
    ["mcp.kv.put({ never: 1 })", "never number"],
    ["mcp.kv.raw({ value: 'a' })", "value string"],
    [
      "const a = 'x'; mcp.kv.put({ value: a }); mcp.kv.put({ object: { name: a, more: args.x } })",
      "value string",
    ],
  ])("%j: its parameter takes anything too", (code, expected) => expect(typed(code)).toBe(expected));
});

describe("[AN-14] lifting ends soon", () => {
  it.each([
    ["a long sum", `const d = 'x'; mcp.t.echo({ text: d, b: ${"d + ".repeat(3_000)} d })`, 1],
    [
      "an object in each of many calls",
      `const o = { ${Array.from({ length: 3_000 }, (_, i) => `k${i}: z`).join()} }; ${"mcp.t.echo({ ...o, x: 1 });".repeat(5_000)}`,
      16,
    ],
    ["deep objects", `mcp.t.echo({ o: ${"{ a: [".repeat(400)} x, 1 ${"] }".repeat(400)} })`, 1],
    [
      "many constants made of one another",
      `const a0 = 'x'; ${Array.from({ length: 5_000 }, (_, i) => `const a${i + 1} = a${i} + a${i};`).join("")} mcp.t.echo({ text: a0 })`,
      1,
    ],
    [
      "objects of one another",
      `const a0 = { x: 1, y }; ${Array.from({ length: 3_000 }, (_, i) => `const a${i + 1} = { ...a${i}, o: a${i} };`).join("")} mcp.t.echo(a3000)`,
      0,
    ],
  ])("for %s", (_, code, count) => expect(lift(code).lifted).toHaveLength(count));
});

const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c d", "1", "path"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** Calls with literals everywhere: in fields, in lists beside other values, in constants, spread. */
const programs = fc.array(
  fc.record({
    style: fc.constantFrom("field", "nested", "constant", "shared", "spread", "argument", "template"),
    key: fc.constantFrom("path", "text", "a-b", "args"),
    value: json,
  }),
  { minLength: 1, maxLength: 6 },
);

function write(program: readonly { style: string; key: string; value: unknown }[]): string {
  const lines = program.map(({ style, key: name, value }, index) => {
    const [key, text, c] = [JSON.stringify(name), JSON.stringify(value), `c${index}`];
    switch (style) {
      case "field":
        return `await mcp.t.echo({ ${key}: ${text} });`;
      case "nested":
        return `await mcp.t.echo({ o: { ${key}: ${text}, l: [${text}, seen.length, { ${key}: ${text} }] } });`;
      case "constant":
        return `const ${c} = ${text}; await mcp.t.echo({ ${key}: ${c} });`;
      case "shared":
        return `const ${c} = ${text}; await mcp.t.echo({ ${key}: ${c} }); await mcp.t.danger({ x: ${c}, y: [${c}] });`;
      case "spread":
        return `const ${c} = { ${key}: ${text}, z: seen.length }; await mcp.t.echo({ ...${c}, z: 1 }); await mcp.t.danger(${c});`;
      case "argument":
        return `for (let i = 0; i < 2; i++) await mcp.t.echo({ i, ${key}: ${text} });`;
      default:
        return `const ${c} = ${JSON.stringify(text)}; await mcp.t.echo({ ${key}: ${c}, u: \`<\${${c}}>\` }); seen.push(${c});`;
    }
  });
  return `const seen = [];\n${lines.join("\n")}\nreturn seen;`;
}

type Given = (name: string, literal: unknown) => unknown;
const AsyncFunction = (async () => {}).constructor as new (
  ...texts: string[]
) => (...given: unknown[]) => Promise<unknown>;

/** Calls of tools, and what the code returns. */
async function ran(code: string, given: Given): Promise<string> {
  const calls: unknown[] = [];
  const tool = (name: string) => async (args: unknown) => void calls.push([name, structuredClone(args)]);
  const mcp = { t: { echo: tool("echo"), danger: tool("danger") } };
  calls.push(await new AsyncFunction("mcp", "$pml", "args", code)(mcp, { given }, {}));
  return JSON.stringify(calls);
}

describe("[AN-8] what runs", () => {
  it("does as written where nothing is given", async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const code = write(program);
        const { runs, lifted } = lift(code);
        expect(lifted.length).toBeGreaterThan(0);
        expect(await ran(runs, (_, literal) => literal)).toBe(await ran(code, () => undefined));
      }),
      { numRuns: 200 },
    );
  });

  it("asks for each parameter by the name and with the default that are told", async () => {
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const { runs, lifted } = lift(write(program));
        const asked = new Map<string, unknown>();
        await ran(runs, (name, literal) => {
          asked.set(name, literal);
          return literal;
        });
        expect(asked).toEqual(new Map(lifted.map(({ name, value }) => [name, value])));
      }),
      { numRuns: 100 },
    );
  });

  it("takes what is given, in every place that shares a constant", async () => {
    const { runs } = lift(
      "const d = 'x'; await mcp.t.echo({ text: d, times: 1 }); await mcp.t.echo({ text: `<§{d}>`, times: 2 })",
    );
    const given: Readonly<Record<string, unknown>> = { text: "y", times_2: 9 };
    expect(await ran(runs, (name, literal) => given[name] ?? literal)).toBe(
      '[["echo",{"text":"y","times":1}],["echo",{"text":"<y>","times":9}],null]',
    );
  });
});
