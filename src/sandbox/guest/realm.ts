/**
 * Removes from the realm what code must not have: every global that is not on the list, and every way to create code
 * from text.
 *
 * @module
 */
import {
  defineProperty,
  deleteProperty,
  descriptor,
  getPrototypeOf,
  ObjectPrototype,
  ownKeys,
  setPrototypeOf,
} from "./primordials.js";

/** The language's own globals, without `eval`, `Function`, shared memory and WebAssembly. */
const LANGUAGE =
  "Object Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error " +
  "AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis JSON Math Intl " +
  "ArrayBuffer Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array " +
  "Uint8ClampedArray Float16Array Float32Array Float64Array DataView Map BigInt Set Iterator WeakMap WeakSet Proxy " +
  "Reflect FinalizationRegistry WeakRef decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape " +
  "isFinite isNaN SuppressedError DisposableStack AsyncDisposableStack";

/** The promised globals beyond the language. */
const PROMISED =
  "console structuredClone URL URLSearchParams TextEncoder TextDecoder atob btoa setTimeout clearTimeout crypto";

const ROUNDS_MOST = 3;
const URL_METHODS: readonly string[] = ["createObjectURL", "revokeObjectURL"];

/** Deletes every global that is not on the list; throws if one cannot be deleted, since no code may run then. */
export function closeGlobals(): void {
  const isAllowed = new Set(`${LANGUAGE} ${PROMISED}`.split(" "));
  const left = (): readonly PropertyKey[] =>
    ownKeys(globalThis).filter((key) => typeof key !== "string" || !isAllowed.has(key));
  // Deleting some of Deno's globals uncovers one of the engine's with the same name.
  for (let round = 0; left().length > 0; round += 1) {
    if (round === ROUNDS_MOST) throw new Error(`Cannot remove the global ${String(left()[0])}`);
    for (const key of left()) deleteProperty(globalThis, key);
  }
  // The prototype chain of the global object contains one of the engine's objects, with events.
  const above: unknown = getPrototypeOf(globalThis);
  if (above !== ObjectPrototype && above !== null) setPrototypeOf(globalThis, ObjectPrototype);
  const url = (globalThis as { readonly URL?: object }).URL;
  if (url !== undefined) for (const key of URL_METHODS) deleteProperty(url, key);
}

/** Makes the constructors of all function kinds unreachable. `eval` and `Function` are deleted with the globals. */
export function closeCodeGeneration(): void {
  const samples: readonly object[] = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (const sample of samples) {
    defineProperty(getPrototypeOf(sample) as object, "constructor", descriptor(undefined));
  }
  deleteProperty(globalThis, "eval");
  deleteProperty(globalThis, "Function");
}
