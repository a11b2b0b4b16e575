import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";

/** `§` in code is a dollar sign. */
function canonical(code: string): string {
  const { problems, canonicalCode } = analyse(code.replaceAll("§", "$"), sampleVocabulary);
  expect(problems).toEqual([]);
  return canonicalCode;
}

/** Remembered code is known by this text: what stands on the right must never change. */
const FROZEN: readonly (readonly [code: string, expected: string])[] = [
  ["", ""],
  ["return 1", "(return 1)"],
  ["return", "(return _)"],
  [
    "await mcp.t.echo({ text: 'a' });",
    '(do (await (call (tool "t:echo") [(object [(property "text" "a")])])))',
  ],
  ["return capabilities.old_name()", '(return (call (capability "local.default.misc.sum.beef") []))'],
  ["list.map(mcp.t.echo)", '(do (call (. @list "map") [(tool "t:echo")]))'],
  [
    "const x = 1, y = x; let z; var w = z;",
    "(const (set $0 1) (set $1 $0)) (let (set $2 _)) (var (set $3 $2))",
  ],
  [
    "const { a, b: [c = 1, , ...d], ...e } = args;",
    '(const (set (object [(property "a" $0) (property "b" (array [(default $1 1) _ (... $2)])) (... $3)]) @args))',
  ],
  [
    "x.a; x['a']; x[0]; x[`a`]; x[y]; x?.a?.(1)?.[y]",
    '(do (. @x "a")) (do (. @x "a")) (do (. @x "0")) (do (. @x "a")) (do ([] @x @y)) (do (chain ([] ?. (call ?. (. ?. @x "a") [1]) @y)))',
  ],
  ["(x?.a).b; x?.a.b", '(do (. (chain (. ?. @x "a")) "b")) (do (chain (. (. ?. @x "a") "b")))'],
  [
    "return { a, 'b': 1, 2: 3, ['c']: 4, d() {}, get e() { return 1 }, set e(v) {}, ...f, __proto__: g }",
    '(return (object [(property "a" @a) (property "b" 1) (property "2" 3) (property (key "c") 4) (property method "d" (function _ [] (block []))) (property get "e" (function _ [] (block [(return 1)]))) (property set "e" (function _ [$0] (block []))) (... @f) (prototype "__proto__" @g)]))',
  ],
  ["({ __proto__ })", '(do (object [(property "__proto__" @__proto__)]))'],
  ["return ['a\\x62', \"\\u{1F389}\", `\\n`, '\\ud800']", '(return (array ["ab" "🎉" "\\n" "\\ud800"]))'],
  [
    "return ['a', 'it\\'s', 0x10, 1_0.50, 1e3, .1, 1e400, 10n, 0xAn, true, null, /a\\/b/gi]",
    '(return (array ["a" "it\'s" 16 10.5 1000 0.1 Infinity 10n 10n true null (regex "a\\\\/b" "gi")]))',
  ],
  [
    "return [`a§{x}b§{y}`, tag`a\\n§{x}`, -0]",
    '(return (array [(template ["a" "b" ""] [@x @y]) (tagged @tag (raw ["a\\\\n" ""] [@x])) (unary - 0)]))',
  ],
  [
    "let y = !x + typeof x - (a, b); y++; --y; y **= 2; delete x.a; void 0",
    '(let (set $0 (binary - (binary + (unary ! @x) (unary typeof @x)) (sequence [@a @b])))) (do (update ++ $0)) (do (update -- prefix $0)) (do (assign **= $0 2)) (do (unary delete (. @x "a"))) (do (unary void 0))',
  ],
  [
    "x ? y : z; new A; new A(...b); await x; this",
    "(do (? @x @y @z)) (do (new @A [])) (do (new @A [(... @b)])) (do (await @x)) (do (this))",
  ],
  [
    "async function* f(a, { b } = {}, ...c) { yield a; yield* b; await c; return f; }",
    '(function async generator $0 [$1 (default (object [(property "b" $2)]) (object [])) (... $3)] (block [(do (yield $1)) (do (yield delegate $2)) (do (await $3)) (return $0)]))',
  ],
  [
    "const f = (a) => a, g = async () => { return 1 }, h = function k() { return k }",
    "(const (set $0 (arrow [$1] $1)) (set $2 (arrow async [] (block [(return 1)]))) (set $3 (function $4 [] (block [(return $4)]))))",
  ],
  [
    "class A extends B { #p = 1; static s; ['c'] = 2; constructor() { super(); } get g() { return this.#p } static async m() { return super.x } static { A } has(o) { return #p in o } }",
    '(class $0 @B (members [(field #p 1) (field static "s" _) (field (key "c") 2) (member constructor "constructor" (function _ [] (block [(do (call (super) []))]))) (member get "g" (function _ [] (block [(return ([] (this) #p))]))) (member static method "m" (function async _ [] (block [(return (. (super) "x"))]))) (static [(do $0)]) (member method "has" (function _ [$1] (block [(return (binary in #p $1))])))]))',
  ],
  [
    "if (a) b(); else if (c) { d(); } else { let e; }",
    "(if @a (do (call @b [])) (if @c (do (call @d [])) (block [(let (set $0 _))])))",
  ],
  [
    "for (let i = 0; i < 1; i++) { } for (const k in o) ; for await (x of y) { a; b }",
    "(for (let (set $0 0)) (binary < $0 1) (update ++ $0) (block [])) (forin (const (set $1 _)) @o (block [])) (forof await @x @y (block [(do @a) (do @b)]))",
  ],
  [
    "l: while (a) { m: do { continue l; } while (b); break l; }",
    "(label ~0 (while @a (block [(label ~1 (dowhile (continue ~0) @b)) (break ~0)])))",
  ],
  [
    "switch (a) { case 1: case 2: b(); break; default: }",
    "(switch @a [(case 1 []) (case 2 [(do (call @b [])) (break)]) (case _ [])])",
  ],
  [
    "try { a } catch (e) { throw e } finally { b } try { a } catch { }",
    "(try (block [(do @a)]) (catch $0 (block [(throw $0)])) (block [(do @b)])) (try (block [(do @a)]) (catch _ (block [])) _)",
  ],
  [
    "function f() { return new.target + arguments.length } debugger",
    '(function $0 [] (block [(return (binary + (meta new target) (. @arguments "length")))])) (debugger)',
  ],
];

/** Every program of a line is the same program. */
const SAME: readonly (readonly [why: string, ...codes: string[]])[] = [
  [
    "formatting",
    "const a=1;return a",
    "const a = 1\n\nreturn a;",
    "\ufeffconst a =\r\n1; /* c */ return (a) // d",
  ],
  ["local names", "const a = x; return a + b", "const b1 = x; return b1 + b"],
  ["shadowed names", "const a = 1; f((a) => a); return a", "const a = 1; f((b) => b); return a"],
  ["labels", "a: for (;;) { for (;;) break a }", "b: for (;;) { for (;;) break b }"],
  [
    "types",
    "const a: number = x as any; f<string>(a!); type T = 1; interface I {}",
    "const a = x; f(a)",
    "declare const x: any; const a = <any>x; f(a)",
  ],
  [
    "types of functions",
    "function f(this: T, a?: string): asserts a is string { return a }",
    "function f(a) { return a }",
  ],
  [
    "overloads and abstract members",
    "abstract class A { abstract m(): void; declare x: 1; [k: string]: any; private readonly y?: number = 1; n(): void; n() {} }",
    "class A { y = 1; n() {} }",
  ],
  ["strings and numbers", "return ['a', 16, `b`, /c/gi]", 'return ["\\x61", 0x10, "b", /c/ig]'],
  ["keys", "return { a: x['b'], c }", "return { 'a': x.b, 'c': c }"],
  ["brackets and semicolons", "return (a + b) * c;;;", "return ((a + b)) * (c)"],
  ["braces", "if (a) { b() } else { c() }", "if (a) b(); else c()", "if (a) {{ ; b() }} else c()"],
  ["empty bodies", "while (a());", "while (a()) {}"],
  ["directives", "'use strict'; return 1", "return 1", "('a'); return 1", "'a' as any; return 1"],
  [
    "spellings of a tool",
    "await mcp.fs.read_file({})",
    "await mcp.fs.readFile({})",
    'await mcp["fs:read_file"]({})',
    "await mcp['fs']['read-file']({})",
    "await mcp?.fs?.readFile?.({})",
    "await (mcp as any).fs!.read_file<T>({})",
    "await mcp[`fs:§{'read'}_file`]({},)",
    "await globalThis.mcp.fs.read_file({})",
  ],
  [
    "constants for tools",
    "await mcp.fs.write(args)",
    "const fs = mcp.fs; await fs.write(args)",
    "const { write } = mcp.fs; await write(args)",
    "const { fs: { write: w } } = mcp; await w(args)",
    "const a = mcp, b = a.fs; let c = b.write; await c(args)",
  ],
  [
    "spellings of a capability",
    "capabilities.fs.read_json({})",
    'capabilities["fs:read_json"]({})',
    'mcp["local.default.fs.read_json.a7f3"]({})',
    "mcp.fs.readJson({})",
    "const { fs } = capabilities; fs.readJson({})",
  ],
  ["optional chaining behind a known call", "mcp.t.echo({})?.a", "mcp.t?.echo({})?.a"],
  ["optional chaining that a known call does away with", "mcp.t.echo({}).a.b", "mcp?.t.echo?.({}).a.b"],
];

/** No two programs of a line are the same program. */
const DIFFERENT: readonly (readonly [why: string, ...codes: string[]])[] = [
  ["operators", "return a + b", "return a - b", "return b + a"],
  [
    "literals",
    "return 1",
    "return 2",
    "return '1'",
    "return 1n",
    "return -1",
    "return 0",
    "return -0",
    "return true",
    "return null",
    "return undefined",
  ],
  [
    "strings",
    "return 'a'",
    "return 'A'",
    "return 'a '",
    "return `a§{''}`",
    "return /a/",
    "return /a/g",
    "return /a/gi",
  ],
  ["declarations", "const a = 1; f(a)", "let a = 1; f(a)", "var a = 1; f(a)"],
  ["order", "a(); b()", "b(); a()", "a(b())"],
  ["await", "await a()", "a()", "await (await a())"],
  ["which variable is meant", "const a = 1; { const b = 2; f(a) }", "const a = 1; { const a = 2; f(a) }"],
  ["local or free", "const a = 1; return a", "const a = 1; return b", "const a = 1; return $0"],
  ["captured variables", "let a; f((b) => { a = b })", "let a; f((b) => { b = b })"],
  ["catch and var", "try { x() } catch (e) { var e = 1; f(e) }", "try { x() } catch (e) { var g = 1; f(e) }"],
  [
    "named functions",
    "const f = function g() { g() }",
    "const f = function () { f() }",
    "const f = function g(g) { g() }",
  ],
  ["labels", "a: for (;;) { b: for (;;) break a }", "a: for (;;) { b: for (;;) break b }"],
  [
    "keys",
    "return { a: 1 }",
    "return { A: 1 }",
    "return { a: 1, b: 2 }",
    "return { b: 2, a: 1 }",
    "return { [a]: 1 }",
  ],
  [
    "prototypes",
    "return { __proto__: a }",
    "return { ['__proto__']: a }",
    "const __proto__ = a; return { __proto__ }",
  ],
  ["members", "return a.b", "return a[b]", "return a?.b", "return a.b()", "return a.b?.()", "return a?.b()"],
  ["how far a chain reaches", "return a?.b.c", "return (a?.b).c"],
  [
    "methods",
    "return { a() {} }",
    "return { a: function () {} }",
    "return { a: () => {} }",
    "return { async a() {} }",
    "return { *a() {} }",
    "return { get a() {} }",
  ],
  ["tools", "mcp.t.echo({})", "mcp.t.danger({})", "mcp.fs.read_file({})", "mcp.fs.read_json({})"],
  ["tools by computed names", "mcp.t[a]({})", "mcp[a].echo({})", "mcp.t.echo({})"],
  [
    "references that may not be set",
    "let f; if (a) f = mcp.t; f.echo({})",
    "let f; if (a) f = mcp.t; mcp.t.echo({})",
  ],
  ["a `var` in a block", "if (a) { var f = mcp.t } f.echo({})", "if (a) { var f = mcp.t } mcp.t.echo({})"],
  ["a shadowed mcp", "const mcp = x; mcp.t.echo({})", "mcp.t.echo({})"],
  ["defaults", "const { a = 1 } = args", "const { a } = args", "const { a: b = 2 } = args"],
  ["templates", "tag`a`", "tag('a')", "tag`\\x61`"],
  ["blocks with declarations", "if (a) { const b = 1 }", "if (a) { var b = 1 }"],
  ["else", "if (a) { if (b) c() } else d()", "if (a) if (b) c(); else d()"],
  ["loops", "while (a) b()", "do b(); while (a)", "for (; a; ) b()", "if (a) b()"],
  [
    "for heads",
    "for (const x of y);",
    "for (const x in y);",
    "for await (const x of y);",
    "for (let x of y);",
  ],
  [
    "classes",
    "class A { a = 1 }",
    "class A { static a = 1 }",
    "class A { #a = 1 }",
    "class A { a() {} }",
    "class A { ['a'] = 1 }",
  ],
  [
    "functions",
    "f(() => {})",
    "f(async () => {})",
    "f(function () {})",
    "f(function* () {})",
    "f((a) => {})",
    "f((...a) => {})",
  ],
  ["updates", "let a; a++", "let a; ++a", "let a; a--", "let a; a += 1"],
  ["sequences", "a, b", "a; b", "[a, b]"],
];

describe("[AN-9] the canonical form", () => {
  it.each(FROZEN)("of code is frozen: %s", (code, expected) => {
    expect(canonical(code)).toBe(expected);
  });

  it.each(SAME)("does not depend on %s", (_, first, ...others) => {
    for (const other of others) expect(canonical(other), other).toBe(canonical(first as string));
  });

  it.each(DIFFERENT)("depends on %s", (_, ...codes) => {
    const forms = codes.map(canonical);
    expect(new Set(forms).size, forms.join("\n")).toBe(codes.length);
  });
});
