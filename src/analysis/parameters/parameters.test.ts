import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { isJsonObject } from "../../base/json-object.js";
import { analyse } from "../analyse.js";

/** Code in (`§` is a dollar sign); out come the parameters in order: `name` if required, else `name?`, its type, its default. */
function check(code: string, expected: string): void {
  const { parameters, problems } = analyse(code.replaceAll("§", "$"), sampleVocabulary);
  expect(problems).toEqual([]);
  const shown = Object.entries(parameters.properties).map(([name, schema]) => {
    const { type, default: fallback } = isJsonObject(schema) ? schema : {};
    return [
      `${name}${parameters.required.includes(name) ? "" : "?"}`,
      ...(type === undefined ? [] : [`: ${String(type)}`]),
      ...(fallback === undefined ? [] : [` = ${JSON.stringify(fallback)}`]),
    ].join("");
  });
  expect(shown.join(", ")).toBe(expected);
}

describe("[AN-7] where parameters are found", () => {
  it.each([
    ["return args.a + args['b'] + args[`c`]", "a, b, c"],
    ["const { a, b: c, 'd-e': f } = args; return [a, c, f]", "a, b, d-e"],
    ["const { a: { b }, c: [d], ...rest } = args; return rest.e", "a, c, e"],
    ["const a = args; const b = a; return b.c", "c"],
    ["const { a } = args ?? {}; return a", "a"],
    ["let a; ({ a } = args)", "a"],
    ["async function main({ a, b = 1 }) { return [a, b] } return main(args)", "a, b? = 1"],
    ["return ((x) => x.a)(args)", "a"],
    ["return path.length + limit", "path, limit"],
    ["const key = 'a'; return args[key]", "a"],
    ["return args[x]", "x"],
    ["f({ ...args }); return args", "f"],
    ["return args.__proto__ + args.constructor + args.toString", "__proto__, constructor, toString"],
    ["args.a = 1; return x.args.b", "a?, x"],
    ["const args = {}; return args.a", ""],
    ["console.log(JSON, Math, undefined, NaN, globalThis, pml, structuredClone, ToolError, Intl)", ""],
    ["declare const url: string; return url", "url"],
    ["type A = B; return (x as C).y", "x"],
    ["a: for (const b of c) { continue a }", "c"],
    ["switch (a) { default: let a = 1; f(a) }", "a, f"],
    ["const f = (a, { b }) => [a, b]; f(...x, args); f(args.c, ...args)", "x, c"],
    ["b(); const { a } = args; a(); args.c()", "b, a, c"],
  ])("%j", check);

  it("tells which are free identifiers", () =>
    expect(analyse("return args.a + b + args.c + d", sampleVocabulary).freeParameters).toEqual(["b", "d"]));
});

describe("[AN-7] what parameters must be", () => {
  it.each([
    ["mcp.fs.readFile({ path: args.p })", "p: string"],
    ["mcp.fs.readFile({ path })", "path: string"],
    ["const { path } = args; mcp.fs.readFile({ path })", "path: string"],
    ["const p = args.p; mcp.fs.readFile({ path: p })", "p: string"],
    ["mcp.fs.readFile({ path: (await args.p) as string })", "p: string"],
    ["mcp.fs.readFile({ path: args.p ?? args.q })", "p?: string, q: string"],
    ["mcp.fs.readFile({ path: a ? args.p : args.q })", "a?, p: string, q: string"],
    ["mcp.fs.readFile({ options: { deep: args.d }, ranges: [args.r] })", "d: boolean, r: number"],
    [
      "mcp.fs.readFile({ ranges: args.r, options: args.o, filter: args.f })",
      "r: array, o: object, f: string",
    ],
    ["mcp.fs.readFile(args.all)", "all: object"],
    ["mcp.fs.readFile({ filters: args.f, ranges: args.r })", "f: array, r: array"],
    ["const o = { path: args.p }; mcp.fs.readFile({ ...o, mode: args.m })", "p: string, m: string"],
    ["capabilities.fs.readJson({ path: args.p })", "p: string"],
    ["const read = (p) => mcp.fs.readFile({ path: p }); read(args.p)", "p: string"],
    ["mcp.fs.readFile({ path: `§{args.p}/x` })", "p"],
    ["mcp.fs.readFile({ path: args.p.q })", "p"],
    ["mcp.t.echo({ text: args.a, times: args.a })", "a"],
    ["mcp.t.echo({ nope: args.a }); list.map(mcp.t.echo, args.b)", "a, list, b"],
  ])("%j", check);

  it("takes over what a field says of itself, wherever the parameter was put before", () => {
    const { parameters } = analyse(
      "let text; text = args.a; const o = { m: args.b }; mcp.t.echo({ text }); mcp.fs.readFile({ mode: o.m })",
      sampleVocabulary,
    );
    expect(parameters.properties).toEqual({
      a: { type: "string", description: "What to say" },
      b: { type: "string", enum: ["text", "binary"] },
    });
  });

  it("takes over what a field says of itself, but for its default", () => {
    const { parameters } = analyse(
      "mcp.t.echo({ text: args.a }); mcp.fs.readFile({ mode: args.b })",
      sampleVocabulary,
    );
    expect(parameters).toEqual({
      type: "object",
      properties: {
        a: { type: "string", description: "What to say" },
        b: { type: "string", enum: ["text", "binary"] },
      },
      required: ["a", "b"],
      additionalProperties: false,
    });
  });

  it("leaves out what points elsewhere", () => {
    const { parameters } = analyse("mcp.fs.readFile({ filters: args.a, filter: args.b })", sampleVocabulary);
    expect(parameters.properties).toEqual({ a: { type: "array" }, b: { type: "string", format: "glob" } });
  });

  it("keeps to the type where fields differ in more", () => {
    const { parameters } = analyse(
      "mcp.t.echo({ text: args.a }); mcp.fs.readFile({ mode: args.a })",
      sampleVocabulary,
    );
    expect(parameters.properties).toEqual({ a: { type: "string", description: "What to say" } });
  });
});

describe("[AN-7] what parameters must be that get to a call on other ways", () => {
  it.each([
    ["let text = args.text; text = (await mcp.t.echo({ text })).text", "text: string"],
    ["let t; if (args.a) t = args.a; else t = args.b; mcp.fs.readFile({ path: t })", "a?: string, b: string"],
    ["let p; p = args.p; mcp.fs.readFile({ path: p })", "p: string"],
    ["const o = { p: args.p }; mcp.fs.readFile({ path: o.p })", "p: string"],
    ["const o = { p: { q: args.p } }; mcp.fs.readFile({ path: o.p.q })", "p: string"],
    ["const o = { path: args.p }; const { path } = o; mcp.fs.readFile({ path })", "p: string"],
    ["const o = {}; o.path = args.p; mcp.fs.readFile(o)", "p: string"],
    [
      "const f = ({ to, n }) => mcp.t.echo({ text: to, times: n }); f({ to: args.a, n: args.b })",
      "a: string, b: integer",
    ],
    ["const f = (...all) => mcp.fs.readFile({ path: all[1] }); f(args.a, args.b)", "a, b: string"],
    ["[args.a, args.b].map((path) => mcp.fs.readFile({ path }))", "a: string, b: string"],
    ["for (const path of [args.a, args.b]) mcp.fs.readFile({ path })", "a: string, b: string"],
    ["let { n } = args; if (!n) n = 10; mcp.t.echo({ times: n })", "n?: integer"],
    ["const [a, b] = [args.x, args.y]; mcp.fs.write({ path: a, content: b })", "x: string, y: string"],
    ["const get = () => args.p; mcp.fs.readFile({ path: get() })", "p: string"],
    [
      "const tool = args.w ? mcp.fs.write : mcp.fs.readFile; tool({ path: args.p, content: args.c })",
      "w?, p: string, c: string",
    ],
    ["[{ path: args.p }].map(mcp.fs.readFile)", "p: string"],
    ["const o = { d: args.d }; mcp.fs.readFile({ options: { deep: o.d }, ranges: [o.d] })", "d"],
    ["const o = { d: args.d }; mcp.fs.readFile({ options: { deep: o.d } })", "d: boolean"],
    ["let o; o = { deep: args.d }; mcp.fs.readFile({ options: o })", "d: boolean"],
    ["const list = []; list.push(args.r); mcp.fs.readFile({ ranges: list })", "r: number"],
    ["let o; o = { filters: [args.f] }; mcp.fs.readFile({ ...o })", "f: string"],
    ["mcp.fs.readFile(args.a ? { path: args.p } : { path: args.q })", "a?, p: string, q: string"],
    ["if (args.path) mcp.fs.readFile(args)", "path?: string"],
    ["const o = { p: args.p }; capabilities.fs.readJson({ path: o.p })", "p: string"],
    ["let n; n = args.n; mcp.t.echo({ times: n && Number(n) })", "n"],
    ["mcp.t.echo({ times: args.n && Number(args.n) })", "n?: integer"],
  ])("%j", check);

  it.each([
    ["let p; p = args.p; mcp.fs.readFile({ path: p.q })", "p"],
    ["let p; p = args.p.trim(); mcp.fs.readFile({ path: p })", "p"],
    ["let p; p = `§{args.p}/x`; mcp.fs.readFile({ path: p })", "p"],
    ["const p = String(args.p); mcp.fs.readFile({ path: p })", "p"],
    ["for (const path of args.list) mcp.fs.readFile({ path })", "list"],
    ["let has; has = 'a' in args; mcp.fs.readFile({ path: has })", "a?"],
    ["let o; o = [args.p]; mcp.fs.readFile({ path: o })", "p"],
    ["let a; a = args; mcp.fs.readFile({ path: a, mode: args.args })", "args: string"],
    ["let p = args.p; p = 'x'; return mcp.fs.readFile({ path: p })", "p"],
  ])("not of what is a part of it, or made of it: %j", check);
});

describe("[FP-6] a parameter is required", () => {
  it.each([
    ["return args.a", "a"],
    ["return args.a.b", "a"],
    ["f(args.a?.b); f(args.a)", "f, a"],
    ["if (args.a === 'x') f()", "a, f"],
    ["if (args.b) f(args.a)", "b?, f, a"],
    ["if (!args.a) f(args.a)", "a, f"],
    ["if (!args.a) throw new Error(); return args.a", "a"],
    ["if (args.a || args.b) f(args.a)", "a, b?, f"],
    ["const { a } = args", "a"],
    ["args.b && f(args.a)", "b?, f, a"],
    ["return args.a ? 1 : args.a", "a"],
    ["f(args.a || args.b)", "f, a?, b"],
    ["return (args.a || args.b).c", "a?, b"],
    ["return args.a && args.b", "a?, b"],
    ["return x ? args.a : 1", "x?, a"],
    ["let a = args.a; if (x) a = 1; return a", "a, x?"],
    ["let a = args.a; if (a) a = 1; return a", "a"],
    ["let a = args.a; if (x) a = 1; if (a) return args.a", "a, x?"],
    ["let a = args.a; if (a == null) a = 1; return args.a", "a"],
    ["let a = args.a; if (a == null) { if (x) a = 1 } return a", "a, x?"],
    ["let a = args.a; f(a); a ??= f(); return a", "a, f"],
    ["let a = args.a; a = 1; return a", "a"],
    ["let a = args.a; const g = () => { a = 1 }; g(); return a", "a"],
  ])("%j", check);
});

describe("[FP-6] a parameter is optional", () => {
  it.each([
    ["return args.a?.b", "a?"],
    ["return args?.a", "a?"],
    ["return args.a?.()", "a?"],
    ["if (args.a) f(args.a)", "a?, f"],
    ["if (!args.a) return; f(args.a)", "a?, f"],
    ["for (const x of y) { if (args.a == null) continue; f(args.a) }", "y, a?, f"],
    ["if (args.a !== undefined && x) f(args.a)", "a?, x?, f"],
    ["if (args.a === undefined || x) return; f(args.a)", "a?, x?, f"],
    ["if (null != args.a) f(args.a); else g()", "a?, f, g"],
    ["return args.a ? args.a.b : 0", "a?"],
    ["return !args.a ? 0 : args.a.b", "a?"],
    ["return args.a && args.a.b", "a?"],
    ["return !args.a || args.a.b", "a?"],
    ["if (typeof args.a === 'string') f(args.a)", "a?, f"],
    ["if (typeof a !== 'undefined') f(a)", "a?, f"],
    ["if (Array.isArray(args.a)) f(args.a)", "a?, f"],
    ["if (args.a?.length > 1 && args.a?.length) f(args.a)", "a?, f"],
    ["if ('a' in args) f(args.a)", "a?, f"],
    ["while (args.a) f(args.a)", "a?, f"],
    ["const { a } = args; if (a) f(() => a)", "a?, f"],
    ["const a = args.a; return a ?? b", "a?, b"],
    ["if (x && (y || args.a)) f()", "x?, y?, a?, f"],
    ["return [!args.a, typeof args.b, args.c != null]", "a?, b?, c?"],
    ["args.a && args.b && f()", "a?, b?, f"],
    ["(args.a || args.b) && f()", "a?, b?, f"],
    ["return (x ? args.a : args.b) ?? f()", "x?, a?, b?, f"],
    ["return (args.a ?? args.b)?.c", "a?, b?"],
    ["let a = args.a; if (a === undefined) a = 1; return a", "a?"],
    ["let { a } = args; if (!a) { f(); a = f() } return () => a", "a?, f"],
    ["let a = args.a; a ??= f(); return a", "a?, f"],
    ["let { a } = args; if (a) f(a); a = 1; return a", "a?, f"],
  ])("%j", check);
});

describe("[AN-7] defaults", () => {
  it.each([
    ["return args.a ?? 1", "a? = 1"],
    ["return args.a || 'x'", 'a? = "x"'],
    ["return a ?? [1, { b: -2 }]", 'a? = [1,{"b":-2}]'],
    [
      "const { a = 1, b: c = `x`, d = null, e = f() } = args; return [a, c, d, e]",
      'a? = 1, b? = "x", d? = null, e?, f',
    ],
    ["args.a ??= true; return args.a", "a? = true"],
    ["args.a ||= 5", "a? = 5"],
    ["const a = args.a; return a ?? 1", "a? = 1"],
    ["const FALLBACK = 'x'; return args.a ?? FALLBACK", 'a? = "x"'],
    ["const list = [1]; return args.a ?? list", "a? = [1]"],
    ["const list = [1]; list.push(2); return args.a ?? list", "a?"],
    ["const o = { b: 1 }; o.b = 2; const { a = o } = args; return a", "a?"],
    ["return [args.a ?? 1, args.a ?? 1]", "a? = 1"],
    ["return [args.a ?? 1, args.a ?? 2]", "a?"],
    ["return args.a ?? b", "a?, b"],
    ["return args.a || args.b || 'x'", 'a?, b? = "x"'],
    ["return args.a ?? args.b ?? 5", "a?, b? = 5"],
    ["return (args.a && args.b) ?? 5", "a?, b? = 5"],
    ["if (args.a ?? true) f()", "a? = true, f"],
    ["let { a } = args; a ??= 10", "a? = 10"],
    ["let a = args.a; a = a || 10; return a", "a? = 10"],
    ["return [args.a ?? +2.5, args.b ?? -2.5, args.c ?? +'1']", "a? = 2.5, b? = -2.5, c?"],
    ["return args.a ?? { __proto__: 1 }", "a?"],
    ["mcp.t.echo({ text: args.a ?? 1, times: args.b ?? 2 })", "a?: string, b?: integer = 2"],
    ["mcp.fs.readFile({ mode: args.a ?? 'other' })", "a?: string"],
  ])("%j", check);
});

describe("[EX-5] other arguments are taken", () => {
  it.each([
    ["return args", true],
    ["return { ...args }", true],
    ["return args[key]", true],
    ["const { a, ...rest } = args; return rest", true],
    ["const all = args; return JSON.stringify(all)", true],
    ["await mcp.t.echo(args)", true],
    ["return x || args", true],
    ["return name in args", true],
    ["return args.a", false],
    ['return args["a"] ?? args?.b', false],
    ["const { a, b: { c } } = args; return a", false],
    ["const { a, ...rest } = args; return rest.b", false],
    ["const all = args; return all.a", false],
    ["const f = (given) => given.a; return f(args)", false],
    ["if (!args) return 1; return 'a' in args", false],
    ["return 1", false],
  ])("%j: %j", (code, expected) =>
    expect(analyse(code, sampleVocabulary).parameters.additionalProperties).toBe(expected),
  );
});
