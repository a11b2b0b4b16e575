/**
 * `TextDecoder` for QuickJS, which lacks it: UTF-8, in one piece or in several. Invalid bytes are replaced as the
 * Encoding Standard prescribes.
 *
 * @module
 */
import { apply, TypeErrorOf, toText, uncurry, uncurryGetter } from "./primordials.js";

const Bytes = Uint8Array;
const { isView } = ArrayBuffer;
const { fromCharCode } = String;
const RangeErrorOf = RangeError;
const bufferSize = uncurryGetter<number>(ArrayBuffer.prototype, "byteLength");
const lowerCase = uncurry(String.prototype.toLowerCase);
const trim = uncurry(String.prototype.trim);
const LABELS: readonly string[] = [
  "utf-8",
  "utf8",
  "unicode-1-1-utf-8",
  "unicode11utf8",
  "unicode20utf8",
  "x-unicode20utf8",
];
const REPLACEMENT = 0xfffd;
const PIECE = 1_024;

/** The state of decoding between two bytes. */
interface State {
  point: number;
  needed: number;
  lower: number;
  upper: number;
  isPastBom: boolean;
}

export class TextDecoder {
  readonly #isFatal: boolean;
  readonly #keepsBom: boolean;
  #state: State = freshState();
  #isStreaming = false;

  constructor(label: unknown = "utf-8", options: unknown = {}) {
    const name = lowerCase(trim(toText(label)));
    let isKnown = false;
    for (let index = 0; index < LABELS.length; index += 1) if (LABELS[index] === name) isKnown = true;
    if (!isKnown) throw new RangeErrorOf(`Cannot decode "${name}": only utf-8 is supported`);
    const { fatal, ignoreBOM } = optionsOf(options);
    this.#isFatal = fatal === undefined ? false : Boolean(fatal);
    this.#keepsBom = ignoreBOM === undefined ? false : Boolean(ignoreBOM);
  }

  get encoding(): string {
    return "utf-8";
  }

  get fatal(): boolean {
    return this.#isFatal;
  }

  get ignoreBOM(): boolean {
    return this.#keepsBom;
  }

  decode(input?: unknown, options: unknown = {}): string {
    const bytes = bytesOf(input);
    const isStreaming = Boolean(optionsOf(options).stream);
    if (!this.#isStreaming) this.#state = freshState();
    this.#isStreaming = isStreaming;
    try {
      return decodeUtf8(bytes, this.#state, {
        isFatal: this.#isFatal,
        keepsBom: this.#keepsBom,
        isLast: !isStreaming,
      });
    } catch (thrown) {
      this.#isStreaming = false;
      throw thrown;
    }
  }
}

/** Decodes bytes, keeping a byte order mark like any other character, and replacing invalid UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  return decodeUtf8(bytes, freshState(), { isFatal: false, keepsBom: true, isLast: true });
}

interface DecodeOptions {
  readonly isFatal: boolean;
  readonly keepsBom: boolean;
  readonly isLast: boolean;
}

function decodeUtf8(bytes: Uint8Array, state: State, { isFatal, keepsBom, isLast }: DecodeOptions): string {
  let out = "";
  const units: number[] = [];
  let count = 0;

  function flush(): void {
    units.length = count;
    out += apply(fromCharCode, undefined, units);
    count = 0;
  }

  function emit(point: number): void {
    if (!state.isPastBom) {
      state.isPastBom = true;
      if (point === 0xfeff && !keepsBom) return;
    }
    if (point > 0xffff) {
      units[count] = 0xd800 + ((point - 0x10000) >> 10);
      units[count + 1] = 0xdc00 + ((point - 0x10000) & 0x3ff);
      count += 2;
    } else {
      units[count] = point;
      count += 1;
    }
    if (count >= PIECE) flush();
  }

  function fault(): void {
    if (isFatal) throw new TypeErrorOf("Cannot decode: the bytes are not valid utf-8");
    emit(REPLACEMENT);
  }

  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (state.needed === 0) {
      if (byte < 0x80 && state.isPastBom && count < PIECE) {
        // Most bytes are ASCII, so they are handled without a call.
        units[count] = byte;
        count += 1;
      } else if (byte < 0x80) emit(byte);
      else if (!lead(state, byte)) fault();
      continue;
    }
    if (byte < state.lower || byte > state.upper) {
      restart(state);
      fault();
      // The byte may begin a new character.
      index -= 1;
      continue;
    }
    state.lower = 0x80;
    state.upper = 0xbf;
    state.point = (state.point << 6) | (byte & 0x3f);
    state.needed -= 1;
    if (state.needed === 0) emit(state.point);
  }
  if (isLast && state.needed > 0) {
    restart(state);
    fault();
  }
  flush();
  return out;
}

/** Whether `byte` begins a character of several bytes. */
function lead(state: State, byte: number): boolean {
  if (byte >= 0xc2 && byte <= 0xdf) {
    state.needed = 1;
    state.point = byte & 0x1f;
  } else if (byte >= 0xe0 && byte <= 0xef) {
    if (byte === 0xe0) state.lower = 0xa0;
    if (byte === 0xed) state.upper = 0x9f;
    state.needed = 2;
    state.point = byte & 0x0f;
  } else if (byte >= 0xf0 && byte <= 0xf4) {
    if (byte === 0xf0) state.lower = 0x90;
    if (byte === 0xf4) state.upper = 0x8f;
    state.needed = 3;
    state.point = byte & 0x07;
  } else {
    return false;
  }
  return true;
}

function restart(state: State): void {
  state.needed = 0;
  state.point = 0;
  state.lower = 0x80;
  state.upper = 0xbf;
}

function freshState(): State {
  return { point: 0, needed: 0, lower: 0x80, upper: 0xbf, isPastBom: false };
}

function bytesOf(input: unknown): Uint8Array {
  if (input === undefined) return new Bytes(0);
  if (isView(input)) return new Bytes(input.buffer, input.byteOffset, input.byteLength);
  try {
    return new Bytes(input as ArrayBuffer, 0, bufferSize(input));
  } catch {
    throw new TypeErrorOf("Cannot decode: expected an ArrayBuffer or a view of one");
  }
}

function optionsOf(options: unknown): Readonly<Record<string, unknown>> {
  if (options === undefined || options === null) return {};
  if (typeof options !== "object" && typeof options !== "function")
    throw new TypeErrorOf("Cannot decode: the options are not an object");
  return options as Readonly<Record<string, unknown>>;
}
