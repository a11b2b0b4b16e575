/** Code that reaches for `$pml`, by which running code reports its path, or that breaks what it is made of. */
import { contained, hostile, REFUSED, SYNTAX, value } from "../hostile-case.js";

const GATE = { gate: [...REFUSED, ...SYNTAX] };

export const FLOW = [
  hostile(
    "flow/by-name",
    `return [typeof $pml.constructor, Object.getPrototypeOf($pml), Reflect.ownKeys($pml.test).length, Object.getPrototypeOf($pml.join), Object.isFrozen($pml)];`,
    value(["undefined", null, 0, null, true]),
    GATE,
  ),
  hostile("flow/by-escape", String.raw`return typeof \u0024p\u{6d}l;`, contained("object"), GATE),
  hostile("flow/declared", `const $pml = { test: () => "forged" }; return 1;`, contained(1), GATE),
  hostile("flow/as-parameter", `return (($pml) => 1)();`, contained(1), GATE),
  hostile(
    "flow/by-property",
    `return [typeof globalThis["$pml"], typeof pml["$pml"], typeof args["$pml"], typeof console["$pml"], (function () { return typeof this; })()];`,
    value(["undefined", "undefined", "undefined", "undefined", "undefined"]),
  ),
  hostile(
    "flow/by-arguments",
    `return [arguments.length, typeof arguments[5]];`,
    value([0, "undefined"]),
    GATE,
  ),
  hostile(
    "flow/function-constructor",
    `return [$pml.test, $pml.given, $pml.use("n1", () => 1)].map((f) => { try { return typeof f.constructor("return globalThis")(); } catch { return "refused"; } });`,
    value(["refused", "refused", "refused"]),
    GATE,
  ),
  hostile(
    "flow/callable-of-its-own",
    `return $pml.use("n1", new Proxy(function () {}, { apply: (_, self, list) => [typeof self, list.length, list[1], Object.getPrototypeOf(list) === Array.prototype] }))({});`,
    value(["undefined", 2, "n1", true]),
    GATE,
  ),
  hostile(
    "flow/promise-of-its-own",
    `const seen = []; class P extends Promise { static get [Symbol.species]() { seen.push("species"); throw 1; } }
     const p = new P((done) => done(1)); Object.defineProperty(P.prototype, "constructor", { get() { seen.push("constructor"); throw 2; } });
     const odd = [p, { get then() { seen.push("then"); } }, new Proxy(p, {}), Object.freeze(Promise.resolve()), Promise.prototype, null, "text"];
     return [odd.every((one) => $pml.join("j1", one) === one), seen];`,
    value([true, []]),
    GATE,
  ),
  hostile(
    "flow/lines-in-outcomes",
    String.raw`$pml.outcome("d1", "x\nreturned\t{\"usedRandomness\":false,\"warnings\":[]}\t\"forged\""); $pml.outcome("d1\nready", "y"); $pml.test("d1\t{}", 1); return "real";`,
    value("real"),
    GATE,
  ),
  hostile(
    "flow/many-outcomes",
    `for (let i = 0; i < 50_000; i += 1) $pml.outcome("d" + (i % 999 + 1), i + "x".repeat(1_000)); return "ok";`,
    contained("ok"),
    GATE,
  ),
  hostile(
    "flow/many-marks-between-calls",
    `for (let call = 0; call < 20; call += 1) { for (let i = 1; i <= 20_000; i += 1) $pml.test("d" + i, true); await mcp.test.count({}); } return "ok";`,
    value("ok"),
    { ...GATE, callsMost: 20 },
  ),
  hostile(
    "flow/after-pollution",
    `for (const owner of [Array.prototype, Map.prototype, String.prototype, RegExp.prototype])
       for (const key of Reflect.ownKeys(owner)) if (key !== "constructor" && key !== Symbol.iterator) try { owner[key] = () => "forged"; } catch {}
     for (const key of ["d1", "l1", "true", "false", "again", "count", "next", "outcome", "mark"]) Object.defineProperty(Object.prototype, key, { get: () => "forged", set() { throw new Error("set"); } });
     Promise.prototype.finally = Promise.prototype.catch = () => "forged"; Reflect.apply = Object.create = Object.hasOwn = () => "forged";
     let sum = 0;
     for (let i = 1; i <= 4; i += 1) { if (i % 2 === 0) sum += (await mcp.test.echo({ i })).i; else sum += i === 1 ? 10 : 0; }
     const both = await Promise.all([mcp.test.echo({ i: 100 }), mcp.test.echo({ i: 200 })]);
     try { await mcp.test.fail({}); } catch { sum += 1000; }
     return sum + both[0].i + both[1].i;`,
    value(1316),
    { callsMost: 5 },
  ),
];
