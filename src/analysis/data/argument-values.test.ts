import { describe, expect, it } from "vitest";
import { flowText } from "../../../test/support/data-flow.js";

/** Code in (`§` is a dollar sign), fields out: literals as JSON, `n1 (text)` of a result, `@name (text)` of a parameter. */
function check(code: string, expected: string): void {
  expect(flowText(code.replaceAll("§", "$")).given).toBe(expected);
}

describe("[AN-6] arguments of calls", () => {
  it.each([
    [
      'mcp.t.any({ s: "a \\"b\\" é", i: -3, f: 0.25, t: true, n: null, list: [1, "two", [3, { four: 4 }]], obj: { a: { b: [] }, "c-d": "e" } })',
      'n1 s="a \\"b\\" é" i=-3 f=0.25 t=true n=null list=[1,"two",[3,{"four":4}]] obj={"a":{"b":[]},"c-d":"e"}',
    ],
    [
      'const N = 4; mcp.t.any({ a: +2.5, b: [-2.5, +1], c: +N, d: +"1" })',
      'n1 a=2.5 b=[-2.5,1] c=4 d=? (+"1")',
    ],
    [
      'const A = "x", B = { a: A, list: [A, 1] }; mcp.t.any({ a: A, b: B, c: [B, ...B.list], d: B.list[1], e: `§{A}/y`, f: A + "z", ...B })',
      'n1 b={"a":"x","list":["x",1]} c=[{"a":"x","list":["x",1]},"x",1] d=1 e="x/y" f="xz" a="x" list=["x",1]',
    ],
    [
      "const list = []; list.push(args.x); const o = { n: 1 }; o.n++; const p = [2, 1]; p.sort(); mcp.t.any({ list, o, p })",
      "n1 list=@x (list) o=? (o) p=? (p)",
    ],
    [
      "mcp.t.any(args); mcp.t.any({ ...args, x: 1 }); mcp.t.any({ data: args }); mcp.t.any({ [args.k]: 1, y: args[args.k] })",
      "n1; n2 x=1; n3 data=@args (args); n4 y=@args (args[args.k])",
    ],
    [
      "const { a, b: c = 2, ...rest } = args; mcp.t.any({ a, c, d: rest.d, e: rest })",
      "n1 a=@a (a) c=@b (c) d=@d (rest.d) e=@args (rest)",
    ],
    [
      'mcp.t.any({ path }); mcp.t.any({ path: dir + "/" + file }); mcp.t.any({ url: url ?? "u", out: out || "x" })',
      'n1 path=@path (path); n2 path=@dir (dir + "/" + file); n3 url=@url (url ?? "u") out=@out (out || "x")',
    ],
    [
      "const go = ({ p, q }) => mcp.t.any({ p, q }); go(args); go({ p: args.z, q: 1 })",
      "n1 p=@p (p) q=@q (q)",
    ],
    [
      'const t = args.t ?? "u"; mcp.t.any({ t, u: `§{args.dir}/§{t}`, v: t.length > 3 ? "long" : t })',
      'n1 t=@t (t) u=@dir (`§{args.dir}/§{t}`) v=@t (t.length > 3 ? "long" : t)',
    ],
    [
      "const f = await mcp.fs.read({ path: args.p }); mcp.t.any({ a: `§{args.dir}/§{f.content}`, b: { x: f.size, y: args.y, z: 1, w: { v: f } }, c: [args.c, f.size], d: [args.c] })",
      "n1 path=@p (args.p); n2 a=n1 (`§{args.dir}/§{f.content}`) b=n1 {x=n1 (f.size) y=@y (args.y) z=1 w=n1 {v=n1 (f)}} c=n1 ([args.c, f.size]) d=@c ([args.c])",
    ],
    [
      "mcp.t.any({ o: { x: args.x, y: 1 }, p: { y: 1, z: Date.now() }, q: { ...args.q, r: 1 } })",
      "n1 o=@x {x=@x (args.x) y=1} p=? {y=1 z=? (Date.now())} q=@q {r=1}",
    ],
    [
      "for (let i = 0; i < 3; i++) mcp.t.any({ i, now: Date.now(), u: undefined, id: crypto.randomUUID(), page: `§{args.base}?p=§{i}` })",
      "n1 i=? (i) now=? (Date.now()) u=? (undefined) id=? (crypto.randomUUID()) page=@base (`§{args.base}?p=§{i}`)",
    ],
    [
      "const o = { a: args.a }; mcp.t.any(o); mcp.t.any({ ...o, b: 1 }); mcp.t.any({ a: 1, ...o }); mcp.t.any({ a: 1, a: args.b })",
      "n1 a=@a (args.a); n2 a=@a (args.a) b=1; n3 a=@a (args.a); n4 a=@b (args.b)",
    ],
    [
      "mcp.t.any(); mcp.t.any(x); mcp.t.any({ f() {}, get g() { return 1; }, h: () => 1 })",
      "n1; n2; n3 f=? (() {}) h=? (() => 1)",
    ],
    [
      'const { args: inner } = args; mcp.t.any({ inner, deep: args.a.b[0].c, any: Object.keys(args.o), text: args.list.map((x) => x.id).join(",") })',
      'n1 inner=@args (inner) deep=@a (args.a.b[0].c) any=@o (Object.keys(args.o)) text=@list (args.list.map((x) => x.id).join(","))',
    ],
    [
      "mcp.t.any({ re: /x/g, big: 10n, inf: 1e999, neg: -x, not: !args.f, cond: args.c ? 1 : 2, and: args.c && 5 })",
      "n1 re=? (/x/g) big=? (10n) inf=? (1e999) neg=@x (-x) not=@f (!args.f) cond=? (args.c ? 1 : 2) and=? (args.c && 5)",
    ],
    [
      'let n = 1; n = 2; mcp.t.any({ n }); const k = "key"; mcp.t.any({ [k]: 1, ["a" + k]: 2, 3: 4 })',
      "n1 n=? (n); n2 3=4 key=1 akey=2",
    ],
    [
      'const a = await mcp.fs.read({ path: "a" }), b = await mcp.http.get({ url: "b" }); mcp.t.any({ both: b.body + a.content, one: [b.body], o: { a: a.size } })',
      'n1 path="a"; n2 url="b"; n3 both=n1+n2 (b.body + a.content) one=n2 ([b.body]) o=n1 {a=n1 (a.size)}',
    ],
    [
      "class C { x = args.x; m() { return mcp.t.any({ x: this.x }); } } new C().m(); mcp.t.any({ c: new C(), d: new Date(args.d) })",
      "n1 x=? (this.x); n2 c=? (new C()) d=@d (new Date(args.d))",
    ],
    [
      'args.ids.forEach((id) => mcp.http.post({ url: "u", body: { id } })); [1, 2].map((n) => mcp.t.any({ n }))',
      'n1 url="u" body=@ids {id=@ids (id)}; n2 n=? (n)',
    ],
    [
      "mcp.t.any({ a: await Promise.resolve(args.a), b: (args.b as any)!.c, c: (0, args.c), d: structuredClone(args.d), e: JSON.parse(args.e).f })",
      "n1 a=@a (await Promise.resolve(args.a)) b=@b ((args.b as any)!.c) c=@c (0, args.c) d=@d (structuredClone(args.d)) e=@e (JSON.parse(args.e).f)",
    ],
  ])("%j", (code, expected) => check(code, expected.replaceAll("§", "$")));
});

it("[AN-6] an expression is cut at 500 characters, between characters", () => {
  const text = flowText(`mcp.t.any({ a: args.x + "${"🎉".repeat(300)}" })`).given;
  expect(text.length).toBeLessThan(520);
  expect(() => encodeURIComponent(text)).not.toThrow();
});

it("[AN-6] wide and deep arguments are told apart as far as makes sense", () => {
  const deep = `${"{ a: ".repeat(200)}args.x${" }".repeat(200)}`;
  expect(flowText(`mcp.t.any({ v: ${deep} })`).given).toContain("n1 v=@x {a=@x {a=@x");
  const wide = Array.from({ length: 300 }, (_, i) => `k${i}: args.x`).join(", ");
  expect(flowText(`mcp.t.any({ ${wide} })`).given).toContain("k299=@x (args.x)");
});

describe("[AN-6] arguments that change", () => {
  it.each([
    [
      'let c = "a"; while (args.x) { await mcp.fs.read({ path: c }); c = (await mcp.http.get({ url: "u" })).body; }',
      'n1 path=n2 (c); n2 url="u"',
    ],
    [
      'let x = args.a; const set = async () => { x = (await mcp.http.get({ url: "u" })).body; }; x = 1; await set(); await mcp.t.any({ x })',
      'n1 url="u"; n2 x=n1 (x)',
    ],
    [
      'let x = await mcp.fs.read({ path: "a" }), y = await mcp.fs.read({ path: "b" }); for (;;) { if (args.c) x = y; if (args.c) y = x; await mcp.t.any({ x, y }); }',
      'n1 path="a"; n2 path="b"; n3 x=n1+n2 (x) y=n1+n2 (y)',
    ],
    [
      'const o = { a: "x" }; o.a = args.b; await mcp.t.any(o); await mcp.t.any({ ...args.d, o })',
      "n1; n2 o=@b (o)",
    ],
    [
      "mcp.t.any({ o: { x: args.x, now: Date.now() }, inf: [1e999] })",
      "n1 o=? {x=@x (args.x) now=? (Date.now())} inf=? ([1e999])",
    ],
  ])("%j", check);
});
