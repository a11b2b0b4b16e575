/** Code that reaches for files, network, environment, processes, modules, storages, and for the engine's own parts. */
import { contained, error, hostile, REFUSED, SYNTAX, UNKNOWN_TOOL, value } from "../hostile-case.js";

const NETWORK_GATES = "deno-permissions";

/** Walks everything that can be reached without calling anything, and what the promised functions throw and give. */
const CRAWL = `
const seen = new Set(), found = new Map(), queue = [];
const add = (value, path) => {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
  seen.add(value); queue.push([value, path]);
};
const attempt = (name, job) => { try { add(job(), name); } catch (e) { add(e, "thrown by " + name); } };
add(globalThis, "globalThis"); add(args, "args"); add(console, "console"); add(pml, "pml"); add(mcp, "mcp");
add(mcp.test, "mcp.test"); add(mcp.test.echo, "mcp.test.echo");
attempt("atob", () => atob("%%%")); attempt("URL", () => new URL("::")); attempt("url", () => new URL("http://a/b?c=d"));
attempt("clone", () => structuredClone(() => 1)); attempt("decoder", () => new TextDecoder("no such"));
attempt("decoded", () => new TextDecoder()); attempt("encoded", () => new TextEncoder());
attempt("params", () => new URLSearchParams("a=b")); attempt("entries", () => new URLSearchParams("a=b").entries());
attempt("random", () => crypto.getRandomValues(new Float64Array(1))); attempt("timer", () => setTimeout("1"));
attempt("generator", () => (function* () {})()); attempt("asyncGenerator", () => (async function* () {})());
attempt("fn", () => () => 1); attempt("afn", () => async () => 1); attempt("gfn", () => function* () {});
attempt("agfn", () => async function* () {}); attempt("bound", () => (() => 1).bind(null)); attempt("regexp", () => /a/g);
attempt("matchAll", () => "a".matchAll(/a/g)); attempt("segments", () => new Intl.Segmenter().segment("a b"));
attempt("iterator helper", () => [1].values().map((x) => x)); attempt("typed", () => new Uint8Array(1));
attempt("date", () => new Date(0)); attempt("promise", () => Promise.resolve(1)); attempt("proxy", () => new Proxy({}, {}));
attempt("format", () => new Intl.DateTimeFormat("en")); attempt("template", () => ((s) => s)\`a\`);
try { await mcp.test.fail({}); } catch (e) { add(e, "tool error"); }
add(await mcp.test.echo({ a: [1] }), "tool result");
while (queue.length > 0) {
  const [object, path] = queue.shift();
  if (path.length > 200) continue;
  try { add(Object.getPrototypeOf(object), path + ".__proto__"); } catch {}
  let keys = []; try { keys = Reflect.ownKeys(object); } catch {}
  for (const key of keys) {
    let own; try { own = Object.getOwnPropertyDescriptor(object, key); } catch {}
    const at = path + "." + String(key);
    if (own === undefined) continue;
    if ("value" in own) { add(own.value, at); continue; }
    add(own.get, at + ".get"); add(own.set, at + ".set");
    try { add(object[key], at); } catch (e) { add(e, "thrown by " + at); }
  }
}
`;

export const AUTHORITY = [
  hostile(
    "authority/no-host-names",
    `const names = "process require module exports Deno Bun Buffer fetch XMLHttpRequest WebSocket WebSocketStream EventSource
       Worker SharedWorker ServiceWorker importScripts postMessage onmessage localStorage sessionStorage indexedDB caches
       navigator location history document window self global gc std os bjson scriptArgs print performance reportError
       queueMicrotask setInterval setImmediate requestAnimationFrame dispatchEvent addEventListener alert confirm prompt
       close closed Event EventTarget MessageChannel MessagePort BroadcastChannel SharedArrayBuffer Atomics WebAssembly
       ShadowRealm eval Function Request Response Headers Blob File FileReader FormData ReadableStream Cache CacheStorage
       CryptoKey SubtleCrypto Storage GPU Iterable __bootstrap __proto_ops ops core primordials internals _error_
       AbortController AbortSignal Temporal".split(/\\s+/);
     return names.filter((name) => typeof globalThis[name] !== "undefined");`.replaceAll("\n", " "),
    value([]),
    { defences: ["deleted-globals"] },
  ),
  hostile(
    "authority/only-known-globals",
    `const known = new Set("undefined NaN Infinity globalThis Object Boolean Symbol Error AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError InternalError Number BigInt Math Date String RegExp Array Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array BigInt64Array BigUint64Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer DataView JSON Promise Proxy Reflect Intl Iterator AsyncIterator DisposableStack AsyncDisposableStack isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape console structuredClone URL URLSearchParams TextEncoder TextDecoder atob btoa setTimeout clearTimeout crypto ToolError".split(" "));
     return Reflect.ownKeys(globalThis).map(String).filter((key) => !known.has(key));`,
    value([]),
    { defences: ["deleted-globals"] },
  ),
  hostile(
    "authority/nothing-reachable",
    `${CRAWL}
     const bad = /^(eval|Function|GeneratorFunction|AsyncFunction|AsyncGeneratorFunction|SharedArrayBuffer|Module|Instance|Memory|Deno|Worker|MessagePort|ReadableStream|EventTarget|Event|fetch|ShadowRealm|Now|readFile|op_.*)$/;
     const hits = [...seen].filter((f) => { try { return typeof f === "function" && bad.test(Object.getOwnPropertyDescriptor(f, "name")?.value ?? ""); } catch { return false; } });
     return [seen.size > 300, hits.map((f) => f.name)];`,
    value([true, []]),
    { defences: ["deleted-globals"], callsMost: 2 },
  ),
  hostile(
    "authority/global-prototype-chain",
    `const chain = []; for (let o = Object.getPrototypeOf(globalThis); o !== null; o = Object.getPrototypeOf(o)) chain.push(o === Object.prototype ? "Object" : String(o.constructor?.name));
     return [chain.filter((name) => name !== "Object"), typeof globalThis.addEventListener, Object.getOwnPropertySymbols(globalThis).length];`,
    value([[], "undefined", 0]),
    { defences: ["deleted-globals"] },
  ),
  hostile("authority/deno-file", `return Deno.readTextFileSync("%FILE%");`, error(), {
    gate: REFUSED,
    defences: ["ast-gate", "deleted-globals"],
  }),
  hostile(
    "authority/deno-file-computed",
    `return globalThis["De" + "no"]?.readTextFileSync("%FILE%") ?? null;`,
    value(null),
  ),
  hostile(
    "authority/deno-file-permission",
    `const deno = globalThis["De" + "no"]; return deno === undefined ? null : deno.readTextFileSync("%FILE%");`,
    contained(null),
    { without: ["deleted-globals"], defences: ["deno-permissions"] },
  ),
  hostile(
    "authority/deno-run",
    `const deno = globalThis["De" + "no"]; return deno === undefined ? null : new TextDecoder().decode(new deno.Command("cat", { args: ["%FILE%"] }).outputSync().stdout);`,
    contained(null),
    { without: ["deleted-globals"], defences: ["deno-permissions"] },
  ),
  hostile(
    "authority/deno-environment",
    `const deno = globalThis["De" + "no"]; return deno === undefined ? null : [deno.env.get("%ENV%"), deno.env.get("PATH")].find((text) => text !== undefined) ?? null;`,
    contained(null),
    { without: ["deleted-globals", "deno-permissions"], defences: ["empty-environment"] },
  ),
  hostile(
    "authority/deno-network",
    `const get = globalThis["fe" + "tch"]; return get === undefined ? null : await (await get("%URL%")).text();`,
    contained(null),
    { without: ["deleted-globals", "deno-permissions"], defences: ["no-network-namespace"] },
  ),
  hostile(
    "authority/deno-network-permission",
    `const get = globalThis["fe" + "tch"]; return get === undefined ? null : await (await get("%URL%")).text();`,
    contained(null),
    { without: ["deleted-globals", "no-network-namespace"], defences: [NETWORK_GATES] },
  ),
  hostile(
    "authority/deno-internals",
    `const symbols = Object.getOwnPropertySymbols(globalThis).map(String); const deno = globalThis["De" + "no"];
     const registry = ["Deno.internal", "Deno.core", "Deno.customInspect", "nodejs.util.inspect.custom"].map((name) => globalThis[Symbol.for(name)]);
     return [symbols, typeof deno, registry.filter((x) => x !== undefined).length];`,
    value([[], "undefined", 0]),
    { defences: ["deleted-globals"] },
  ),
  hostile("authority/process-environment", `return process.env["%ENV%"];`, error(), {
    gate: REFUSED,
    defences: ["ast-gate", "deleted-globals"],
  }),
  hostile("authority/process-exit", `process.exit(0);`, error(), { gate: REFUSED }),
  hostile(
    "authority/process-computed",
    `return globalThis["proc" + "ess"]?.env ?? globalThis["glob" + "al"]?.["process"] ?? null;`,
    value(null),
  ),
  hostile("authority/require", `return require("fs").readFileSync("%FILE%", "utf8");`, error(), {
    gate: REFUSED,
  }),
  hostile("authority/bun", `return await Bun.file("%FILE%").text();`, error(), { gate: REFUSED }),
  hostile(
    "authority/import-node-fs",
    `const fs = await import("node:fs"); return fs.readFileSync("%FILE%", "utf8");`,
    error(),
    { without: ["no-import"], gate: REFUSED, defences: ["ast-gate"] },
  ),
  hostile("authority/import-file", `return Object.keys(await import("file://%FILE%"));`, error(), {
    without: ["no-import"],
    gate: REFUSED,
  }),
  hostile("authority/import-http", `return Object.keys(await import("%URL%/m.js"));`, error(), {
    without: ["no-import"],
    gate: REFUSED,
  }),
  hostile("authority/import-jsr", `return Object.keys(await import("jsr:@std/path"));`, error(), {
    gate: REFUSED,
  }),
  hostile("authority/import-npm", `return Object.keys(await import("npm:left-pad"));`, error(), {
    without: ["no-import"],
    gate: REFUSED,
  }),
  hostile(
    "authority/import-child-process",
    `const { execSync } = await import("node:child_process"); return String(execSync("cat %FILE%"));`,
    error(),
    { without: ["no-import"], gate: REFUSED },
  ),
  hostile(
    "authority/import-worker-threads",
    `const { Worker } = await import("node:worker_threads");
     return await new Promise((done, failed) => { const w = new Worker("require('fs')", { eval: true }); w.on("error", failed); w.on("message", done); });`,
    error(),
    { without: ["no-import"], gate: REFUSED },
  ),
  hostile(
    "authority/import-quickjs-modules",
    `const std = await import("std"); return std.getenv("%ENV%");`,
    error(),
    {
      gate: REFUSED,
    },
  ),
  hostile(
    "authority/import-with-attributes",
    `return await import("%FILE%", { with: { type: "text" } });`,
    error(),
    {
      gate: REFUSED,
    },
  ),
  hostile(
    "authority/import-declaration",
    `import fs from "node:fs"; return fs.readFileSync("%FILE%", "utf8");`,
    error(),
    {
      gate: [...REFUSED, ...SYNTAX],
    },
  ),
  hostile("authority/import-meta", `return import.meta.url;`, error(), { gate: [...REFUSED, ...SYNTAX] }),
  hostile("authority/import-defer", `return await import.defer("node:fs");`, error(), {
    gate: [...REFUSED, ...SYNTAX],
  }),
  hostile("authority/import-source", `return await import.source("%FILE%");`, error(), {
    gate: [...REFUSED, ...SYNTAX],
  }),
  hostile(
    "authority/import-equals",
    `import fs = require("node:fs"); return fs.readFileSync("%FILE%", "utf8");`,
    error(),
    {
      gate: [...REFUSED, ...SYNTAX],
    },
  ),
  hostile("authority/export", `export const a = 1; export default a; export * from "node:fs";`, error(), {
    gate: [...REFUSED, ...SYNTAX],
  }),
  hostile("authority/fetch", `return await (await fetch("%URL%")).text();`, error(), {
    gate: REFUSED,
    defences: ["ast-gate", "deleted-globals"],
  }),
  hostile(
    "authority/sockets",
    `const tried = []; for (const name of ["WebSocket", "EventSource", "XMLHttpRequest", "WebSocketStream", "Worker"]) {
       try { new globalThis[name]("%URL%".replace("http", "ws")); tried.push(name); } catch {} } return tried;`,
    value([]),
    { defences: ["deleted-globals"] },
  ),
  hostile(
    "authority/worker-from-text",
    `const W = globalThis["Wor" + "ker"]; if (W === undefined) return null;
     return await new Promise((done) => { const w = new W("data:text/javascript,postMessage(1)", { type: "module" }); w.onmessage = () => done("ran"); w.onerror = () => done(null); });`,
    contained(null),
  ),
  hostile(
    "authority/storage-outlives-run",
    [
      `try { globalThis["local" + "Storage"].setItem("kept", "yes"); } catch {} try { const c = await globalThis["cach" + "es"].open("kept"); await c.put("http://a/", new globalThis.Response("yes")); } catch {} return 1;`,
      `let stored = null, cached = null; try { stored = globalThis["local" + "Storage"].getItem("kept"); } catch {} try { cached = (await globalThis["cach" + "es"].has("kept")) ? "yes" : null; } catch {} return [stored, cached];`,
    ],
    value([null, null]),
    { without: ["deleted-globals", "empty-environment"], defences: ["unwritable-deno-dir"] },
  ),
  hostile(
    "authority/globals-outlive-run",
    [
      `globalThis.kept = 1; Object.prototype.kept = 2; Symbol.for("kept").description; Array.kept = 3; URL.kept = 4; console.kept ??= 5; return 1;`,
      `return [globalThis.kept ?? null, ({}).kept ?? null, Array.kept ?? null, URL.kept ?? null, console.kept ?? null];`,
    ],
    value([null, null, null, null, null]),
  ),
  hostile(
    "authority/indexed-db",
    `return [typeof globalThis.indexedDB, typeof globalThis.openDatabase, typeof globalThis.cookieStore];`,
    value(["undefined", "undefined", "undefined"]),
  ),
  hostile(
    "authority/call-sites",
    `try { Error.prepareStackTrace = (_, sites) => sites; } catch {}
     const stack = new Error("x").stack; return Array.isArray(stack) ? stack.map((s) => String(s.getFileName?.()) + String(s.getFunction?.())) : "text";`,
    contained("text", ""),
  ),
  hostile(
    "authority/call-sites-of-replaced-error",
    `const kinds = []; const hook = { prepareStackTrace: (_, sites) => { kinds.push(...sites.map((s) => String(s.getFileName?.()))); return "hooked"; }, stackTraceLimit: 50 };
     try { globalThis.Error = hook; } catch {} try { null.x; } catch (e) { e.stack; } try { structuredClone(() => 1); } catch (e) { e.stack; }
     try { await mcp.test.fail({}); } catch (e) { e.stack; } return kinds.filter((file) => !file.startsWith("pml:"));`,
    contained([]),
    { callsMost: 1 },
  ),
  hostile(
    "authority/call-sites-of-other-errors",
    `const seen = []; for (const E of [TypeError, RangeError, Object.getPrototypeOf(Error), Object.prototype]) { try { Object.defineProperty(E, "prepareStackTrace", { value: (_, sites) => { seen.push(sites.length); return sites; }, configurable: true }); } catch {} }
     try { null.x; } catch (e) { e.stack; } try { new Array(-1); } catch (e) { e.stack; } new TypeError("x").stack; return seen;`,
    contained([]),
  ),
  hostile(
    "authority/host-paths-in-stacks",
    `try { Error.stackTraceLimit = 200; } catch {} const stacks = []; const keep = (e) => stacks.push(String(e?.stack));
     keep(new Error("a")); try { await mcp.test.fail({}); } catch (e) { keep(e); } try { structuredClone(() => 1); } catch (e) { keep(e); }
     try { new URL("::"); } catch (e) { keep(e); } try { atob("%%%"); } catch (e) { keep(e); } try { new TextDecoder("x"); } catch (e) { keep(e); }
     try { mcp.test.echo(1n).catch(keep); await mcp.test.echo(1n); } catch (e) { keep(e); } await new Promise((done) => setTimeout(() => { keep(new Error("t")); done(); }, 0));
     const f = () => f(); try { f(); } catch (e) { keep(e); } const o = {}; Error.captureStackTrace?.(o); keep(o);
     try { JSON.parse("{"); } catch (e) { keep(e); } try { crypto.getRandomValues(1); } catch (e) { keep(e); }
     return stacks.filter((s) => /file:|ext:|node:|node_modules|[( ]\\//.test(s));`,
    value([]),
    { callsMost: 1 },
  ),
  hostile(
    "authority/host-paths-in-uncaught",
    `try { Error.stackTraceLimit = Infinity; } catch {} const f = (n) => (n === 0 ? structuredClone(() => 1) : f(n - 1)); return f(30);`,
    error(),
  ),
  hostile(
    "authority/console-parts",
    `return [Object.keys(console).every((k) => typeof console[k] === "function"), console.constructor === undefined, typeof console.log.constructor, (() => { try { return typeof console.log.caller; } catch { return "undefined"; } })(), typeof console.Console, typeof console.context, typeof console[Symbol.for("Deno.internal")]];`,
    contained([true, true, "undefined", "undefined", "undefined", "undefined", "undefined"]),
  ),
  hostile(
    "authority/inspect-hooks",
    `let called = 0; const hook = () => { called += 1; return ""; }; const o = {};
     for (const name of ["Deno.customInspect", "Deno.privateCustomInspect", "nodejs.util.inspect.custom"]) o[Symbol.for(name)] = hook;
     o.inspect = hook; o.toString = hook; console.log(o, [o], { o }); return called;`,
    value(0),
  ),
  hostile(
    "authority/timer-this",
    `return await new Promise((done) => setTimeout(function (...given) { done([this === undefined, given, typeof new.target]); }, 0, 1, 2));`,
    value([true, [1, 2], "undefined"]),
  ),
  hostile("authority/timer-text", `setTimeout("globalThis.ran = 1", 0); return 1;`, error(/function/)),
  hostile(
    "authority/clone-transfer",
    `const buffer = new ArrayBuffer(8); const copy = structuredClone(buffer, { transfer: [buffer] });
     const odd = [mcp, mcp.test, console.log, new Proxy({}, {}), Symbol("x"), new WeakMap()].map((v) => { try { structuredClone(v); return "cloned"; } catch { return "refused"; } });
     return [copy.byteLength, odd.slice(0, 3), odd[4]];`,
    contained(
      [8, ["refused", "refused", "refused"], "refused"],
      [8, ["cloned", "refused", "refused"], "refused"],
    ),
  ),
  hostile(
    "authority/crypto",
    `return [Object.keys(crypto).sort(), typeof crypto.subtle, typeof crypto.constructor, Object.getPrototypeOf(crypto)];`,
    value([["getRandomValues", "randomUUID"], "undefined", "undefined", null]),
  ),
  hostile(
    "authority/object-urls",
    `return [typeof URL.createObjectURL, typeof URL.revokeObjectURL, typeof globalThis.Blob];`,
    value(["undefined", "undefined", "undefined"]),
    { defences: ["deleted-globals"] },
  ),
  hostile(
    "authority/source-map-of-file",
    `const f = () => { throw new Error("mapped"); };\nf();\n//# sourceMappingURL=file://%FILE%`,
    error(/mapped/),
  ),
  hostile(
    "authority/source-map-of-server",
    `const f = () => { throw new Error("mapped"); };\nf();\n//# sourceMappingURL=%URL%/map.json`,
    error(/mapped/),
  ),
  hostile(
    "authority/call-objects",
    `return [Object.getPrototypeOf(mcp), Object.getPrototypeOf(mcp.test), Object.getPrototypeOf(mcp.test.echo), Object.getPrototypeOf(capabilities),
       Reflect.ownKeys(mcp).length, typeof mcp[Symbol.iterator], typeof mcp.then, Reflect.set(mcp, "test", 1), Reflect.defineProperty(mcp, "x", { value: 1 }), Reflect.setPrototypeOf(mcp, Array.prototype)];`,
    value([null, null, null, null, 0, "undefined", "undefined", false, false, false]),
  ),
  hostile(
    "authority/strange-tool-names",
    `const out = []; for (const name of ["__proto__", "constructor", "prototype", "hasOwnProperty", "../test", "test:../echo", "TEST/echo"]) {
       try { out.push(await mcp[name]({})); } catch (e) { out.push(e.name); } try { out.push(await mcp[name]["echo"]({})); } catch (e) { out.push(e.name); } } return [...new Set(out)];`,
    value(["ToolError"]),
    { callsMost: 14 },
  ),
  hostile("authority/unknown-tool", `return await mcp.secrets.read({ path: "%FILE%" });`, error(/secrets/), {
    gate: UNKNOWN_TOOL,
    callsMost: 1,
  }),
  hostile(
    "authority/broker-channel",
    `const out = []; for (const name of ["print", "__send", "send", "host", "__host", "postMessage", "__evaluate", "evaluate", "platform"]) if (typeof globalThis[name] !== "undefined") out.push(name); return out;`,
    value([]),
  ),
  hostile(
    "authority/time-zone",
    `return [new Date(0).getTimezoneOffset(), globalThis.Intl === undefined ? "UTC" : new Intl.DateTimeFormat("en").resolvedOptions().timeZone];`,
    value([0, "UTC"]),
  ),
];
