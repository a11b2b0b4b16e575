/** Things that are thrown. */
import { contained, error, hostile } from "../hostile-case.js";

export const THROWS = [
  hostile("throws/null", `throw null;`, error(/null/)),
  hostile("throws/undefined", `throw undefined;`, error(/undefined/)),
  hostile("throws/text", `throw "just text";`, error(/just text/)),
  hostile("throws/number", `throw NaN;`, error(/NaN/)),
  hostile("throws/symbol", `throw Symbol("sym");`, error(/sym/)),
  hostile("throws/big-integer", `throw 12n;`, error(/12/)),
  hostile("throws/function", `throw function named() {};`, error()),
  hostile("throws/object", `throw { code: 7, nested: { a: 1 } };`, error(/code/)),
  hostile("throws/array", `throw [1, [2]];`, error(/1/)),
  hostile("throws/null-prototype", `throw Object.create(null);`, error()),
  hostile("throws/frozen", `throw Object.freeze(new TypeError("frozen"));`, error(/frozen/)),
  hostile(
    "throws/throwing-getters",
    `const e = new Error("x"); for (const k of ["message", "name", "stack", "cause", "toString", "constructor"]) Object.defineProperty(e, k, { get() { throw new Error("again"); } }); throw e;`,
    error(),
  ),
  hostile(
    "throws/object-with-getters",
    `throw { get message() { throw new Error("again"); }, get name() { throw 1; }, toString() { throw 2; } };`,
    error(),
  ),
  hostile(
    "throws/odd-fields",
    `const e = new Error("x"); e.message = { toString() { throw 1; } }; e.name = Symbol(); e.stack = 7; throw e;`,
    error(),
  ),
  hostile(
    "throws/proxy",
    `throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; }, ownKeys() { throw 3; } });`,
    error(),
  ),
  hostile("throws/proxy-of-error", `throw new Proxy(new Error("inner"), {});`, error()),
  hostile(
    "throws/revoked-proxy",
    `const { proxy, revoke } = Proxy.revocable(new Error(), {}); revoke(); throw proxy;`,
    error(),
  ),
  hostile("throws/proxy-of-function", `throw new Proxy(function () {}, { get() { throw 1; } });`, error()),
  hostile("throws/fake-error", `throw Object.create(Error.prototype);`, error()),
  hostile(
    "throws/fake-tool-error",
    `class ToolError extends Error { name = "ToolError"; code = "X"; content = "y"; } throw new ToolError("fake");`,
    error(/fake/),
  ),
  hostile(
    "throws/cyclic-cause",
    `const a = new Error("a"); const b = new Error("b", { cause: a }); a.cause = b; throw new AggregateError([a, b], "all");`,
    error(/all/),
  ),
  hostile("throws/huge-message", `throw new Error("m".repeat(3 * 1024 * 1024));`, error(/mmm/)),
  hostile("throws/huge-text", `throw "m".repeat(3 * 1024 * 1024);`, error(/mmm/)),
  hostile(
    "throws/huge-object",
    `throw Object.fromEntries(Array.from({ length: 100000 }, (_, i) => ["k" + i, "v".repeat(100)]));`,
    error(),
  ),
  hostile(
    "throws/deep-object",
    `let x = {}; for (let i = 0; i < 100000; i += 1) x = { x }; throw x;`,
    error(),
  ),
  hostile(
    "throws/rejected-with-error",
    `return Promise.reject(new RangeError("rejected"));`,
    error(/rejected/),
  ),
  hostile(
    "throws/in-generator",
    `function* g() { try { yield 1; } finally { throw new Error("in finally"); } } for (const x of g()) break;`,
    error(/in finally/),
  ),
  hostile(
    "throws/replaced-by-finally",
    `try { throw new Error("first"); } finally { throw new Error("second"); }`,
    error(/second/),
  ),
  hostile("throws/out-of-stack", `const f = () => { try { f(); } finally { f(); } }; f();`, contained(), {
    limits: { timeMs: 400 },
  }),
  hostile("throws/tool-error-uncaught", `await mcp.test.fail({});`, error(/refuses/), { callsMost: 1 }),
  hostile(
    "throws/tool-error-in-object",
    `const e = await mcp.test.fail({}).catch((x) => x); throw { e };`,
    error(),
    { callsMost: 1 },
  ),
];
