/**
 * Replaces the machine's randomness by the run's.
 *
 * @module
 */
import type { RandomStream } from "./chacha20.js";
import {
  create,
  defineProperty,
  descriptor,
  ErrorOf,
  freeze,
  getPrototypeOf,
  hasOwn,
  TypeErrorOf,
  uncurryGetter,
} from "./primordials.js";

const BYTES_MOST = 65_536;
const Bytes = Uint8Array;
const TypedArrayPrototype: object = getPrototypeOf(Uint8Array.prototype) as object;
const kindOf = uncurryGetter<string | undefined>(TypedArrayPrototype, Symbol.toStringTag);
const bufferOf = uncurryGetter<ArrayBuffer>(TypedArrayPrototype, "buffer");
const offsetOf = uncurryGetter<number>(TypedArrayPrototype, "byteOffset");
const lengthOf = uncurryGetter<number>(TypedArrayPrototype, "byteLength");
const DIGITS = "0123456789abcdef";
const INTEGER_KINDS: Readonly<Record<string, true>> = {
  Int8Array: true,
  Uint8Array: true,
  Uint8ClampedArray: true,
  Int16Array: true,
  Uint16Array: true,
  Int32Array: true,
  Uint32Array: true,
  BigInt64Array: true,
  BigUint64Array: true,
};

/** `stream` returns the stream of the current run. */
export function installRandom(stream: () => RandomStream): void {
  defineProperty(
    Math,
    "random",
    method(() => stream().nextNumber()),
  );
  const crypto: object = create(null);
  defineProperty(
    crypto,
    "randomUUID",
    descriptor(() => uuid(stream()), true),
  );
  defineProperty(
    crypto,
    "getRandomValues",
    descriptor((view: unknown) => fill(view, stream()), true),
  );
  defineProperty(globalThis, "crypto", method(freeze(crypto)));
}

/** With the attributes of the language's own methods. */
function method(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: false, configurable: true };
}

function fill(view: unknown, stream: RandomStream): unknown {
  const kind = typeof view === "object" && view !== null ? kindOf(view) : undefined;
  if (kind === undefined || !hasOwn(INTEGER_KINDS, kind))
    throw new TypeErrorOf("Cannot get random values: expected a typed array of integers");
  const length = lengthOf(view);
  if (length > BYTES_MOST)
    throw new ErrorOf(`Cannot get random values: more than ${BYTES_MOST} bytes at once`);
  const bytes = new Bytes(bufferOf(view), offsetOf(view), length);
  for (let index = 0; index < length; index += 1) bytes[index] = stream.nextByte();
  return view;
}

/** RFC 9562, version 4. */
function uuid(stream: RandomStream): string {
  let text = "";
  for (let index = 0; index < 16; index += 1) {
    let byte = stream.nextByte();
    if (index === 6) byte = (byte & 0x0f) | 0x40;
    if (index === 8) byte = (byte & 0x3f) | 0x80;
    if (index === 4 || index === 6 || index === 8 || index === 10) text += "-";
    text += `${DIGITS[byte >> 4]}${DIGITS[byte & 0xf]}`;
  }
  return text;
}
