/** Return values that are hard to serialize. */
import { contained, error, hostile, limit, value } from "../hostile-case.js";

export const RESULTS = [
  hostile("results/undefined", `return undefined;`, value(null)),
  hostile("results/function", `return () => 1;`, value(null)),
  hostile("results/symbol", `return Symbol("x");`, value(null)),
  hostile(
    "results/nested-nothing",
    `return { a: undefined, b: [undefined, () => 1, Symbol()], c: Symbol(), [Symbol("k")]: 1 };`,
    value({ b: [null, null, null] }),
  ),
  hostile(
    "results/big-integers",
    `return [1n, { n: 2n ** 70n }, Object(3n)];`,
    value(["1", { n: "1180591620717411303424" }, "3"]),
  ),
  hostile("results/not-finite", `return [NaN, Infinity, -Infinity, -0];`, value([null, null, null, 0]), {
    warnings: /not finite/,
  }),
  hostile("results/cycle", `const a = { list: [] }; a.list.push({ back: a }); return a;`, error(/cycle/)),
  hostile("results/cycle-of-map", `const m = new Map(); m.set("self", [m]); return { m };`, error(/cycle/)),
  hostile("results/cycle-from-to-json", `const o = { toJSON() { return { o }; } }; return o;`, contained(), {
    limits: { timeMs: 3_000 },
  }),
  hostile(
    "results/to-json-for-ever-new",
    `const make = () => ({ toJSON: () => ({ next: make() }) }); return make();`,
    contained(),
    { limits: { timeMs: 3_000 } },
  ),
  hostile(
    "results/shared",
    `const x = { v: 1 }; return { a: x, b: [x, x] };`,
    value({ a: { v: 1 }, b: [{ v: 1 }, { v: 1 }] }),
  ),
  hostile(
    "results/deep",
    `let x = 1; for (let i = 0; i < 200000; i += 1) x = [x]; return x;`,
    error(/200|deep/),
  ),
  hostile(
    "results/deep-objects",
    `let x = 1; for (let i = 0; i < 201; i += 1) x = { x }; return x;`,
    error(/200|deep/),
  ),
  hostile(
    "results/deep-enough",
    `let x = 1; for (let i = 0; i < 200; i += 1) x = [x]; return x;`,
    value(JSON.parse(`${"[".repeat(200)}1${"]".repeat(200)}`)),
  ),
  hostile(
    "results/deep-argument",
    `let x = 1; for (let i = 0; i < 200000; i += 1) x = [x]; try { await mcp.test.echo({ x }); } catch (e) { return e.name; }`,
    value("TypeError"),
  ),
  hostile(
    "results/sparse",
    `const a = []; a[2 ** 32 - 2] = 1; return a;`,
    limit("output", "time", "memory"),
    { limits: { timeMs: 2_000 } },
  ),
  hostile(
    "results/array-like-proxy",
    `return new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 53 : k === "toJSON" ? undefined : 1) });`,
    limit("output", "time", "memory"),
    { limits: { timeMs: 2_000 } },
  ),
  hostile("results/typed-array", `return new Uint8Array(3);`, value({ 0: 0, 1: 0, 2: 0 })),
  hostile("results/nine-mib", `return "z".repeat(9 * 1024 * 1024);`, limit("output")),
  hostile("results/nine-mib-of-bytes", `return "€".repeat(3 * 1024 * 1024);`, limit("output")),
  hostile(
    "results/nine-mib-of-escapes",
    String.raw`return "\u0001".repeat(2 * 1024 * 1024);`,
    limit("output"),
  ),
  hostile(
    "results/many-keys",
    `const o = {}; for (let i = 0; i < 60000; i += 1) o["key number ".repeat(20) + i] = i; return o;`,
    limit("output", "memory"),
  ),
  hostile(
    "results/getter-throws",
    `return { get x() { throw new Error("from the getter"); } };`,
    error(/from the getter/),
  ),
  hostile("results/getter-throws-nothing", `return { get x() { throw undefined; } };`, error()),
  hostile("results/to-json-throws", `return [{ toJSON() { throw { toString() { throw 1; } }; } }];`, error()),
  hostile(
    "results/revoked-proxy",
    `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return { proxy };`,
    error(),
  ),
  hostile(
    "results/revoked-proxy-itself",
    `const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy;`,
    error(),
  ),
  hostile(
    "results/map-and-set",
    `return { m: new Map([[{ k: 1 }, new Map([["a", new Set([1])]])]]), s: new Set([[1], new Set([2])]) };`,
    value({ m: [[{ k: 1 }, [["a", [1]]]]], s: [[1], [2]] }),
  ),
  hostile(
    "results/fake-map",
    `return { m: Object.create(Map.prototype), s: Object.create(Set.prototype) };`,
    contained(),
  ),
  hostile(
    "results/growing-map",
    `const m = new Map([[0, 0]]); m.forEach = (f) => { for (;;) f(1, 1); }; return m;`,
    value([[0, 0]]),
  ),
  hostile(
    "results/map-that-grows-while-written",
    `const m = new Map(); m.set(0, { toJSON() { m.set(m.size, this); return m.size; } }); return m;`,
    contained([[0, 2]]),
  ),
  hostile(
    "results/array-that-grows-while-written",
    `const a = [1]; a[0] = { toJSON() { a.push(this); return 1; } }; return a;`,
    limit("output", "time", "memory"),
    { limits: { timeMs: 2_000 } },
  ),
  hostile(
    "results/object-that-shrinks-while-written",
    `const o = { get a() { delete o.b; return 1; }, b: 2 }; return o;`,
    value({ a: 1 }),
  ),
  hostile(
    "results/invalid-date",
    `return [new Date(NaN), new Date(0)];`,
    value([null, "1970-01-01T00:00:00.000Z"]),
  ),
  hostile(
    "results/date-without-iso",
    `Date.prototype.toISOString = () => { throw new Error("x"); }; return new Date(0);`,
    error(/x/),
  ),
  hostile("results/fake-date", `return Object.create(Date.prototype);`, error()),
  hostile("results/errors", `return new Error("x");`, contained({})),
  hostile(
    "results/regexp",
    `return [/a/g, new WeakMap(), Promise.resolve(1), new (class A { x = 1; #y = 2; })()];`,
    value([{}, {}, {}, { x: 1 }]),
  ),
  hostile("results/null-prototype", `const o = Object.create(null); o.a = 1; return o;`, value({ a: 1 })),
  hostile(
    "results/inherited",
    `return Object.create({ inherited: 1 }, { own: { value: 2, enumerable: true }, hidden: { value: 3 } });`,
    value({ own: 2 }),
  ),
  hostile(
    "results/mcp-itself",
    `return [mcp, capabilities, mcp.test, mcp.test.echo, console, pml, args];`,
    contained([{}, {}, null, null, {}, {}, {}]),
  ),
  hostile("results/global-object", `return globalThis;`, contained({})),
  hostile(
    "results/thenable-chain",
    `return { then: (done) => done({ then: (next) => next(Promise.resolve("end")) }) };`,
    value("end"),
  ),
  hostile(
    "results/thenable-that-throws",
    `return { then() { throw new Error("from then"); } };`,
    error(/from then/),
  ),
  hostile(
    "results/thenable-twice",
    `return { then(done, failed) { done("first"); done("second"); failed("third"); } };`,
    value("first"),
  ),
  hostile("results/rejected", `return Promise.reject();`, error()),
  hostile("results/proxy-of-odd-keys", `return new Proxy({}, { ownKeys: () => ["a", "a"] });`, error()),
  hostile(
    "results/proxy-of-many-keys",
    `return new Proxy({}, { ownKeys: () => Array.from({ length: 100000 }, (_, i) => "k" + i), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: (_, key) => (key === "toJSON" ? undefined : 1) });`,
    { kind: "anything" },
    { limits: { timeMs: 2_000 } },
  ),
  hostile(
    "results/unicode",
    String.raw`return "é 漢字 🎉 \u2028\u2029 \u202e \u0000 \ufeff";`,
    value("é 漢字 🎉 \u2028\u2029 \u202e \u0000 \ufeff"),
  ),
  hostile(
    "results/odd-keys",
    `return { "": 1, " ": 2, "0": 3, "-0": 4, "__proto__x": 5, "\\u0000": 6 };`,
    value({ "": 1, " ": 2, "0": 3, "-0": 4, __proto__x: 5, "\u0000": 6 }),
  ),
];
