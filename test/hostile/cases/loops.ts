/** Code that never ends, at every place where the host waits for it. */
import { contained, error, type HostileCase, hostile, LOOP_MS, limit } from "../hostile-case.js";

function loop(name: string, code: string): HostileCase {
  return hostile(`loops/${name}`, code, limit("time"), { limits: { timeMs: LOOP_MS } });
}

export const LOOPS: readonly HostileCase[] = [
  hostile("loops/sync", `while (true) {}`, limit("time"), {
    limits: { timeMs: LOOP_MS },
    defences: ["time-limit"],
  }),
  hostile("loops/sync-unwatched", `while (true) {}`, contained(), {
    limits: { timeMs: LOOP_MS },
    without: ["time-limit"],
    defences: ["cpu-limit"],
  }),
  loop("after-await", `await null; for (let i = 0; ; i += 1) { i %= 7; }`),
  loop("after-timer", `await new Promise((done) => setTimeout(done, 5)); for (;;) {}`),
  loop("microtasks", `for (;;) await null;`),
  loop("promise-chain", `const next = () => Promise.resolve().then(next); await next();`),
  loop("timers", `const next = () => setTimeout(next, 0); next(); await new Promise(() => {});`),
  // An engine may see that nothing is left that could settle it.
  hostile("loops/never-settles", `await new Promise(() => {}); return 1;`, contained(), {
    limits: { timeMs: LOOP_MS },
  }),
  loop("in-finally", `try { return 1; } finally { for (;;) {} }`),
  loop("in-catch", `try { null.x; } catch { for (;;) {} }`),
  loop("getter-of-result", `return { get x() { for (;;) {} } };`),
  loop("to-json-of-result", `return { toJSON() { for (;;) {} } };`),
  loop("proxy-keys-of-result", `return new Proxy({}, { ownKeys() { for (;;) {} } });`),
  loop("proxy-get-of-result", `return new Proxy({ a: 1 }, { get() { for (;;) {} } });`),
  // An engine may give up on such a chain by itself.
  hostile(
    "loops/endless-prototypes-of-result",
    `const make = () => new Proxy({}, { getPrototypeOf: () => make() }); return make();`,
    contained(),
    { limits: { timeMs: LOOP_MS } },
  ),
  loop("getter-of-arguments", `await mcp.test.echo({ get x() { for (;;) {} } });`),
  loop("proxy-in-log", `console.log(new Proxy({}, { ownKeys() { for (;;) {} } })); return 1;`),
  hostile(
    "loops/endless-prototypes-in-log",
    `const make = () => new Proxy({}, { getPrototypeOf: () => make() }); console.log(make()); return 1;`,
    contained(1),
    { limits: { timeMs: LOOP_MS } },
  ),
  loop("message-of-error", `class E extends Error { get message() { for (;;) {} } } throw new E();`),
  loop(
    "stack-of-error",
    `const e = new Error("x"); Object.defineProperty(e, "stack", { get() { for (;;) {} } }); throw e;`,
  ),
  loop("proxy-thrown", `throw new Proxy(new Error("x"), { getPrototypeOf() { for (;;) {} } });`),
  loop("thenable-returned", `return { then() { for (;;) {} } };`),
  loop("thenable-of-thenables", `const make = () => ({ then(done) { done(make()); } }); return make();`),
  loop("sort-comparator", `return [3, 2, 1].sort(() => { for (;;) {} });`),
  loop("reviver", `return JSON.parse("[1]", () => { for (;;) {} });`),
  loop("replacer", `return "a".replace(/a/, () => { for (;;) {} });`),
  loop("to-primitive-of-delay", `setTimeout(() => {}, { valueOf() { for (;;) {} } }); return 1;`),
  loop("name-of-hint", `pml.hint({ get name() { for (;;) {} } }); return 1;`),
  loop(
    "timer-while-awaiting-tool",
    `setTimeout(() => { for (;;) {} }, 0); await new Promise((done) => setTimeout(done, 30)); return 1;`,
  ),
  loop(
    "async-generator",
    `async function* g() { for (;;) yield 1; } for await (const x of g()) {} return 1;`,
  ),
  loop("logging", `for (;;) console.log("x");`),
  loop("progress", `for (let i = 0; ; i += 1) pml.progress(i);`),
  loop("clock", `for (;;) Date.now();`),
  hostile("loops/tool-that-hangs", `await mcp.test.slow({ ms: 60000 }); return 1;`, limit("time"), {
    limits: { timeMs: LOOP_MS },
    callsMost: 1,
  }),
  hostile(
    "loops/tools-for-ever",
    `for (;;) { try { await mcp.test.echo({}); } catch {} }`,
    limit("tool-calls"),
    {
      limits: { toolCalls: 20 },
      callsMost: 20,
    },
  ),
  hostile("loops/regular-expression", `return /^(a+)+$/.test("a".repeat(40) + "!");`, limit("time"), {
    limits: { timeMs: LOOP_MS },
  }),
  hostile(
    "loops/regular-expression-replace",
    `return "x".repeat(200000).replace(/(x+x+)+y/, "").length;`,
    contained(200_000),
    {
      limits: { timeMs: LOOP_MS },
    },
  ),
  // Inside one built-in function no code runs that could be interrupted.
  hostile(
    "loops/built-in-index-of",
    `return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);`,
    contained(-1),
    {
      limits: { timeMs: LOOP_MS },
    },
  ),
  hostile(
    "loops/built-in-reverse",
    `return Array.prototype.reverse.call({ length: 2 ** 53 - 1 }).length;`,
    contained(),
    {
      limits: { timeMs: LOOP_MS },
    },
  ),
  hostile("loops/built-in-join", `return Array(2 ** 28).join("").length;`, contained(0), {
    limits: { timeMs: LOOP_MS },
  }),
  hostile("loops/sparse-for-each", `new Array(2 ** 32 - 1).forEach(() => {}); return 1;`, contained(1), {
    limits: { timeMs: LOOP_MS },
  }),
  hostile(
    "loops/endless-spread",
    `return [...(function* () { for (;;) yield 1; })()].length;`,
    limit("time", "memory"),
    {
      limits: { timeMs: LOOP_MS },
    },
  ),
  hostile("loops/big-integer-power", `return String(3n ** (3n ** 17n)).length;`, contained(), {
    limits: { timeMs: LOOP_MS },
  }),
  hostile("loops/big-integer-text", `return (1n << 8000000n).toString().length;`, contained(2_408_240), {
    limits: { timeMs: LOOP_MS },
  }),
  hostile(
    "loops/shared-structure",
    `let node = []; for (let i = 0; i < 100; i += 1) node = [node, node]; return node;`,
    limit("output", "time", "memory"),
    { limits: { timeMs: 3_000 } },
  ),
  hostile(
    "loops/shared-structure-left-out",
    `const wide = {}; for (let i = 0; i < 50000; i += 1) wide["k" + i] = undefined; return Array(1000000).fill(wide);`,
    limit("output", "time"),
    { limits: { timeMs: LOOP_MS } },
  ),
  hostile(
    "loops/stringify-shared",
    `let node = {}; for (let i = 0; i < 60; i += 1) node = { a: node, b: node }; return JSON.stringify(node).length;`,
    contained(),
    {
      limits: { timeMs: 2_000 },
    },
  ),
  hostile(
    "loops/loop-caught-by-nobody",
    `Promise.reject(1); (async () => { for (;;) await null; })(); await new Promise((done) => setTimeout(done, 10)); return 1;`,
    limit("time"),
    {
      limits: { timeMs: LOOP_MS },
    },
  ),
  hostile("loops/deep-recursion", `const f = (n) => f(n + 1) + 1; return f(0);`, error(/stack|recursion/i)),
];
