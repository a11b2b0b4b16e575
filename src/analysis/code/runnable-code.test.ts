import fc from "fast-check";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { instrument } from "../../../test/support/all-sites.js";
import { programs, write } from "../../../test/support/programs.js";
import { markText, recordedRun } from "../../../test/support/recorded-run.js";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { sized } from "../../../test/support/sizes.js";
import { analyse } from "../analyse.js";

function check(code: string, expected: string): void {
  expect(analyse(code, sampleVocabulary).runnableCode).toBe(expected);
}

describe("[AN-11] runnable code says which node calls", () => {
  it.each([
    ["mcp.t.echo({ a: 1 })", 'mcp.t.echo({ a: $pml.given("a", 1) }, "n1")'],
    ["mcp.t.echo({ a: <any>1 })", 'mcp.t.echo({ a: (    $pml.given("a", 1)) }, "n1")'],
    [
      "args.t && mcp.t.echo({ a: args.x ? mcp.t.echo({ b: 'x' }) : 2 })",
      ' $pml.test("d1",args.t) && mcp.t.echo({ a:  $pml.test("d2",args.x) ? mcp.t.echo({ b: $pml.given("b", \'x\') }, "n1") : 2 }, "n2")',
    ],
    ["mcp.t.echo()", 'mcp.t.echo(undefined, "n1")'],
    ["mcp.t.echo( /* , */ )", 'mcp.t.echo( /* , */ undefined, "n1")'],
    ["mcp.t.echo({},)", 'mcp.t.echo({},"n1")'],
    ["mcp.t.echo({} /* , */)", 'mcp.t.echo({} /* , */, "n1")'],
    ["mcp.t.echo({}, // ,\n)", 'mcp.t.echo({}, // ,\n"n1")'],
    ["mcp.t.echo(({}))", 'mcp.t.echo(({}), "n1")'],
    ["mcp.t.echo(...x)", "mcp.t.echo(...x)"],
    ["mcp.t.echo({}, 1)", "mcp.t.echo({}, 1)"],
    ["mcp.t?.echo?.({})", 'mcp.t?.echo?.({}, "n1")'],
    ["mcp.t.echo(await mcp.t.danger())", 'mcp.t.echo(await mcp.t.danger(undefined, "n1"), "n2")'],
    [
      "[].map(mcp.t.echo); mcp.t.danger({})",
      ' $pml.enter("l1",[]).map( $pml.use("n1",mcp.t.echo)); mcp.t.danger({}, "n2")',
    ],
    ["const { echo } = mcp.t; echo({})", 'const { echo } = mcp.t; echo({}, "n1")'],
    ["capabilities.old_name({})", 'mcp["local.default.misc.sum.beef"]({}, "n1")'],
    ["mcp[x]({})", "mcp[x]({})"],
    ["(mcp as any).t.echo<T>({} as U)", '(mcp       ).t.echo   ({}     , "n1")'],
    ["(<any>capabilities).old_name()", 'mcp["local.default.misc.sum.beef"](undefined, "n1")'],
  ])("%j", check);
});

describe("[AN-11] positions in runnable code lead back to the code as given", () => {
  /** Every `@` of the code is found again where it stood. */
  it.each([
    "capabilities.old_name({}); '@'; mcp.t.echo(); '@'\n'@'",
    "const a: string = <any>'@'; f('@');\r\n\r\nf(x as T, '@')",
    "capabilities\n.fs\n.readJson({ a: '@' }); '@'",
    "mcp.t.echo({ a: mcp.t.echo({ b: '@' }) }); '@'; // 🎉\u2028'@'",
  ])("%j", (code) => {
    const { runnableCode, originalPosition } = analyse(code, sampleVocabulary);
    const places = (text: string) =>
      text
        .split(/\r\n|[\r\n\u2028]/)
        .flatMap((line, index) =>
          [...line.matchAll(/@/g)].map((match) => ({ line: index + 1, column: match.index + 1 })),
        );
    expect(places(runnableCode).length).toBeGreaterThan(1);
    expect(places(runnableCode).map(originalPosition)).toEqual(places(code));
  });

  it("also from outside", () => {
    const { originalPosition } = analyse("a\nbc", sampleVocabulary);
    expect(originalPosition({ line: 9, column: 9 })).toEqual({ line: 2, column: 3 });
    expect(originalPosition({ line: 0, column: 0 })).toEqual({ line: 1, column: 1 });
  });
});

async function answer(tool: string, args: unknown): Promise<unknown> {
  if (tool === "t:danger") throw new Error("danger");
  return (args as { readonly v?: unknown } | undefined)?.v;
}

const given = () => ({ t: true, f: false, a: 0, n: 2, list: [1, 2], double: (x: number) => 2 * x });

/** Instrumented as far as can be, code does the same as before, and reports `marks`. */
async function checkRun(code: string, result: string, marks: string): Promise<void> {
  const { plain, edited, edits } = instrument(code);
  expect(edits.filter(({ start, end, text }) => start !== end || /[\r\n]/.test(text))).toEqual([]);
  expect(parseSync("code.js", `async () => {${edited}\n}`, { lang: "js" }).errors).toEqual([]);
  const before = await recordedRun(plain, answer, given());
  const after = await recordedRun(edited, answer, given());
  expect(`${after.isError ? "! " : ""}${after.result}`).toBe(result);
  expect([after.result, toolsOf(after.marks)]).toEqual([before.result, toolsOf(before.marks)]);
  expect(after.marks.map(markText).join(" ")).toBe(marks);
}

function toolsOf(marks: Awaited<ReturnType<typeof recordedRun>>["marks"]): readonly unknown[] {
  return marks.flatMap((mark) => (mark.kind === "call" ? [[mark.tool, mark.args]] : []));
}

describe("[AN-11] decisions by truth and by nullishness report, and do what they did", () => {
  it.each([
    [
      "let c; c ??= await mcp.t.echo({ v: 1 }); c ||= mcp.t.danger(); c &&= await mcp.t.echo({ v: 2 }); return c",
      "2",
      "d1:nullish n1 d2:true d3:true n3",
    ],
    ["let c = args.f\nc ||= c ??= 4\nreturn c", "false", "d1:false d2:value"],
    ["let f; f ??= () => 1; return f.name", '"f"', "d1:nullish"],
    ["let c; for (c ??= 1; c < 2; c++) ; if (c &&= 5) return c", "5", "d1:nullish l1 l1+ d3:true d2:true"],
    ["let c; const f = () => c ??= { a: 1 }; return [f(), f()]", '[{"a":1},{"a":1}]', "d1:nullish d1:value"],
    ["let c; (c as any) ??= 1; return c", "1", ""],
    ["let c = args.f\nc ||= 1, c &&= 2\nreturn (c ??= 3, c ||= 4)", "2", "d1:false d2:true d3:value d4:true"],
    [
      "if(args.a){ return 1 } else if (args.t) { return mcp.t.echo({ v: 2 }) } else return 3",
      "2",
      "d1:false d2:true n1",
    ],
    ["if (args.f, args.t) return await mcp.t.echo()", '"(undefined)"', "d1:true n1"],
    ["if ((args.f as any, args.t) as any) return 1", "1", "d1:true"],
    ["if (<any>args.t) return 1", "1", "d1:true"],
    ["if (args.t!) return 1", "1", "d1:true"],
    ["if (!args.f) { return args.t ? 1 : 2 }", "1", "d1:true d2:true"],
    ['return"x"&&mcp.t.echo({ v: "y" })', '"y"', "d1:true n1"],
    ["return'x'?1:2", "1", "d1:true"],
    ["return args.f||args.t&&await mcp.t.echo({ v: 3 })", "3", "d1:false d2:true n1"],
    ["return (args.f || args.t) && 7", "7", "d2:false d1:true"],
    ["return ((args.f)) ?? mcp.t.echo({ v: 4 })", "false", "d1:value"],
    ["return args.none ?? await mcp.t.echo({ v: 4 })", "4", "d1:nullish n1"],
    ["return args?.none?.deep ?? 5", "5", "d1:nullish"],
    ['return typeof args.none === "undefined"?1:2', "1", "d1:true"],
    ["const f = x => x && x.y; return f({ y: 2 })", "2", "d1:true"],
    ["const f = () => ({}) && ({ a: 1 }); return f()", '{"a":1}', "d1:true"],
    ["return ({ a: 0 }).a || ({ b: 1 }).b", "1", "d1:false"],
    ["const x = args.t\n!args.f && mcp.t.echo()\nreturn x", "true", "d1:true n1"],
    ["let n = 1\n++n && mcp.t.echo()\nreturn n", "2", "d1:true n1"],
    ["let n; (n = 4) && mcp.t.echo(); return n", "4", "d1:true n1"],
    ["return (() => 1) ? 1 : 2", "1", "d1:true"],
    ['return [..."ab" && [1], ...[] || [2]]', "[1]", "d1:true d2:true"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code.
    ['return `${args.t && "x"}${args.none ?? `${args.f || 1}`}`', '"x1"', "d1:true d2:nullish d3:false"],
    ["const { a = args.none ?? 3, b = args.t ? 1 : 2 } = {}; return [a, b]", "[3,1]", "d1:nullish d2:true"],
    ["return ((a = args.t && 4, b = a ? 1 : 0) => [a, b])()", "[4,1]", "d1:true d2:true"],
    [
      "class A { static s = args.t && 1; f = args.none ?? 2; #p = 1; static { if (args.t) A.z = 3 } has(o) { return #p in o && true } get g() { return this.f ? 1 : 2 } } const a = new A(); return [A.s, a.f, A.z, a.has(a), a.g]",
      "[1,2,3,true,1]",
      "d1:true d3:true d2:nullish d4:true d5:true",
    ],
    [
      "function* g() { const x = yield 1; if (yield 2) yield 3; (yield 4) && (yield 5) } return [...g()]",
      "[1,2,4]",
      "d1:false d2:false",
    ],
    [
      "return await mcp.t.echo({ v: args.t && await mcp.t.echo({ v: args.none ?? 8 }) },)",
      "8",
      "d1:true d2:nullish n1 n2",
    ],
    ["return await mcp.t.echo(args.t ? { v: 1 } : { v: 2 } /* , */)", "1", "d1:true n1"],
    ["return await (async () => { if (args.t) return await mcp.t.echo({ v: 9 }) })()", "9", "d1:true n1"],
    [
      "return await mcp.t.echo({ v: 1 }).then(x => x && mcp.t.echo({ v: 2 })).then((x) => x ? 1 : 2)",
      "1",
      "n1 d1:true n2 d2:true",
    ],
    ["if (args.t) return 1 as any\nelse return 2 as any", "1", "d1:true"],
    [
      "async function rec(n) { if (n === 0) return 0; return n + await rec(n - 1) } return rec(2)",
      "3",
      "d1:false d1:false d1:true",
    ],
    [
      'const o = { get a() { return args.t && 1 }, ["b" && "c"]: 2, async *m() { yield args.t ? 1 : 2 } }; return [o.a, o.c, (await o.m().next()).value]',
      "[1,2,1]",
      "d2:true d1:true d3:true",
    ],
    ["label: if (args.t) { break label } return 1", "1", "d1:true"],
    ["return args.t && (x => x ? 1 : 2)(1)", "1", "d1:true d2:true"],
    ["return void 0 ?? null ?? 0 ?? mcp.t.echo()", "0", "d3:nullish d2:nullish d1:value"],
    [
      'const re = /a/.test("a") && "b"; return -1 && +1 && ~1 && re',
      '"b"',
      "d1:true d4:true d3:true d2:true",
    ],
    ["return delete args.zz && 1", "1", "d1:true"],
    ['throw args.t && new Error("thrown")', "! Error: thrown", "d1:true"],
  ])("%j", checkRun);
});

describe("[AN-11] switches report, and do what they did", () => {
  it.each([
    [
      'switch (args.n) { case 1: return "one"; case 2: return "two"; default: return "other" }',
      '"two"',
      "d1:2",
    ],
    [
      "switch (args.n) { case 1: case 2: mcp.t.echo(); case 3: mcp.t.echo(); break; default: mcp.t.echo() }",
      '"(undefined)"',
      "d1:2 n1 n2",
    ],
    ["switch (args.n) { case 1: { break } }", '"(undefined)"', "d1:default"],
    [
      "switch (args.n) { default: mcp.t.echo(); case 1: mcp.t.echo(); break; case 5: mcp.t.echo() }",
      '"(undefined)"',
      "d1:default n1 n2",
    ],
    ["switch (args.n) { default: case 5: mcp.t.echo() }", '"(undefined)"', "d1:default n1"],
    ["switch (9) { default: case 5: mcp.t.echo() }", '"(undefined)"', "d1:default n1"],
    ["switch (args.n) {}", '"(undefined)"', "d1:default"],
    [
      'switch (args.n) { case (1, 2): /* : */ case args.n /* x: */ : // y\n "z"; let q = 1; break }',
      '"(undefined)"',
      "d1:1, 2",
    ],
    [
      "if (args.t) switch (args.n) { case 2: let x = 1 } else switch (1) { default: }",
      '"(undefined)"',
      "d1:true d2:2",
    ],
    ['if (args.f) ; else switch (args.n) { case "a": case 2: }', '"(undefined)"', "d1:false d2:2"],
    [
      "out: switch (args.n) { case 2: for (const x of [1, 2]) { if (x === 2) break out; else continue } }",
      '"(undefined)"',
      "d1:2 l1 l1+ d2:false l1+ d2:true",
    ],
    ["a: b: switch (args.n) { case 2: { break a } case 3: mcp.t.echo() }", '"(undefined)"', "d1:2"],
    [
      "for (const n of [1, 2, 3]) switch (n) { case 2: continue; case 3: break; default: mcp.t.echo() }",
      '"(undefined)"',
      "l1 l1+ d1:default n1 l1+ d1:2 l1+ d1:3",
    ],
    [
      "const f = (n) => { switch (n) { case 0: return 0; default: return n + f(n - 1) } }; return f(2)",
      "3",
      "d1:default d1:default d1:0",
    ],
    [
      "const f = async (n) => { switch (n) { case await mcp.t.echo({ v: 1 }): await null; case 2: await null; return n } }; return await Promise.all([f(1), f(2), f(3)])",
      '[1,2,"(undefined)"]',
      "f1 n1 n1 n1 d1:await mcp.t.echo({ v: 1 }) d1:2 d1:default j1",
    ],
    [
      "function* f(n) { switch (n) { case 1: yield 1; case 2: yield 2 } } const a = f(1), b = f(2); return [a.next(), b.next(), a.next(), b.next(), a.next()]",
      '[{"value":1,"done":false},{"value":2,"done":false},{"value":2,"done":false},{"value":"(undefined)","done":true},{"value":"(undefined)","done":true}]',
      "d1:1 d1:2",
    ],
    ["const $pml_1 = 4; switch (args.n) { case 2: return $pml_1 }", "4", "d1:2"],
    ["const \\u0024pml_1 = 4; switch (args.n) { case 2: return \\u{24}pml_1 }", "4", "d1:2"],
    ["do switch (args.n) { case 2: mcp.t.echo() } while (args.f)", '"(undefined)"', "l1 l1+ d1:2 n1"],
    ["for (const x of [1]) switch (x) { case 1: mcp.t.echo() }", '"(undefined)"', "l1 l1+ d1:1 n1"],
  ])("%j", checkRun);
});

describe("[AN-11] tries report, and do what they did", () => {
  it.each([
    ["try { await mcp.t.echo() } catch { return 1 }", '"(undefined)"', "n1 d1:ok"],
    ["try { await mcp.t.danger() } catch (e) { return e.message }", '"danger"', "n1 d1:error"],
    ["try{mcp.t.echo()}catch{}finally{mcp.t.echo()}", '"(undefined)"', "n1 d1:ok n2"],
    ["try{}catch{}", '"(undefined)"', "d1:ok"],
    ["try { return <any>1 } catch {}", "1", ""],
    ["try{<any>1}catch{} return 2", "2", "d1:ok"],
    [
      "try { throw 1 } catch (e) { try { throw e + 1 } catch (e) { return e } } finally { mcp.t.echo() }",
      "2",
      "d1:error d2:error n1",
    ],
    ["try { mcp.t.echo() // c\n } catch /* d */ (e) // e {\n { /* f */ }", '"(undefined)"', "n1 d1:ok"],
    ["try { const x = 1\n; [x].length } catch { } return 1", "1", "d1:ok"],
  ])("%j", checkRun);
});

describe("[AN-11] loops report, and do what they did", () => {
  it.each([
    [
      "for (let i = await mcp.t.echo({ v: 0 }); i < 2; i++) mcp.t.echo()",
      '"(undefined)"',
      "n1 l1 l1+ n2 l1+ n2",
    ],
    ["let i, j; for (i = 0, j = 2; i < j; i++) mcp.t.echo(); return [i, j]", "[2,2]", "l1 l1+ n1 l1+ n1"],
    ["let i; for (i = await mcp.t.echo({ v: 1 }); i < 2; i++) ; return i", "2", "n1 l1 l1+"],
    ["for (var v = 0, w; v < 1; v++) w = v; return [v, w]", "[1,0]", "l1 l1+"],
    ["for (let i: number = 0, j: number; i < 1; i++) mcp.t.echo()", '"(undefined)"', "l1 l1+ n1"],
    ["for (const [k] = [1];;) { if (k) break }", '"(undefined)"', "l1 l1+ d1:true"],
    ["for (;;) break", '"(undefined)"', "l1 l1+"],
    ["for (;;) { break } return 1", "1", "l1 l1+"],
    ["let k; for (k in null, { a: 1 }) mcp.t.echo({ v: k })", '"(undefined)"', "l1 l1+ n1"],
    ["for (const x of <any>[1]) mcp.t.echo()", '"(undefined)"', "l1 l1+ n1"],
    ["for (const x of [1] as any) mcp.t.echo()", '"(undefined)"', "l1 l1+ n1"],
    ["for (const x of(args.f, [1]))mcp.t.echo()", '"(undefined)"', "l1 l1+ n1"],
    [
      "const o = { i: 0 }; for (o.i = 1; o.i < 2; o.i++) ; for (o.j of [1, 2]) ; return o",
      '{"i":2,"j":2}',
      "l1 l1+ l2 l2+ l2+",
    ],
    [
      "const fs = []; for (let i = 0, f = () => i; i < 2; i++) fs.push(f(), i); return fs",
      "[0,0,0,1]",
      "l1 l1+ l1+",
    ],
    [
      "l: for (const x of [1, 2]) { for (let i = 0; ; i++) { if (i) continue l } }",
      '"(undefined)"',
      "l1 l1+ l2 l2+ d1:false l2+ d1:true l1+ l2 l2+ d1:false l2+ d1:true",
    ],
    ["for (let i = 0; i < 2; i++) mcp.t.echo()", '"(undefined)"', "l1 l1+ n1 l1+ n1"],
    ["for (let i = 0; i < 2; i++) ;", '"(undefined)"', "l1 l1+ l1+"],
    ["for (let i = 0; i < 2; i++);", '"(undefined)"', "l1 l1+ l1+"],
    ["for (const x of [1, 2]) mcp.t.echo({ v: x })\nreturn 1", "1", "l1 l1+ n1 l1+ n1"],
    ["for (const k in { a: 1, b: 2 }) { mcp.t.echo({ v: k }) }", '"(undefined)"', "l1 l1+ n1 l1+ n1"],
    ["for (const k in {}) { mcp.t.echo({ v: k }) }", '"(undefined)"', "l1"],
    ["for(const k of[1]){}for(const k of[2]){}", '"(undefined)"', "l1 l1+ l2 l2+"],
    ["let i = 0; while (i++ < 2) mcp.t.echo()", '"(undefined)"', "l1 l1+ n1 l1+ n1"],
    ["let i = 0; while (i < 2) i++\nreturn i", "2", "l1 l1+ l1+"],
    ["let i = 0; do i++; while (i < 2) return i", "2", "l1 l1+ l1+"],
    ["let i = 0; do i++\nwhile (i < 2); return i", "2", "l1 l1+ l1+"],
    ["let i = 0; if (args.t) do i++; while (i < 2); else i = 9; return i", "2", "d1:true l1 l1+ l1+"],
    ["let i = 0; do{i++}while(i<2)return i", "2", "l1 l1+ l1+"],
    [
      "if (args.t) for (const a of [1]) if (args.f) mcp.t.echo(); else mcp.t.echo(); else mcp.t.danger()",
      '"(undefined)"',
      "d1:true l1 l1+ d2:false n2",
    ],
    [
      "a: for (const x of [1, 2]) { b: for (const y of [1, 2]) { if (y === 2) continue a; if (x === 2) break a; continue b } }",
      '"(undefined)"',
      "l1 l1+ l2 l2+ d1:false d2:false l2+ d1:true l1+ l2 l2+ d1:false d2:true",
    ],
    [
      "a: /* l */ b: // m\n for (const x of [1, 2]) { if (x === 1) continue b; break a }",
      '"(undefined)"',
      "l1 l1+ d1:true l1+ d1:false",
    ],
    ["a: { for (const x of [1]) { break a } mcp.t.echo() } return 1", "1", "l1 l1+"],
    [
      "for (const x of [1, 2]) for (const y of [3]) for (const k in [4]) mcp.t.echo({ v: [x, y, k] })",
      '"(undefined)"',
      "l1 l1+ l2 l2+ l3 l3+ n1 l1+ l2 l2+ l3 l3+ n1",
    ],
    ["for (const x of [1]) l: for (;;) break l", '"(undefined)"', "l1 l1+ l2 l2+"],
    ["for (var v of [1, 2]) var w = v; return [v, w]", "[2,2]", "l1 l1+ l1+"],
    [
      "for (const x of args.t && [1]) mcp.t.echo(); for (let i = args.t ? 1 : 2; i && i < 2; i += args.t ? 1 : 2) mcp.t.echo()",
      '"(undefined)"',
      "d1:true l1 l1+ n1 d2:true l2 d3:true l2+ n2 d4:true d3:true",
    ],
    ["for await (const x of [mcp.t.echo({ v: 1 })]) if (x) return x", "1", "n1 l1 l1+ d1:true"],
    ["for (const x of [1]) <any>x\nfor (const x of [1]) x as any\nreturn 1", "1", "l1 l1+ l2 l2+"],
  ])("%j", checkRun);
});

describe("[AN-11] methods that go through lists report, and do what they did", () => {
  it.each([
    [
      "const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); return fs.map(f => f())",
      "[0,1,2]",
      "l1 l1+ l1+ l1+ l2 l2+ l2+ l2+",
    ],
    ["const xs = [1, 2, 3]; return xs.map(x => x + 1)", "[2,3,4]", "l1 l1+ l1+ l1+"],
    ["return [1, 2].map((x) => ({ x }))", '[{"x":1},{"x":2}]', "l1 l1+ l1+"],
    ["return [1, 2].map((x) => (mcp.t.echo(), x))", "[1,2]", "l1 l1+ n1 l1+ n1"],
    [
      'return[1, 2].filter(function (x) { "use strict"; return x > 1 }).map(x => x as any)',
      "[2]",
      "l2 l2+ l2+ l1 l1+",
    ],
    ["return [1, 2].reduce((a, b) => a + b, 1)", "4", "l1 l1+ l1+"],
    ["return [1, 2].reduce((a, b) => { return a + b })", "3", "l1 l1+"],
    ["[1, 2].forEach(async x => await mcp.t.echo({ v: x }))", '"(undefined)"', "l1 l1+ n1 l1+ n1"],
    ["[1].forEach(() => {}); [2].forEach(function () {})", '"(undefined)"', "l1 l1+ l2 l2+"],
    ["return args.none?.list.map(x => x)", '"(undefined)"', ""],
    ["return args?.list.map(x => x)", "[1,2]", "l1 l1+ l1+"],
    ["return args.list?.map(x => x)", "[1,2]", "l1 l1+ l1+"],
    ["return args.list!.map<number>(x => x as number)", "[1,2]", "l1 l1+ l1+"],
    ["return (args?.list).map(x => x)", "[1,2]", "l1 l1+ l1+"],
    ["return args?.list.filter(x => x > 1).map(x => x)", "[2]", "l2 l2+ l2+ l1 l1+"],
    [
      "class A extends Array { all() { return super.map(x => x) } } return A.of(1, 2).all()",
      "[1,2]",
      "l1 l1+ l1+",
    ],
    ["return [1, 2].map(args.double)", "[2,4]", "l1"],
    ["return [3, 4].map(mcp.t.echo).length", "2", "l1 n1 n1"],
    ["return (args.f, args.list).map(x => x)", "[1,2]", "l1 l1+ l1+"],
    [
      'return "ab" && args.list.map(x => x && x > 1 ? [x].map(y => y) : 0)',
      "[0,[2]]",
      "d1:true l1 l1+ d3:true d2:false l1+ d3:true d2:true l2 l2+",
    ],
    ["const s = new Set([1]); return s.size && new Set([...s].map(x => x)).size", "1", "d1:true l1 l1+"],
  ])("%j", checkRun);
});

describe("[AN-11] forks and joins report, and do what they did", () => {
  it.each([
    [
      "async function* g() { for await (const x of [1, Promise.resolve(2)]) yield x && x + 1 } const all = []; for await (const x of g()) all.push(x); return all",
      "[2,3]",
      "l2 l1 l1+ d1:true l2+ l1+ d1:true l2+",
    ],
    ["return await Promise.all([mcp.t.echo({ v: 1 }), mcp.t.echo({ v: 2 })])", "[1,2]", "f1 n1 n2 j1"],
    [
      "return await Promise.all(args.list.map(async (x) => mcp.t.echo({ v: x })))",
      "[1,2]",
      "f1 l1 l1+ n1 l1+ n1 j1",
    ],
    [
      "return Promise.all([1, 2].map(x => Promise.all([x, mcp.t.echo({ v: x })]))).then(x => x.length)",
      "2",
      "f1 l1 l1+ f2 n1 l1+ f2 n1 j2 j2 j1",
    ],
    ["return await Promise.allSettled([mcp.t.danger()])", '[{"status":"rejected","reason":{}}]', "f1 n1 j1"],
    ["return await Promise.race([mcp.t.echo({ v: 1 }), mcp.t.danger()])", "1", "f1 n1 n2 j1"],
    ["return await Promise.any((args.f, [mcp.t.danger(), mcp.t.echo({ v: 2 })]))", "2", "f1 n1 n2 j1"],
    ["return await Promise.all(...[[1]])", "[1]", "f1 j1"],
    ["try { await Promise.all() } catch (e) { return e.name }", '"TypeError"', "d1:error"],
    ["await Promise.all([mcp.t.danger(), mcp.t.echo()])", "! Error: danger", "f1 n1 n2"],
    ["return Promise.all([])?.constructor === Promise", "true", "f1 j1"],
    ["return await/**/Promise.all([1],)", "[1]", "f1 j1"],
  ])("%j", checkRun);
});

describe("[AN-11] tools that are passed on report, and do what they did", () => {
  it.each([
    ["if (args.a) mcp.t.echo({ v: 1 }); else mcp.t.danger", '"(undefined)"', "d1:false"],
    ["const use = (f) => f({ v: 5 }); return await use(mcp.t.echo)", "5", "n1"],
    [
      "const { echo } = mcp.t; const box = { echo, danger: mcp.t.danger }; return await box.echo({ v: 1 })",
      "1",
      "n1",
    ],
    ["let f = mcp.t.echo; f = mcp.t.danger; f = mcp.t.echo; return await f({ v: 2 })", "2", "n3"],
    ["const one = capabilities.fs.readJson; const box = { one }; return typeof box.one", '"function"', ""],
    ["const f = args.f ? mcp.t.danger : mcp.t.echo; return await f({ v: 6 })", "6", "d1:false n2"],
    ["const [f] = [mcp.t?.echo]; return await f({ v: 6 })", "6", "n1"],
    ["return await mcp.t.echo.call(null, { v: 1 })", "1", "?t:echo"],
    ["return mcp.t.echo!.name", '"t:echo"', ""],
    ["const f = () => mcp.t.echo; return await f()({ v: 2 })", "2", "n1"],
    ["const { g = mcp.t.echo } = {}; return await g({ v: 2 })", "2", "n1"],
    ["let f = mcp.t.echo as any\nf ??= 1\nreturn await f({ v: 2 })", "2", "d1:value n1"],
    ["let f = <any>mcp.t.echo\nf ??= 1\nreturn await f({ v: 2 })", "2", "d1:value n1"],
    ["new (mcp.t.echo as any)", "! TypeError: mcp.t.echo is not a constructor", ""],
    ["try { class A extends (mcp.t.echo as any) {} } catch { return 1 }", "1", "d1:error"],
  ])("%j", checkRun);
});

describe("[AN-11] calls report, and do what they did", () => {
  it.each([
    ["return await mcp.t.echo(<any>{ v: 1 })", "1", "n1"],
    ["return await mcp.t.echo((args.f, { v: 1 }))", "1", "n1"],
  ])("%j", checkRun);
});

describe("[AN-11] whatever the style of code", () => {
  const lines = (text: string): number => text.split(/\r\n|[\r\n\u2028\u2029]/).length;

  it("what reports leaves it code, and its lines lines", () => {
    fc.assert(
      fc.property(programs, fc.integer(), (program, seed) => {
        const code = write(program, seed);
        const { edited } = instrument(code);
        const { errors } = parseSync("code.js", `async () => {${edited}\n}`, {
          lang: "js",
          sourceType: "module",
        });
        expect(errors.map(({ message }) => message)).toEqual([]);
        expect(lines(edited)).toBe(lines(code));
      }),
      { numRuns: sized(2_000, 150) },
    );
  });
});
