/** Code that changes what the language is made of, so that the next run or another guest would see it. */
import { changingBuiltIns, contained, error, hostile, value } from "../hostile-case.js";

const CALLS = `const a = await mcp.test.echo({ a: 1, text: "é\\n€" }); const b = await Promise.all([1, 2, 3].map((n) => mcp.test.echo({ n }))); `;
const RESULT = { a: { a: 1, text: "é\n€" }, b: [{ n: 1 }, { n: 2 }, { n: 3 }] };
const AFTER = `${CALLS} return { a, b };`;

/** Replaces methods by spies that note what they are called with, calls tools, and returns what was seen. */
function spied(id: string, methods: string) {
  const code = `
    const seen = []; const spy = (owner, name) => { const real = owner[name]; owner[name] = function (...given) { if (watching) seen.push(name); return Reflect_apply(real, this, given); }; };
    const Reflect_apply = Reflect.apply; let watching = false;
    ${methods}
    watching = true; const first = mcp.test.echo({ a: 1 }); watching = false;
    const answer = await first; watching = true; console.log("x", { y: [1] }); pml.progress(1, 2, "m"); watching = false;
    return [answer, seen];`;
  return hostile(`pollution/${id}`, code, value([{ a: 1 }, []]), { callsMost: 1 });
}

const CASES = [
  hostile(
    "pollution/built-ins-are-frozen",
    `const change = (job) => { try { job(); return "changed"; } catch (error) { return error.name; } };
     return [change(() => { Array.prototype.map = 1; }), change(() => { JSON.parse = 1; }), change(() => { Object.prototype.x = 1; }), change(() => { delete Object.keys; }), change(() => Object.defineProperty(Array.prototype, 6, { set() {} }))];`,
    value(Array<string>(5).fill("TypeError")),
    { defences: ["frozen-built-ins"] },
  ),
];

const CHANGING = [
  hostile(
    "pollution/prototypes-of-next-run",
    [
      `Object.prototype.polluted = "yes"; Object.prototype.isError = true; Array.prototype.map = () => "bad"; Array.prototype[Symbol.iterator] = function* () { yield "bad"; }; JSON.stringify = () => '"bad"'; return 1;`,
      `const [a] = [7]; return [a, [1].map((x) => x + 1), ({}).polluted ?? null, JSON.stringify({})];`,
    ],
    value([7, [2], null, "{}"]),
  ),
  hostile(
    "pollution/proto-in-arguments",
    `const r = await mcp.test.echo(JSON.parse('{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}}'));
     return [({}).polluted ?? null, Object.getPrototypeOf(r) === Object.prototype, Object.keys(r).sort()];`,
    value([null, true, ["__proto__", "constructor"]]),
    { callsMost: 1 },
  ),
  hostile(
    "pollution/proto-in-result",
    `return JSON.parse('{"__proto__":{"polluted":"yes","isError":true},"constructor":{"prototype":{"polluted":"yes"}},"then":"x"}');`,
    value(
      JSON.parse(
        '{"__proto__":{"polluted":"yes","isError":true},"constructor":{"prototype":{"polluted":"yes"}},"then":"x"}',
      ),
    ),
  ),
  hostile(
    "pollution/proto-in-args-of-run",
    `return [({}).polluted ?? null, Object.keys(args)];`,
    value([null, ["__proto__"]]),
    { args: JSON.parse('{"__proto__":{"polluted":"yes"}}') },
  ),
  hostile(
    "pollution/json",
    `JSON.stringify = () => '"forged"'; JSON.parse = () => ({ forged: true }); JSON.rawJSON = () => "forged"; ${AFTER}`,
    value(RESULT),
    { callsMost: 4 },
  ),
  hostile(
    "pollution/array-methods",
    `for (const name of ["push", "pop", "shift", "slice", "splice", "join", "concat", "forEach", "indexOf", "includes", "entries", "values", "keys"]) Array.prototype[name] = () => "forged";
     ${CALLS} Array.prototype[Symbol.iterator] = function* () { yield "forged"; }; return { a, b };`,
    value(RESULT),
    { callsMost: 4 },
  ),
  hostile(
    "pollution/array-iterator-before-calls",
    `const all = Promise.all.bind(Promise); const it = Array.prototype[Symbol.iterator];
     Array.prototype[Symbol.iterator] = function* () { yield "forged"; }; const one = mcp.test.echo({ a: 1 }); Array.prototype[Symbol.iterator] = it; return await one;`,
    value({ a: 1 }),
    { callsMost: 1 },
  ),
  hostile(
    "pollution/object-prototype-fields",
    `for (const key of ["kind", "id", "text", "node", "parent", "tool", "content", "code", "message", "get", "set", "value", "writable", "enumerable", "configurable", "level", "done", "total", "unit", "object", "path", "stream", "fatal", "ignoreBOM", "transfer", "default", "required", "properties", "length", "signal"])
       Object.defineProperty(Object.prototype, key, { get() { return undefined; }, set() {}, configurable: true });
     ${AFTER}`,
    contained(RESULT),
    { callsMost: 4 },
  ),
  hostile(
    "pollution/object-prototype-values",
    `Object.prototype.stream = true; Object.prototype.fatal = true; Object.prototype.node = "n7"; Object.prototype.parent = 9; Object.prototype.tool = "forged"; Object.prototype.unit = "forged"; Object.prototype.total = 4;
     const b = await mcp.test.echo({ text: "é€😀" }); pml.progress(1); const c = await mcp.test.echo({ text: "€".repeat(40000) }); return [b.text, c.text.length];`,
    value(["é€😀", 40_000]),
    { callsMost: 2 },
  ),
  hostile(
    "pollution/frozen-language",
    `for (const o of [Object, Array, Promise, Map, Error, String, Function = undefined, JSON, Reflect, Math].filter(Boolean)) { Object.freeze(o); if (o.prototype) Object.freeze(o.prototype); }
     Object.freeze(Object.getPrototypeOf(() => {})); Object.preventExtensions(globalThis); try { await mcp.test.fail({}); } catch (e) { if (e.name !== "ToolError") return e.name; } ${AFTER}`.replace(
      ", Function = undefined",
      "",
    ),
    value(RESULT),
    { callsMost: 5 },
  ),
  hostile(
    "pollution/promise-then",
    `const then = Promise.prototype.then; const seen = []; Promise.prototype.then = function (...given) { seen.push(typeof given[0]); return Reflect.apply(then, this, given); };
     Promise.resolve = () => "forged"; const a = await mcp.test.echo({ a: 1 }); pml.progress(1); console.log(1); await null; return [a, seen.length <= 2];`,
    value([{ a: 1 }, true]),
    { callsMost: 1 },
  ),
  hostile(
    "pollution/promise-then-forges",
    `Promise.prototype.then = function (ok) { ok?.("forged"); return new Promise(() => {}); }; Promise.prototype.catch = Promise.prototype.finally = () => "forged"; const a = await mcp.test.echo({ a: 1 }); return a;`,
    value({ a: 1 }),
    { callsMost: 1 },
  ),
  hostile(
    "pollution/promise-constructor-getter",
    `const caught = []; Object.defineProperty(Promise.prototype, "constructor", { configurable: true, get() { caught.push(this); return undefined; } });
     const before = caught.length; const a = await mcp.test.echo({ a: 1 }); for (let i = 0; i < 5; i += 1) await mcp.test.echo({ i });
     const values = []; for (const p of caught.slice(0, 50)) { try { const v = await Promise.race([p, null]); values.push(typeof v === "object" && v !== null ? Object.keys(v).join() : typeof v); } catch {} }
     return values.some((v) => /core|ops|stdin|rid/.test(v));`,
    contained(false),
    { callsMost: 6, limits: { timeMs: 3_000 } },
  ),
  hostile(
    "pollution/promise-constructor-forges-input",
    `const then = Promise.prototype.then; Object.defineProperty(Promise.prototype, "constructor", { configurable: true, get: () => undefined });
     Promise.prototype.then = function (ok, no) { return Reflect.apply(then, this, [(v) => ok(typeof v === "number" ? v + 40 : v), no]); };
     const a = []; for (let i = 0; i < 5; i += 1) a.push(await mcp.test.echo({ i })); return a;`,
    contained([0, 1, 2, 3, 4].map((i) => ({ i }))),
    { callsMost: 5, limits: { timeMs: 1_500 } },
  ),
  hostile(
    "pollution/global-promise",
    `globalThis.Promise = class Forged { constructor() { throw new Error("forged"); } static resolve() { return "forged"; } };
     for (const name of ["Map", "WeakMap", "Error", "TypeError", "String", "Number", "Object", "Uint8Array", "Date", "JSON", "Math", "Reflect", "TextDecoder", "ArrayBuffer"]) { try { globalThis[name] = undefined; } catch {} }
     const a = await mcp.test.echo({ a: 1 }); try { await mcp.test.fail({}); } catch (e) { return [a, e.name]; }`,
    value([{ a: 1 }, "ToolError"]),
    { callsMost: 2 },
  ),
  spied(
    "spied-function-methods",
    `const proto = Object.getPrototypeOf(() => {}); for (const name of ["call", "apply", "bind", "toString"]) spy(proto, name); spy(Reflect, "apply"); spy(Reflect, "construct");`,
  ),
  spied(
    "spied-collections",
    `for (const C of [Map, WeakMap, Set]) for (const name of ["get", "set", "has", "add", "delete", "forEach"]) if (C.prototype[name]) spy(C.prototype, name);`,
  ),
  spied(
    "spied-text",
    `for (const name of ["slice", "indexOf", "charCodeAt", "replace", "split", "includes", "startsWith", "substring", "toString", "valueOf"]) spy(String.prototype, name); spy(RegExp.prototype, "exec"); spy(RegExp.prototype, "test"); spy(RegExp.prototype, Symbol.replace);`,
  ),
  spied(
    "spied-bytes",
    `for (const name of ["set", "subarray", "indexOf", "slice", "fill"]) spy(Object.getPrototypeOf(Uint8Array.prototype), name); spy(TextEncoder.prototype, "encode"); spy(TextEncoder.prototype, "encodeInto"); spy(TextDecoder.prototype, "decode");`,
  ),
  spied(
    "spied-objects",
    `for (const name of ["defineProperty", "freeze", "keys", "getOwnPropertyDescriptor", "getPrototypeOf", "create", "entries", "assign"]) spy(Object, name); for (const name of ["ownKeys", "get", "set", "defineProperty"]) spy(Reflect, name);`,
  ),
  spied(
    "spied-timers-and-console",
    `for (const name of ["setTimeout", "clearTimeout", "structuredClone", "atob"]) spy(globalThis, name); spy(Array, "isArray"); spy(Number, "isFinite"); spy(Math, "floor"); spy(Math, "min"); spy(Math, "max"); spy(Date, "now"); spy(JSON, "stringify"); spy(JSON, "parse");`,
  ),
  hostile(
    "pollution/typed-array-species",
    `const texts = []; const caught = []; const Real = Uint8Array; const latin = (bytes) => { let s = ""; for (let i = 0; i < bytes.length && i < 3000; i += 1) s += String.fromCharCode(bytes[i]); return s; };
     function Forged(...given) { if (given[0] instanceof ArrayBuffer) caught.push(new Real(given[0])); return Reflect.construct(Real, given); }
     Forged.prototype = Real.prototype; Object.defineProperty(Forged, Symbol.species, { get: () => Forged });
     for (const proto of [Real.prototype, Object.getPrototypeOf(Real.prototype)]) { try { Object.defineProperty(proto, "constructor", { value: Forged, configurable: true, writable: true }); } catch {} }
     try { Object.defineProperty(Object.getPrototypeOf(Real), Symbol.species, { get: () => Forged }); } catch {}
     await mcp.test.echo({ a: 1 }); await mcp.test.echo({ b: 2 }); for (const c of caught) texts.push(latin(c)); return texts.some((t) => /value|run|seed/.test(t));`,
    value(false),
    { callsMost: 2 },
  ),
  hostile(
    "pollution/typed-array-accessors",
    `let stolen = 0; const owners = [Uint8Array.prototype, Object.getPrototypeOf(Uint8Array.prototype), Uint16Array.prototype];
     for (const owner of owners) for (const key of ["length", "byteLength", "byteOffset", "buffer", Symbol.toStringTag, "constructor"]) { const real = Object.getOwnPropertyDescriptor(owner, key) ?? Object.getOwnPropertyDescriptor(owners[1], key);
       try { Object.defineProperty(owner, key, { configurable: true, get() { stolen += 1; return real.get ? real.get.call(this) : real.value; } }); } catch {} }
     for (let i = 0; i < 3; i += 1) await mcp.test.echo({ text: "x".repeat(100000) }); console.log("x"); pml.progress(1); return stolen;`,
    value(0),
    { callsMost: 3 },
  ),
  hostile(
    "pollution/array-buffer-species",
    `let stolen = 0; for (const owner of [ArrayBuffer, ArrayBuffer.prototype, Uint8Array, Object.getPrototypeOf(Uint8Array)]) for (const key of [Symbol.species, "constructor", "byteLength", "maxByteLength", "resizable", "detached"]) { const real = Object.getOwnPropertyDescriptor(owner, key); if (real === undefined) continue; try { Object.defineProperty(owner, key, { configurable: true, get() { stolen += 1; return real.get ? real.get.call(this) : real.value; } }); } catch {} }
     for (let i = 0; i < 3; i += 1) await mcp.test.echo({ text: "x".repeat(100000) }); return stolen;`,
    value(0),
    { callsMost: 3 },
  ),
  hostile(
    "pollution/text-of-call-objects",
    "const tries = []; for (const x of [mcp, mcp.test, mcp.test.echo]) for (const job of [(o) => `$" +
      "{o}`, (o) => o + 1, (o) => [o].join(), (o) => JSON.stringify(o), (o) => structuredClone(o), (o) => o == 'x', (o) => console.log(o), (o) => new Error(o)]) { try { job(x); } catch {} } throw mcp.test;",
    error(),
  ),
  hostile(
    "pollution/array-index-setters",
    `const caught = []; for (let i = 0; i < 12; i += 1) Object.defineProperty(Array.prototype, i, { configurable: true, get() { return undefined; }, set(v) { caught.push?.call; stolen += typeof v === "function" ? 1 : 0; } }); var stolen = 0;
     const first = mcp.test.echo({ a: 1 }); console.log({ a: [1] }, 2); pml.hint({ name: "x" }); const a = await first; for (let i = 0; i < 12; i += 1) delete Array.prototype[i]; return stolen === 0 ? "nothing stolen" : "stolen";`
      .replace(" caught.push?.call;", "")
      .replace("const caught = []; ", ""),
    contained("nothing stolen"),
    { callsMost: 1 },
  ),
  hostile(
    "pollution/array-index-setters-while-written",
    `let stolen = 0; for (let i = 0; i < 20; i += 1) Object.defineProperty(Array.prototype, i, { configurable: true, get() { return undefined; }, set(v) { stolen += 1; } }); return { a: { b: { c: 1 } } };`,
    contained({ a: { b: { c: 1 } } }),
  ),
  hostile(
    "pollution/object-prototype-then",
    `let stolen = 0; Object.prototype.then = function (done) { stolen += 1; delete Object.prototype.then; done("forged"); }; const a = await mcp.test.echo({ a: 1 }); return a;`,
    contained("forged", { a: 1 }),
    { callsMost: 1 },
  ),
  hostile(
    "pollution/object-prototype-to-json",
    `Object.prototype.toJSON = function () { return { forged: true }; }; return await mcp.test.echo({ a: 1 });`,
    contained({ forged: true }),
    { callsMost: 1 },
  ),
  hostile(
    "pollution/error-parts",
    `Object.defineProperty(Error.prototype, "name", { get() { throw new Error("name"); } }); Object.defineProperty(Error.prototype, "message", { get() { throw new Error("message"); } }); Error.prototype.toString = () => { throw 1; }; try { Error.stackTraceLimit = -1; } catch {} throw new Error("x");`,
    contained(),
  ),
  hostile(
    "pollution/console-and-timers",
    [
      `globalThis.console = { log() {} }; globalThis.setTimeout = () => "forged"; delete globalThis.URL; return 1;`,
      `console.log("still here"); return [typeof console.log, typeof setTimeout(() => {}, 0), typeof URL];`,
    ],
    value(["function", "number", "function"]),
  ),
  hostile(
    "pollution/captured-console-is-fixed",
    `const tries = []; for (const job of [() => { console.log = 1; }, () => { console.x = 1; }, () => { pml.progress = 1; }, () => { delete console.log; }]) { try { job(); tries.push("changed"); } catch { tries.push("refused"); } } return tries;`,
    value(["refused", "refused", "refused", "refused"]),
  ),
];

export const POLLUTION = [...CASES, ...CHANGING.flatMap(changingBuiltIns)];
