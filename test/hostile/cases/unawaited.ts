/** Code that leaves work behind. */
import { contained, hostile, value } from "../hostile-case.js";

export const UNAWAITED = [
  hostile("unawaited/slow-call", `mcp.test.slow({ ms: 5000 }); return "done";`, value("done"), {
    callsMost: 1,
    cancelled: 1,
  }),
  hostile(
    "unawaited/call-in-timer",
    `setTimeout(() => mcp.test.count({}), 30); return "done";`,
    value("done"),
  ),
  hostile(
    "unawaited/call-in-microtask",
    `Promise.resolve().then(() => null).then(() => null).then(() => null).then(() => null).then(() => null).then(() => mcp.test.count({})); return "done";`,
    value("done"),
    {
      callsMost: 1,
    },
  ),
  hostile(
    "unawaited/call-in-finally",
    `try { return "done"; } finally { mcp.test.slow({ ms: 5000 }); }`,
    value("done"),
    {
      callsMost: 1,
      cancelled: 1,
    },
  ),
  hostile(
    "unawaited/loop-of-calls",
    `(async () => { for (;;) await mcp.test.count({}); })(); await mcp.test.slow({ ms: 20 }); return "done";`,
    contained("done"),
    {
      callsMost: 50,
    },
  ),
  hostile(
    "unawaited/many-calls",
    `for (let i = 0; i < 40; i += 1) mcp.test.slow({ ms: 5000 }); return "done";`,
    value("done"),
    {
      callsMost: 40,
      cancelled: 40,
    },
  ),
  hostile(
    "unawaited/failing-call",
    `mcp.test.fail({}); await mcp.test.slow({ ms: 20 }); return "done";`,
    value("done"),
    { callsMost: 2 },
  ),
  hostile(
    "unawaited/call-in-to-json",
    `return { toJSON() { mcp.test.slow({ ms: 5000 }); return "done"; } };`,
    value("done"),
    {
      callsMost: 1,
      cancelled: 1,
    },
  ),
  hostile(
    "unawaited/call-after-throw",
    `setTimeout(() => mcp.test.count({}), 0); Promise.resolve().then(() => null).then(() => mcp.test.slow({ ms: 5000 })); throw new Error("x");`,
    contained(),
    {
      callsMost: 1,
    },
  ),
  hostile(
    "unawaited/thenable-with-call",
    `return { then(done) { mcp.test.slow({ ms: 5000 }); done("done"); mcp.test.slow({ ms: 5000 }); } };`,
    value("done"),
    { callsMost: 2 },
  ),
  hostile(
    "unawaited/rejection",
    `Promise.reject(new Error("nobody listens")); await new Promise((done) => setTimeout(done, 20)); return "done";`,
    value("done"),
    {
      defences: ["unhandled-rejections"],
    },
  ),
  hostile(
    "unawaited/rejection-of-odd-things",
    `for (const x of [null, undefined, Symbol("s"), new Proxy({}, { get() { throw 1; } }), 1n, () => {}]) Promise.reject(x); await new Promise((done) => setTimeout(done, 20)); return "done";`,
    value("done"),
  ),
  hostile(
    "unawaited/rejection-at-end",
    `setTimeout(() => Promise.reject(1), 0); Promise.reject(2); return "done";`,
    value("done"),
  ),
  hostile(
    "unawaited/throw-in-timer",
    `setTimeout(() => { throw new Error("late"); }, 0); await new Promise((done) => setTimeout(done, 20)); return "done";`,
    value("done"),
  ),
  hostile(
    "unawaited/throw-odd-in-timer",
    `for (const x of [null, new Proxy({}, { getPrototypeOf() { throw 1; } }), Symbol()]) setTimeout(() => { throw x; }, 0); await new Promise((done) => setTimeout(done, 20)); return "done";`,
    value("done"),
  ),
  hostile(
    "unawaited/loop-after-return",
    `setTimeout(() => { for (;;) {} }, 0); return "done";`,
    value("done"),
  ),
  hostile(
    "unawaited/loop-in-microtask",
    `Promise.resolve().then(() => null).then(() => null).then(() => null).then(() => null).then(() => null).then(() => null).then(() => { for (;;) {} }); return "done";`,
    contained("done"),
    {
      limits: { timeMs: 1_000 },
    },
  ),
  hostile(
    "unawaited/memory-after-return",
    `setTimeout(() => { const a = []; for (let i = 0; i < 1e7; i += 1) a.push({ i }); }, 0); return "done";`,
    value("done"),
  ),
  hostile(
    "unawaited/finalizers",
    `const r = new FinalizationRegistry(() => { throw new Error("finalized"); }); for (let i = 0; i < 100000; i += 1) r.register({ i }, i); await new Promise((done) => setTimeout(done, 50)); for (let i = 0; i < 3e5; i += 1) ({ i: [i] }); await new Promise((done) => setTimeout(done, 20)); return "done";`,
    contained("done"),
  ),
  hostile(
    "unawaited/logs-after-return",
    `setTimeout(() => console.log("late"), 0); Promise.resolve().then(() => console.log("soon")); return "done";`,
    value("done"),
  ),
  hostile(
    "unawaited/progress-held-back",
    `for (let i = 0; i < 10; i += 1) pml.progress(i); setTimeout(() => pml.progress(99), 60); return "done";`,
    value("done"),
  ),
  hostile(
    "unawaited/answer-after-cancel",
    `const p = mcp.test.slow({ ms: 10 }); p.then(() => mcp.test.count({})); return "done";`,
    value("done"),
    { callsMost: 1 },
  ),
  hostile(
    "unawaited/race",
    `return await Promise.race([mcp.test.slow({ ms: 5000 }), mcp.test.echo({ a: 1 })]);`,
    value({ a: 1 }),
    {
      callsMost: 2,
      cancelled: 1,
    },
  ),
];
