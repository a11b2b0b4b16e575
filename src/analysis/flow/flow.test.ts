import { describe, expect, it } from "vitest";
import { testVocabulary } from "../../../test/support/vocabulary.js";
import { analyse } from "../analyse.js";

const tool = { inputSchema: { type: "object" } };
const vocabulary = testVocabulary({ t: { a: tool, b: tool, c: tool, d: tool, e: tool } }, [
  { name: "x:one", parameters: { type: "object", properties: {}, required: [] } },
]);

/** `n1 a, d1 if args.x, n2 b: n1→d1 d1→n2(true)` */
function flowOf(code: string): string {
  const { structure, problems } = analyse(code, vocabulary);
  expect(problems).toEqual([]);
  const nodes = structure.nodes.map((node) => {
    const within = node.within === undefined ? "" : ` in ${node.within}`;
    switch (node.type) {
      case "task":
        return `${node.id} ${node.tool.slice(2)}${within}`;
      case "capability":
        return `${node.id} ${node.name}${within}`;
      case "decision":
        return `${node.id} ${node.kind} ${node.condition}${within}`;
      case "join":
        return `${node.id}${within}`;
      default:
        return `${node.id} ${node.kind}${within}`;
    }
  });
  const edges = structure.edges.flatMap((edge) => {
    if (edge.type === "provides") return [];
    const word = edge.type === "conditional" ? edge.outcome : edge.type === "contains" ? "in" : "";
    return [`${edge.from}→${edge.to}${word === "" ? "" : `(${word})`}`];
  });
  return `${nodes.join(", ")}: ${edges.join(" ")}`.trim();
}

const CASES: Readonly<Record<string, readonly (readonly [code: string, flow: string])[]>> = {
  "[AN-3] ids follow the order of evaluation": [
    ["await mcp.t.a({ x: await mcp.t.b() });", "n1 b, n2 a: n1→n2"],
    [
      'await mcp.t["a"]({ x: `\u0024{await mcp.t.b()}\u0024{await mcp.t.c()}` });',
      "n1 b, n2 c, n3 a: n1→n2 n2→n3",
    ],
    [
      "const o = { [await mcp.t.a()]: await mcp.t.b(), c: await mcp.t.c() };",
      "n1 a, n2 b, n3 c: n1→n2 n2→n3",
    ],
    ["await capabilities.x.one({ v: await mcp.t.a() });", "n1 a, n2 x:one: n1→n2"],
    ["async function h() { return mcp.t.a(); }\nawait mcp.t.b(); await h();", "n1 b, n2 a: n1→n2"],
  ],
  "[AN-4] if": [
    [
      "if (args.x) await mcp.t.a(); await mcp.t.b();",
      "d1 if args.x, n1 a, n2 b: d1→n1(true) d1→n2(false) n1→n2",
    ],
    [
      "if (args.x) await mcp.t.a(); else await mcp.t.b(); await mcp.t.c();",
      "d1 if args.x, n1 a, n2 b, n3 c: d1→n1(true) d1→n2(false) n1→n3 n2→n3",
    ],
    [
      "if (args.a) { await mcp.t.a(); } else if (args.b) { await mcp.t.b(); } else if (args.c) { throw new Error('x'); } await mcp.t.d();",
      "d1 if args.a, n1 a, d2 if args.b, n2 b, d3 if args.c, n3 d: d1→n1(true) d1→d2(false) n1→n3 d2→n2(true) d2→d3(false) n2→n3 d3→n3(false)",
    ],
    [
      "await mcp.t.a(); if (args.x) return null; await mcp.t.b();",
      "n1 a, d1 if args.x, n2 b: n1→d1 d1→n2(false)",
    ],
    ["if (args.x) { args.y = 1; } await mcp.t.a();", "n1 a:"],
    ["if ((await mcp.t.a()).ok) {} await mcp.t.b();", "n1 a, n2 b: n1→n2"],
    ["const f = () => { if (args.x) return 1; }; if (args.y) f(); await mcp.t.a();", "n1 a:"],
  ],
  "[AN-4] ?:, &&, || and ??": [
    [
      "const x = args.a ? await mcp.t.a() : args.b ? await mcp.t.b() : await mcp.t.c(); await mcp.t.d();",
      "d1 ternary args.a, n1 a, d2 ternary args.b, n2 b, n3 c, n4 d: d1→n1(true) d1→d2(false) n1→n4 d2→n2(true) d2→n3(false) n2→n4 n3→n4",
    ],
    [
      "(await mcp.t.a()) && (await mcp.t.b()) || (await mcp.t.c()); await mcp.t.d();",
      "n1 a, d1 and await mcp.t.a(), n2 b, d2 or (await mcp.t.a()) && (await mcp.t.b()), n3 c, n4 d: n1→d1 d1→n2(true) d1→d2(false) n2→d2 d2→n3(false) d2→n4(true) n3→n4",
    ],
    [
      "if (args.a && (args.b || await mcp.t.a())) await mcp.t.b();",
      "d1 and args.a, d2 or args.b, n1 a, d3 if args.a && (args.b || await mcp.t.a()), n2 b: d1→d2(true) d1→d3(false) d2→n1(false) d2→d3(true) n1→d3 d3→n2(true)",
    ],
    [
      "const v = args.v ?? (await mcp.t.a()); await mcp.t.b();",
      "d1 nullish args.v, n1 a, n2 b: d1→n1(nullish) d1→n2(value) n1→n2",
    ],
    ["const v = args.v ?? args.w ?? 1; const w = args.a ? 1 : 2; await mcp.t.a();", "n1 a:"],
  ],
  "[AN-4] switch": [
    [
      "switch (args.x) { case 1: await mcp.t.a(); case 2: await mcp.t.b(); break; default: await mcp.t.c(); case 3: await mcp.t.d(); } await mcp.t.e();",
      "d1 switch args.x, n1 a, n2 b, n3 c, n4 d, n5 e: d1→n1(1) d1→n2(2) d1→n3(default) d1→n4(3) n1→n2 n2→n5 n3→n4 n4→n5",
    ],
    [
      "switch (args.x) { case 1: case 2: await mcp.t.b(); break; case 3: return 1; } await mcp.t.e();",
      "d1 switch args.x, n1 b, n2 e: d1→n1(1) d1→n1(2) d1→n2(default) n1→n2",
    ],
    ["switch (args.x) { case 1: args.y = 1; } await mcp.t.a();", "n1 a:"],
  ],
  "[FP-22] try": [
    [
      "await mcp.t.a(); try { await mcp.t.b(); await mcp.t.c(); } catch { await mcp.t.d(); } await mcp.t.e();",
      "n1 a, n2 b, n3 c, d1 try try, n4 d, n5 e: n1→n2 n2→n3 n2→d1 n3→d1 d1→n4(error) d1→n5(ok) n4→n5",
    ],
    [
      "try { return await mcp.t.a(); } catch (e) { await mcp.t.b(); throw e; }",
      "n1 a, d1 try try, n2 b: n1→d1 d1→n2(error)",
    ],
    [
      "await mcp.t.a(); try { JSON.parse(args.x); await mcp.t.b(); } catch { return 1; } await mcp.t.e();",
      "n1 a, n2 b, d1 try try, n3 e: n1→n2 n1→d1 n2→d1 d1→n3(ok)",
    ],
    [
      "await mcp.t.a(); try { await mcp.t.b({ x: args.x }); } catch { return 1; } await mcp.t.e();",
      "n1 a, n2 b, d1 try try, n3 e: n1→n2 n2→d1 d1→n3(ok)",
    ],
    [
      "try { await mcp.t.a(); } catch {} await mcp.t.b();",
      "n1 a, d1 try try, n2 b: n1→d1 d1→n2(ok) d1→n2(error)",
    ],
    ["try { return await mcp.t.a(); } finally { await mcp.t.b(); }", "n1 a, n2 b: n1→n2"],
    [
      "for (const x of args.xs) { try { if (x) continue; await mcp.t.a(); } finally { await mcp.t.b(); } } await mcp.t.c();",
      "l1 for-of, n1 a in l1, n2 b in l1, n3 c: l1→n1(in) l1→n2(in) l1→n3 n1→n2 n2→n3",
    ],
    [
      "async function h() { await mcp.t.a(); }\ntry { await h(); } catch { await mcp.t.b(); }\ntry { await h(); } catch { await mcp.t.c(); }",
      "n1 a, d1 try try, n2 b, d2 try try, n3 c: n1→d1 n1→d2 d1→n2(error) d1→d2(ok) n2→d2 d2→n3(error)",
    ],
  ],
  "[AN-4] loops": [
    [
      "for (const x of (await mcp.t.a()).xs) { await mcp.t.b({ x }); } await mcp.t.c();",
      "n1 a, l1 for-of, n2 b in l1, n3 c: n1→l1 l1→n2(in) l1→n3 n2→n3",
    ],
    [
      "for (let i = (await mcp.t.a()).n; i < (await mcp.t.b()).n; i += (await mcp.t.c()).n) { await mcp.t.d(); } await mcp.t.e();",
      "n1 a, l1 for, n2 b in l1, n3 d in l1, n4 c in l1, n5 e: n1→l1 l1→n2(in) n2→n3 n2→n5 n3→n4 n4→n5",
    ],
    ["for (const k in args.o) { await mcp.t.a({ k }); }", "l1 for-in, n1 a in l1: l1→n1(in)"],
    [
      "while (args.x) { await mcp.t.a(); if (args.y) break; await mcp.t.b(); } await mcp.t.c();",
      "l1 while, n1 a in l1, n2 b in l1, n3 c: l1→n1(in) l1→n3 n1→n2 n1→n3 n2→n3",
    ],
    [
      "do { await mcp.t.a(); if (args.x) break; } while ((await mcp.t.b()).more); await mcp.t.c();",
      "l1 do, n1 a in l1, n2 b in l1, n3 c: l1→n1(in) n1→n2 n1→n3 n2→n3",
    ],
    [
      "while (true) { const r = await mcp.t.a(); if (!r.more) return r; }",
      "l1 while, n1 a in l1, d1 if !r.more in l1: l1→n1(in) n1→d1",
    ],
    [
      "outer: for (const x of args.xs) { for (const y of x) { if ((await mcp.t.a({ y })).ok) continue outer; if (y) break outer; await mcp.t.b(); } } await mcp.t.c();",
      "l1 for-of, l2 for-of in l1, n1 a in l2, n2 b in l2, n3 c: l1→l2(in) l1→n3 l2→n1(in) l2→n3 n1→n2 n1→n3 n2→n3",
    ],
    [
      "for (const e of args.es) { if (e.bad) return null; } await mcp.t.a();",
      "d1 if e.bad, n1 a: d1→n1(false)",
    ],
    ["for (const e of args.es) console.log(e); await mcp.t.a();", "n1 a:"],
    [
      "args.xs.forEach((x) => void mcp.t.a({ x })); await mcp.t.b();",
      "l1 forEach, n1 a in l1, n2 b: l1→n1(in) l1→n2 n1→n2",
    ],
    [
      "const r = await args.xs.reduce(async (p, x) => { await p; return mcp.t.a({ x }); }, Promise.resolve()); await mcp.t.b();",
      "l1 reduce, n1 a in l1, n2 b: l1→n1(in) l1→n2 n1→n2",
    ],
    [
      "const xs = (await mcp.t.a()).xs.filter((x) => mcp.t.b({ x })); await mcp.t.c();",
      "n1 a, l1 filter, n2 b in l1, n3 c: n1→l1 l1→n2(in) l1→n3 n2→n3",
    ],
    ["args.ys.forEach(mcp.t.b);", "l1 forEach, n1 b in l1: l1→n1(in)"],
  ],
  "[AN-4] forks": [
    [
      "const [a, b] = await Promise.all([mcp.t.a(), mcp.t.b()]); await mcp.t.c();",
      "f1 all, n1 a in f1, n2 b in f1, j1, n3 c: f1→n1 f1→n2 n1→j1 n2→j1 j1→n3",
    ],
    [
      "await Promise.all((await mcp.t.a()).xs.map(async (x) => { await mcp.t.b({ x }); await mcp.t.c({ x }); })); await mcp.t.d();",
      "n1 a, f1 all, n2 b in f1, n3 c in f1, j1, n4 d: n1→f1 f1→n2 n2→n3 n3→j1 j1→n4",
    ],
    [
      "await Promise.race([mcp.t.a(), mcp.t.b({ x: await mcp.t.c() })]);",
      "f1 race, n1 a in f1, n2 c in f1, n3 b in f1, j1: f1→n1 f1→n2 n1→j1 n2→n3 n3→j1",
    ],
    [
      "await Promise.allSettled([mcp.t.a(), (async () => { await mcp.t.b(); await mcp.t.c(); })()]); await mcp.t.d();",
      "f1 allSettled, n1 a in f1, n2 b in f1, n3 c in f1, j1, n4 d: f1→n1 f1→n2 n1→j1 n2→n3 n2→j1 n3→j1 j1→n4",
    ],
    [
      "await Promise.all([...args.xs.map((x) => mcp.t.a({ x })), mcp.t.b()]); await mcp.t.c();",
      "f1 all, n1 a in f1, n2 b in f1, j1, n3 c: f1→n1 f1→n2 n1→j1 n2→j1 j1→n3",
    ],
    ["await Promise.all(args.xs.map(mcp.t.a));", "f1 all, n1 a in f1, j1: f1→n1 n1→j1"],
    ["await Promise.all(Array.from(args.xs, (x) => mcp.t.a({ x })));", "f1 all, n1 a in f1, j1: f1→n1 n1→j1"],
    [
      "const jobs = args.xs.map((x) => mcp.t.a({ x })); await mcp.t.b(); await Promise.all(jobs); await mcp.t.c();",
      "f1 all, n1 a in f1, n2 b, j1, n3 c: f1→n1 f1→n2 n1→j1 n2→j1 j1→n3",
    ],
    ["await Promise.all([args.p, args.q]); await mcp.t.a();", "n1 a:"],
    [
      "for (const x of args.xs) { await Promise.all([mcp.t.a({ x }), mcp.t.b({ x })]); }",
      "l1 for-of, f1 all in l1, n1 a in f1, n2 b in f1, j1 in l1: l1→f1(in) f1→n1 f1→n2 n1→j1 n2→j1",
    ],
  ],
  "[AN-2] functions of the code are walked where they are called": [
    [
      "async function h(p) { return await mcp.t.a({ p }); }\nawait mcp.t.b(); await h(1); await mcp.t.c(); await h(2); await mcp.t.d();",
      "n1 b, n2 a, n3 c, n4 d: n1→n2 n2→n3 n2→n4 n3→n4",
    ],
    [
      "const h = async (p) => { if (p) { return await mcp.t.a(); } await mcp.t.b(); };\nif (args.x) { await h(1); } else { await h(2); }\nawait mcp.t.c();",
      "d1 if args.x, d2 if p, n1 a, n2 b, n3 c: d1→d2(true) d1→d2(false) d2→n1(true) d2→n2(false) n1→n3 n2→n3",
    ],
    [
      "async function f(n) { if (n > 0) { await mcp.t.a(); await f(n - 1); } else { await mcp.t.b(); } }\nawait f(3); await mcp.t.c();",
      "d1 if n > 0, n1 a, n2 b, n3 c: d1→n1(true) d1→n2(false) n1→n3 n2→n3",
    ],
    [
      "const api = { read: async (p) => mcp.t.a({ p }), write: async (p) => mcp.t.b({ p }) };\nawait mcp.t.c(); await api.write(1); await api.read(2);",
      "n1 c, n2 b, n3 a: n1→n2 n2→n3",
    ],
    ["async function unused() { await mcp.t.a(); }\nawait mcp.t.b();", "n1 b, n2 a:"],
    [
      "const g = async () => mcp.t.a(); const alias = g; await mcp.t.b(); await alias();",
      "n1 b, n2 a: n1→n2",
    ],
    ["await (async () => { await mcp.t.a(); })(); await mcp.t.b();", "n1 a, n2 b: n1→n2"],
    [
      "await Promise.all(args.xs.map(work)); async function work(x) { await mcp.t.a({ x }); }",
      "f1 all, n1 a in f1, j1: f1→n1 n1→j1",
    ],
  ],
  "[AN-4] forks of what was started before": [
    [
      "const p = mcp.t.a(); const q = mcp.t.b(); await Promise.all([p, q]); await mcp.t.c();",
      "f1 all, n1 a in f1, n2 b in f1, j1, n3 c: f1→n1 f1→n2 n1→j1 n2→j1 j1→n3",
    ],
    [
      "await mcp.t.a(); const p = mcp.t.b(); await mcp.t.c(); const q = mcp.t.d(); const [x, y] = await Promise.all([p, q, mcp.t.e()]);",
      "n1 a, f1 all, n2 b in f1, n3 c, n4 d in f1, n5 e in f1, j1: n1→f1 f1→n2 f1→n3 n2→j1 n3→n4 n3→n5 n3→j1 n4→j1 n5→j1",
    ],
    [
      "const tasks = [mcp.t.a(), mcp.t.b()]; await mcp.t.c(); await Promise.all(tasks);",
      "f1 all, n1 a in f1, n2 b in f1, n3 c, j1: f1→n1 f1→n2 f1→n3 n1→j1 n2→j1 n3→j1",
    ],
    ["const p = mcp.t.a(); await p; await mcp.t.b();", "n1 a, n2 b: n1→n2"],
    [
      "await Promise.all(args.urls?.map((url) => mcp.t.a({ url })) ?? []); await mcp.t.b();",
      "f1 all, n1 a in f1, j1, n2 b: f1→n1 n1→j1 j1→n2",
    ],
    [
      "await Promise.all(args.urls.map((url) => url ? mcp.t.a({ url }) : null).filter(Boolean));",
      "f1 all, d1 ternary url in f1, n1 a in f1, j1: f1→d1 d1→n1(true) d1→j1(false) n1→j1",
    ],
  ],
  "[AN-2] functions that are handed to functions of the code": [
    [
      "async function retry(f) { for (let i = 0; i < 3; i++) { try { return await f(); } catch (e) { await mcp.t.b(); } } }\nawait retry(() => mcp.t.a()); await mcp.t.c();",
      "l1 for, n1 a in l1, d1 try try in l1, n2 b in l1, n3 c: l1→n1(in) l1→n3 n1→d1 n1→n3 d1→n2(error) n2→n3",
    ],
    [
      "const logged = async (f) => { await mcp.t.a(); const r = await f(); await mcp.t.b(); return r; };\nconst read = () => mcp.t.c();\nawait logged(read);",
      "n1 a, n2 c, n3 b: n1→n2 n2→n3",
    ],
    [
      "async function each(xs, f) { for (const x of xs) await f(x); }\nawait each(args.xs, (x) => mcp.t.a({ x })); await mcp.t.b();",
      "l1 for-of, n1 a in l1, n2 b: l1→n1(in) l1→n2 n1→n2",
    ],
    ["const run = (f) => f(); await run(() => mcp.t.a()); await run(() => mcp.t.b());", "n1 a, n2 b: n1→n2"],
    ["const unread = async () => { await mcp.t.a(); }; await mcp.t.b();", "n1 b, n2 a:"],
  ],
  "[AN-2] methods of classes": [
    [
      "class Store { async load(p) { return mcp.t.a({ p }); } async both() { await this.load(1); await mcp.t.b(); } }\nconst store = new Store(); await mcp.t.c(); if (args.x) await store.both();",
      "n1 c, d1 if args.x, n2 a, n3 b: n1→d1 d1→n2(true) n2→n3",
    ],
    [
      "class T { static async go() { return mcp.t.a(); } }\nawait mcp.t.b(); await T.go();",
      "n1 b, n2 a: n1→n2",
    ],
  ],
  "[AN-4] logical assignment": [
    [
      "let c; c ??= await mcp.t.a(); await mcp.t.b();",
      "d1 nullish c, n1 a, n2 b: d1→n1(nullish) d1→n2(value) n1→n2",
    ],
    [
      "args.cache[args.k] ||= await mcp.t.a(); await mcp.t.b();",
      "d1 or args.cache[args.k], n1 a, n2 b: d1→n1(false) d1→n2(true) n1→n2",
    ],
    ["(await mcp.t.a()).x ??= await mcp.t.b(); await mcp.t.c();", "n1 a, n2 b, n3 c: n1→n2 n1→n3 n2→n3"],
  ],
  "[AN-4] what may not happen is passed by": [
    ["await mcp.t.a(); args.f?.(await mcp.t.b()); await mcp.t.c();", "n1 a, n2 b, n3 c: n1→n2 n1→n3 n2→n3"],
    [
      "await mcp.t.a(); const { data = await mcp.t.b() } = args; await mcp.t.c();",
      "n1 a, n2 b, n3 c: n1→n2 n1→n3 n2→n3",
    ],
    [
      "await mcp.t.a(); args.x ??= await mcp.t.b(); await mcp.t.c();",
      "n1 a, d1 nullish args.x, n2 b, n3 c: n1→d1 d1→n2(nullish) d1→n3(value) n2→n3",
    ],
    [
      "await mcp.t.a(); setTimeout(() => mcp.t.b(), 1); await mcp.t.c();",
      "n1 a, n2 b, n3 c: n1→n2 n1→n3 n2→n3",
    ],
    [
      "const r = await mcp.t.a().catch(() => mcp.t.b()); await mcp.t.c({ r });",
      "n1 a, n2 b, n3 c: n1→n2 n1→n3 n2→n3",
    ],
    [
      "const r = await mcp.t.a().then((x) => mcp.t.b({ x }), () => mcp.t.c()).finally(() => mcp.t.d()); await mcp.t.e();",
      "n1 a, n2 b, n3 c, n4 d, n5 e: n1→n2 n1→n3 n2→n4 n3→n4 n4→n5",
    ],
    [
      "let f = mcp.t.a; if (args.x) f = mcp.t.b; await f({}); await mcp.t.c();",
      "n1 a, d1 if args.x, n2 b, n3 c: n1→d1 d1→n2(true) d1→n3(true) d1→n3(false) n2→n3",
    ],
    ["return 1; await mcp.t.a();", "n1 a:"],
  ],
};

describe("flow", () => {
  it.each(
    Object.entries(CASES).flatMap(([title, cases]) => cases.map(([code, flow]) => ({ title, code, flow }))),
  )("$title: $code", ({ code, flow }) => expect(flowOf(code)).toBe(flow));
});
