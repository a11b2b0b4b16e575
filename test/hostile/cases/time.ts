/** The clock and the randomness of a run: its own, and the same again where it is replayed. */
import { hostile, value } from "../hostile-case.js";

export const TIME = [
  hostile(
    "time/only-the-run-s-clock",
    `const years = [Date.now(), +new Date(), +Reflect.construct(Date, []), +new (new Date(0).constructor)(), +new (class extends Date {})(), Date.parse(Date()), +structuredClone(new Date()), Object.getPrototypeOf(new Date(0)).constructor.now()].map((ms) => new Date(ms).getUTCFullYear());
     if (globalThis.Intl !== undefined) { const f = new Intl.DateTimeFormat("en", { year: "numeric", timeZone: "UTC" }); years.push(+f.format(), +f.formatToParts().find((p) => p.type === "year").value, +f.format(undefined), +new Intl.DateTimeFormat("en", { year: "numeric", timeZone: "UTC" }).format()); }
     return [[...new Set(years)], typeof globalThis.performance, typeof globalThis.Temporal, typeof new Date(0).toTemporalInstant];`,
    value([[2001], "undefined", "undefined", "undefined"]),
  ),
  hostile(
    "time/moves-on",
    `const a = Date.now(); await new Promise((done) => setTimeout(done, 20)); const b = Date.now(); return b >= a + 15 && b < a + 15000;`,
    value(true),
  ),
  hostile(
    "time/never-back",
    `let last = 0; for (let i = 0; i < 2000; i += 1) { const t = Date.now(); if (t < last) return "back"; last = t; } return "on";`,
    value("on"),
  ),
  hostile(
    "time/replaced-clock",
    [
      `Date.now = () => 0; Math.floor = () => 7; try { Math.random = () => 4; } catch {} return 1;`,
      `return [Date.now() > 0, Math.floor(1.5), Math.random() < 1];`,
    ],
    value([true, 1, true]),
  ),
  hostile(
    "time/replayed",
    `const out = [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))], Date.now()]; await new Promise((done) => setTimeout(done, 15)); out.push(Date.now(), Math.random()); await mcp.test.slow({ ms: 15 }); out.push(Date.now(), +new Date(), Date()); return out;`,
    { kind: "anything" },
    { isReplayed: true, callsMost: 1 },
  ),
  hostile(
    "time/replayed-with-noise",
    `const real = Date.now; const out = []; for (let i = 0; i < 50; i += 1) { out.push(real()); if (i % 10 === 0) await new Promise((done) => setTimeout(done, 2)); } try { Array.prototype.push = () => { throw 1; }; } catch {} out[out.length] = real(); return out;`,
    { kind: "anything" },
    { isReplayed: true },
  ),
  hostile(
    "time/randomness-differs",
    `return new Set(Array.from({ length: 1000 }, () => Math.random())).size;`,
    value(1_000),
  ),
  hostile(
    "time/randomness-of-odd-views",
    `const out = []; for (const v of [new Float64Array(1), new DataView(new ArrayBuffer(1)), [1], null, new Uint8Array(70000), { length: 4 }, new Proxy(new Uint8Array(4), {})]) { try { crypto.getRandomValues(v); out.push("filled"); } catch { out.push("refused"); } } return out;`,
    value(["refused", "refused", "refused", "refused", "refused", "refused", "refused"]),
  ),
  hostile(
    "time/odd-delays",
    `const order = []; await new Promise((done) => { setTimeout(() => order.push("a"), -5); setTimeout(() => order.push("b"), NaN); setTimeout(() => order.push("c"), "3"); setTimeout(() => order.push("never"), 2 ** 40); setTimeout(() => order.push("never"), Infinity === 1 ? 0 : 1e12); setTimeout(done, 60); }); return order;`,
    value(["a", "b", "c"]),
  ),
  hostile(
    "time/odd-dates",
    `return [new Date(8.64e15 + 1).getTime(), new Date(2 ** 53).getTime(), new Date("x").getTime(), new Date(2001, 0).getFullYear()].map((n) => (Number.isNaN(n) ? "NaN" : n));`,
    value(["NaN", "NaN", "NaN", 2001]),
  ),
  hostile(
    "time/fast-clock-through-loop",
    `let n = 0; const until = Date.now() + 50; while (Date.now() < until) n += 1; return n > 0;`,
    value(true),
  ),
];
