/** Code that says too much: logs, progress, hints, calls, timers. */
import { contained, error, hostile, limit, value } from "../hostile-case.js";

export const FLOODS = [
  hostile(
    "floods/logs",
    `for (let i = 0; i < 20000; i += 1) console.log("x".repeat(1000)); return "ok";`,
    value("ok"),
  ),
  hostile(
    "floods/empty-logs",
    `for (let i = 0; i < 20000; i += 1) console.log(i % 2 === 0 ? "" : "12345678"); return "ok";`,
    value("ok"),
  ),
  hostile("floods/one-log", `console.log("€".repeat(10 * 1024 * 1024)); return "ok";`, contained("ok")),
  hostile(
    "floods/log-arguments",
    `console.log(...Array.from({ length: 5000 }, (_, i) => ({ i, text: "x".repeat(100) }))); return "ok";`,
    value("ok"),
  ),
  hostile(
    "floods/deep-log",
    `let x = {}; for (let i = 0; i < 100000; i += 1) x = { x }; console.log(x); return "ok";`,
    value("ok"),
  ),
  hostile(
    "floods/wide-log",
    `const x = {}; for (let i = 0; i < 30000; i += 1) x["k" + i] = i; console.log(x, new Map(Object.entries(x)), new Set(Object.keys(x))); return "ok";`,
    value("ok"),
  ),
  hostile(
    "floods/shared-log",
    `let x = {}; for (let i = 0; i < 60; i += 1) x = { a: x, b: x }; for (let i = 0; i < 50; i += 1) console.log(x); return "ok";`,
    value("ok"),
  ),
  hostile(
    "floods/progress",
    `for (let i = 0; i < 20000; i += 1) pml.progress(i, 100000, "step " + i); return "ok";`,
    value("ok"),
  ),
  hostile(
    "floods/progress-text",
    `for (let i = 0; i < 100; i += 1) pml.progress(i, 100, "x".repeat(1000000)); return "ok";`,
    value("ok"),
  ),
  hostile(
    "floods/hints",
    `for (let i = 0; i < 1000; i += 1) pml.hint({ name: "n".repeat(10000), description: "d".repeat(10000) }); return "ok";`,
    value("ok"),
  ),
  hostile(
    "floods/calls-in-turn",
    `for (let i = 0; ; i += 1) await mcp.test.count({});`,
    limit("tool-calls"),
    { callsMost: 50 },
  ),
  hostile(
    "floods/calls-at-once",
    `const all = []; for (let i = 0; i < 100000; i += 1) all.push(mcp.test.count({})); await Promise.all(all); return 1;`,
    limit("tool-calls"),
    {
      callsMost: 50,
    },
  ),
  hostile(
    "floods/calls-nobody-waits-for",
    `for (let i = 0; i < 100000; i += 1) mcp.test.slow({ ms: 50 }); await new Promise((done) => setTimeout(done, 500)); return 1;`,
    limit("tool-calls"),
    {
      callsMost: 50,
    },
  ),
  hostile(
    "floods/calls-in-flight",
    `await Promise.all(Array.from({ length: 600 }, () => mcp.test.slow({ ms: 20 }))); return "ok";`,
    value("ok"),
    {
      limits: { toolCalls: 1_000 },
      callsMost: 600,
      callsAtOnceMost: 256,
    },
  ),
  hostile(
    "floods/failing-calls",
    `let n = 0; for (let i = 0; i < 40; i += 1) { try { await mcp.test.fail({}); } catch { n += 1; } } return n;`,
    value(40),
    {
      callsMost: 40,
    },
  ),
  hostile(
    "floods/caught-limit",
    `let caught = 0; for (let i = 0; i < 200; i += 1) { try { await mcp.test.count({}); } catch { caught += 1; } } return caught;`,
    limit("tool-calls"),
    {
      callsMost: 50,
    },
  ),
  hostile(
    "floods/large-arguments",
    `await Promise.all(Array.from({ length: 12 }, () => mcp.test.count({ x: "y".repeat(4000000) }))); return "ok";`,
    contained("ok"),
    {
      callsMost: 50,
    },
  ),
  hostile(
    "floods/large-answers",
    `const all = await Promise.all(Array.from({ length: 12 }, () => mcp.test.big({ chars: 4000000 }))); return all.length;`,
    contained(12),
    {
      callsMost: 50,
    },
  ),
  hostile(
    "floods/long-names",
    `const out = []; for (const n of [1e3, 1e6, 9e6]) { try { await mcp["x".repeat(n)]({}); out.push("answered"); } catch (e) { out.push(e.name); } } return out;`,
    contained(["ToolError", "ToolError", "ToolError"]),
    {
      callsMost: 3,
    },
  ),
  hostile(
    "floods/many-arguments",
    `const x = {}; for (let i = 0; i < 50000; i += 1) x["k" + i] = i; const r = await mcp.test.count(x); return typeof r;`,
    value("number"),
    {
      callsMost: 1,
    },
  ),
  hostile(
    "floods/timers",
    `for (let i = 0; i < 1e6; i += 1) setTimeout(() => {}, 1e6); return "ok";`,
    error(/timer/i),
  ),
  hostile(
    "floods/timers-that-fire",
    `let n = 0; for (let round = 0; round < 10; round += 1) { for (let i = 0; i < 900; i += 1) setTimeout(() => { n += 1; }, 0); await new Promise((done) => setTimeout(done, 1)); } return n > 0;`,
    contained(true),
  ),
  hostile(
    "floods/rejections",
    `for (let i = 0; i < 10000; i += 1) Promise.reject(new Error("r" + i)); await new Promise((done) => setTimeout(done, 20)); return "ok";`,
    value("ok"),
    {
      defences: ["unhandled-rejections"],
    },
  ),
  hostile(
    "floods/throwing-timers",
    `for (let i = 0; i < 900; i += 1) setTimeout(() => { throw new Error("x".repeat(10000)); }, 0); await new Promise((done) => setTimeout(done, 20)); return "ok";`,
    value("ok"),
  ),
  hostile(
    "floods/clock-readings",
    `let n = 0; for (let i = 0; i < 30000; i += 1) { Date.now(); n += 1; } return n;`,
    value(30_000),
  ),
  hostile(
    "floods/clock-readings-that-differ",
    `let seen = 0, last = 0; const until = Date.now() + 300; while (Date.now() < until) { const t = Date.now(); if (t !== last) seen += 1; last = t; } return seen > 0;`,
    value(true),
  ),
  hostile("floods/warnings", `return Array(200000).fill(NaN);`, value(Array(200_000).fill(null)), {
    warnings: /not finite/,
  }),
  hostile(
    "floods/warnings-of-calls",
    `for (let i = 0; i < 45; i += 1) await mcp.test.count({ x: NaN }); return "ok";`,
    value("ok"),
    { callsMost: 45 },
  ),
  hostile("floods/message", `throw new Error("m".repeat(50 * 1024 * 1024));`, contained()),
  hostile(
    "floods/name-of-error",
    `const e = new Error("x"); e.name = "n".repeat(5 * 1024 * 1024); throw e;`,
    error(/x/),
  ),
  hostile(
    "floods/stack-of-error",
    `const e = new Error("x"); e.stack = ("at pml:main:1:1\\n").repeat(500000); throw e;`,
    error(/x/),
  ),
];
