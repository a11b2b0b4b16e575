/** Code that wants all memory. Each stops by itself well before the machine would suffer, and well after the limit. */
import { contained, error, type HostileCase, hostile, limit, value } from "../hostile-case.js";

/** The sooner it is over, the better. */
const SMALL = { memoryMb: 32, timeMs: 2_500 };

/** What a bomb says if it was not stopped. */
const WENT_OFF = "went off";

function bomb(name: string, code: string): HostileCase {
  return hostile(`bombs/${name}`, `${code} return "${WENT_OFF}";`, limit("memory", "time"), {
    limits: SMALL,
  });
}

/** As {@link bomb}; engines answer some with an error that code could catch. */
function soft(name: string, code: string): HostileCase {
  return hostile(`bombs/${name}`, `${code} return "${WENT_OFF}";`, contained(), {
    limits: SMALL,
  });
}

export const BOMBS: readonly HostileCase[] = [
  bomb("objects", `const a = []; for (let i = 0; i < 8e6; i += 1) a.push({ i, b: { c: [i] } });`),
  // Little enough for those who look at the process from outside to let it pass.
  hostile(
    "bombs/objects-beyond-heap",
    `const a = []; for (let i = 0; i < 1300000; i += 1) a.push({ i, b: i, c: i, d: i }); return "${WENT_OFF}";`,
    limit("memory"),
    { without: ["data-limit"], defences: ["heap-limit"] },
  ),
  bomb("arrays", `const a = []; for (let i = 0; i < 6000; i += 1) a.push(new Array(10000).fill(i + 0.5));`),
  soft(
    "string-doubling",
    `let s = "x"; for (let i = 0; i < 40; i += 1) { s += s; if (i > 20) [...s.slice(0, 10)]; } const flat = Array.from({ length: 8 }, () => s.split(""));`,
  ),
  bomb(
    "strings",
    `const a = []; for (let i = 0; i < 600; i += 1) a.push(("é€" + i).repeat(200000).toUpperCase());`,
  ),
  soft(
    "string-repeat",
    `const a = []; for (let i = 0; i < 4; i += 1) a.push("x".repeat(2 ** 29 - 24).toUpperCase());`,
  ),
  soft(
    "typed-arrays",
    `const a = []; for (let i = 0; i < 600; i += 1) a.push(new Uint8Array(1024 * 1024).fill(1));`,
  ),
  soft("typed-arrays-at-once", `const a = new Uint8Array(600 * 1024 * 1024).fill(1);`),
  hostile("bombs/typed-array-untouched", `return new Uint8Array(400 * 1024 * 1024).length;`, contained(), {
    defences: ["data-limit"],
  }),
  soft(
    "array-buffers-unused",
    `const a = []; for (let i = 0; i < 6; i += 1) a.push(new ArrayBuffer(2 ** 30));`,
  ),
  soft(
    "resizable-buffer",
    `const b = new ArrayBuffer(0, { maxByteLength: 2 ** 30 }); b.resize(600 * 2 ** 20); new Uint8Array(b).fill(1);`,
  ),
  bomb("map", `const m = new Map(); for (let i = 0; i < 8e6; i += 1) m.set({}, i);`),
  bomb("set", `const s = new Set(); for (let i = 0; i < 8e6; i += 1) s.add("key " + i);`),
  soft(
    "big-integers",
    `const a = []; let n = 1n << 8388000n; for (let i = 0; i < 600; i += 1) a.push(n + BigInt(i));`,
  ),
  bomb("closures", `const a = []; for (let i = 0; i < 8e6; i += 1) { const x = [i]; a.push(() => x); }`),
  bomb(
    "promises",
    `const a = []; for (let i = 0; i < 4e6; i += 1) a.push(new Promise(() => {}).then(() => i));`,
  ),
  bomb("microtask-queue", `for (let i = 0; i < 2e7; i += 1) Promise.resolve(i).then((x) => x);`),
  bomb("symbols", `const a = []; for (let i = 0; i < 8e6; i += 1) a.push(Symbol("s" + i));`),
  bomb("linked-list", `let head = null; for (let i = 0; i < 2e7; i += 1) head = { head };`),
  bomb(
    "weak-map-kept",
    `const w = new WeakMap(), kept = []; for (let i = 0; i < 5e6; i += 1) { const k = {}; kept.push(k); w.set(k, [i]); }`,
  ),
  bomb(
    "errors-with-stacks",
    `const a = []; const f = (n) => (n === 0 ? new Error("x".repeat(100)) : f(n - 1)); for (let i = 0; i < 3e6; i += 1) a.push(f(20));`,
  ),
  soft(
    "structured-clones",
    `let x = { a: Array.from({ length: 1000 }, (_, i) => ({ i })) }; const a = []; for (let i = 0; i < 5000; i += 1) a.push(structuredClone(x));`,
  ),
  soft(
    "encoded-text",
    `const s = "€".repeat(4e6); const e = new TextEncoder(), a = []; for (let i = 0; i < 60; i += 1) a.push(e.encode(s));`,
  ),
  soft(
    "search-params",
    `const p = new URLSearchParams(); for (let i = 0; i < 3e6; i += 1) p.append("key" + i, "value".repeat(20));`,
  ),
  soft(
    "formats",
    `const a = []; for (let i = 0; i < 300000; i += 1) a.push(new Intl.NumberFormat("en", { minimumFractionDigits: i % 10 }));`,
  ),
  soft(
    "regular-expressions",
    `const a = []; for (let i = 0; i < 100000; i += 1) { const r = new RegExp("(a{1,50}){1,50}" + i); r.test("a".repeat(50)); a.push(r); }`,
  ),
  soft("one-array", `const a = new Array(2 ** 27).fill(1.5); const b = new Array(2 ** 27).fill(a);`),
  soft("array-length", `const a = []; a.length = 2 ** 32 - 1; a.fill({});`),
  hostile("bombs/result-100-mb", `return "y".repeat(100 * 1024 * 1024);`, limit("output", "memory")),
  hostile(
    "bombs/result-many-100-mb",
    `return Array.from({ length: 100 }, () => "y".repeat(1024 * 1024));`,
    limit("output", "memory"),
  ),
  hostile(
    "bombs/argument-100-mb",
    `await mcp.test.echo({ x: "y".repeat(100 * 1024 * 1024) }); return 1;`,
    limit("arguments", "memory"),
  ),
  hostile(
    "bombs/shared-wide-argument",
    `const wide = Array(1000).fill("x".repeat(1000)); await mcp.test.echo({ x: Array(1000).fill(wide) }); return 1;`,
    limit("arguments"),
  ),
  hostile(
    "bombs/answers-kept",
    `const a = []; for (let i = 0; i < 40; i += 1) a.push(await mcp.test.big({ chars: 4000000 })); return a.length;`,
    limit("memory"),
    {
      callsMost: 40,
    },
  ),
  hostile(
    "bombs/recursion-caught",
    `let depth = 0; const f = () => { depth += 1; f(); }; try { f(); } catch {} return depth > 100;`,
    value(true),
  ),
  hostile(
    "bombs/recursion-of-json",
    `let x = []; for (let i = 0; i < 200000; i += 1) x = [x]; try { JSON.stringify(x); return "written"; } catch { return "refused"; }`,
    contained("written", "refused"),
  ),
  hostile(
    "bombs/recursion-of-getters",
    `const o = { get x() { return this.x; } }; return o.x;`,
    error(/stack|recursion/i),
  ),
  hostile(
    "bombs/recursion-of-proxies",
    `let p = {}; for (let i = 0; i < 200000; i += 1) p = new Proxy(p, {}); return p.x ?? "none";`,
    contained("none"),
  ),
  hostile(
    "bombs/recursion-at-guest",
    `const f = () => { try { f(); } catch {} try { mcp.test.echo({}).catch(() => {}); } catch {} console.log("x"); }; f(); return 1;`,
    contained(1),
    {
      limits: { timeMs: 2_000, toolCalls: 20 },
      callsMost: 20,
    },
  ),
  hostile(
    "bombs/recursion-of-prototype",
    `let o = {}; for (let i = 0; i < 100000; i += 1) o = Object.create(o); return o.x ?? "none";`,
    contained("none"),
  ),
  hostile(
    "bombs/regular-expression-nesting",
    `try { new RegExp("(".repeat(200000) + ")".repeat(200000)); return "made"; } catch { return "refused"; }`,
    contained("made", "refused"),
  ),
  hostile(
    "bombs/memory-in-a-timer",
    `setTimeout(() => { const a = []; for (let i = 0; i < 8e6; i += 1) a.push({ i, b: [i] }); }, 0); await new Promise((done) => setTimeout(done, 2000)); return 1;`,
    contained(1),
    {
      limits: SMALL,
    },
  ),
  hostile(
    "bombs/memory-while-written",
    `return { toJSON() { const a = []; for (let i = 0; i < 8e6; i += 1) a.push({ i, b: [i] }); return 1; } };`,
    contained(),
    {
      limits: SMALL,
    },
  ),
  hostile(
    "bombs/memory-caught",
    `try { const a = []; for (let i = 0; i < 8e6; i += 1) a.push({ i, b: [i] }); } catch { return "caught"; } return "${WENT_OFF}";`,
    contained("caught"),
    {
      limits: SMALL,
    },
  ),
  hostile("bombs/web-assembly", `return typeof globalThis["WebAs" + "sembly"];`, value("undefined"), {
    defences: ["deleted-globals"],
  }),
];
