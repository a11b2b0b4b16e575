/**
 * Names that code can use without declaring them, and names that it might expect and that do not exist.
 *
 * @module
 */

/** Provided to every run: never parameters. */
const GIVEN = "args mcp capabilities pml console ToolError";

const LANGUAGE =
  "undefined NaN Infinity globalThis Object Boolean Symbol Error AggregateError EvalError RangeError ReferenceError " +
  "SyntaxError TypeError URIError SuppressedError Number BigInt Math Date String RegExp Array Int8Array Uint8Array " +
  "Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float16Array Float32Array Float64Array " +
  "BigInt64Array BigUint64Array Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer DataView JSON " +
  "Promise Proxy Reflect Intl Iterator AsyncIterator Temporal DisposableStack AsyncDisposableStack isFinite isNaN " +
  "parseFloat parseInt decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape";

const HOST =
  "structuredClone URL URLSearchParams TextEncoder TextDecoder atob btoa setTimeout clearTimeout crypto";

const KNOWN: ReadonlySet<string> = new Set(`${GIVEN} ${LANGUAGE} ${HOST}`.split(" "));

export function isKnownGlobal(name: string): boolean {
  return KNOWN.has(name);
}

const NO_NETWORK = "Code has no network access: call a tool that has it, such as mcp.http.get({ url })";
const NO_MODULES =
  "Code cannot load modules: tools are in mcp, capabilities in capabilities, arguments in args";
const NO_BROWSER = "Code does not run in a browser: tools are in mcp, arguments in args";
const NO_PROCESS =
  "Code has no access to the process or its environment: pass values as arguments and read them from args";
const NO_THREADS = "Code runs in one thread: use Promise.all to do things at the same time";
const NO_CODE_FROM_TEXT = "Code cannot be created from text: write the function itself";

/** Replacements for missing names. */
const ABSENT: ReadonlyMap<string, string> = new Map([
  ["process", NO_PROCESS],
  ["require", NO_MODULES],
  ["module", NO_MODULES],
  ["exports", NO_MODULES],
  ["__dirname", NO_MODULES],
  ["__filename", NO_MODULES],
  ["Buffer", "Use TextEncoder, TextDecoder, atob, btoa or Uint8Array"],
  ["global", "Use globalThis"],
  ["fetch", NO_NETWORK],
  ["XMLHttpRequest", NO_NETWORK],
  ["WebSocket", NO_NETWORK],
  ["EventSource", NO_NETWORK],
  ["Deno", NO_PROCESS],
  ["Bun", NO_PROCESS],
  ["window", NO_BROWSER],
  ["document", NO_BROWSER],
  ["self", NO_BROWSER],
  ["navigator", NO_BROWSER],
  ["localStorage", "Nothing is kept between runs: return the value, or store it with a tool"],
  ["sessionStorage", "Nothing is kept between runs: return the value, or store it with a tool"],
  ["Worker", NO_THREADS],
  ["SharedArrayBuffer", NO_THREADS],
  ["Atomics", NO_THREADS],
  ["setInterval", "Use a loop that awaits setTimeout: await new Promise((next) => setTimeout(next, 1000))"],
  ["setImmediate", "Use setTimeout"],
  ["queueMicrotask", "Use Promise.resolve().then"],
  ["performance", "Use Date.now()"],
  ["eval", NO_CODE_FROM_TEXT],
  ["Function", NO_CODE_FROM_TEXT],
  ["WebAssembly", "Code is JavaScript or TypeScript only"],
  ["arguments", "The arguments of the code are in args"],
]);

/** The replacement for a name that code must not use, or `undefined`. */
export function insteadOf(name: string): string | undefined {
  return ABSENT.get(name);
}
