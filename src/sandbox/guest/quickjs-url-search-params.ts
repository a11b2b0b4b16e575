/**
 * `URLSearchParams` for the engine without it, according to the URL Standard.
 *
 * @module
 */
import { charCodeAt, hasOwn, indexOfText, push, TypeErrorOf, textSlice, uncurry } from "./primordials.js";
import { utf8Text } from "./quickjs-text-decoder.js";
import { TextEncoder } from "./quickjs-text-encoder.js";

export type Pair = readonly [string, string];

declare global {
  /** The engines have it; the types of ES2023 do not. */
  interface String {
    toWellFormed(this: string): string;
  }
}

export const wellFormed = uncurry(String.prototype.toWellFormed);
const sorted = uncurry(Array.prototype.sort) as (list: Pair[], order: (a: Pair, b: Pair) => number) => void;
const split = uncurry(String.prototype.split as (this: string, by: string) => string[]);
const encoder = new TextEncoder();
const Bytes = Uint8Array;
const HEX = "0123456789ABCDEF";
const { ownKeys } = Reflect;
const { getOwnPropertyDescriptor } = Object;

/** The parameter list of a URL. */
export interface LinkedParams {
  readonly params: URLSearchParams;
  /** Parses a new query, without notifying its owner. */
  reload(query: string): void;
}

let linking: ((pairs: URLSearchParams, onChange: (query: string) => void) => LinkedParams) | undefined;

/** A list that calls `onChange` with its text whenever it changes. */
export function linkedParams(query: string, onChange: (query: string) => void): LinkedParams {
  const params = new URLSearchParams(query);
  return (linking as NonNullable<typeof linking>)(params, onChange);
}

export class URLSearchParams {
  #pairs: Pair[];
  #onChange: ((query: string) => void) | undefined;

  static {
    linking = (params, onChange) => {
      params.#onChange = onChange;
      return {
        params,
        reload: (query) => {
          params.#pairs = parseQuery(query);
        },
      };
    };
  }

  constructor(init: unknown = "") {
    this.#pairs = pairsOf(init);
  }

  get size(): number {
    return this.#pairs.length;
  }

  append(...given: readonly unknown[]): void {
    const [name, value] = two(given, "append");
    push(this.#pairs, [name, value]);
    this.#changed();
  }

  delete(...given: readonly unknown[]): void {
    const name = one(given, "delete");
    const value = given[1] === undefined ? undefined : text(given[1]);
    this.#pairs = kept(
      this.#pairs,
      (pair) => !(pair[0] === name && (value === undefined || pair[1] === value)),
    );
    this.#changed();
  }

  get(...given: readonly unknown[]): string | null {
    return kept(this.#pairs, named(one(given, "get")))[0]?.[1] ?? null;
  }

  getAll(...given: readonly unknown[]): string[] {
    const pairs = kept(this.#pairs, named(one(given, "getAll")));
    const values: string[] = [];
    for (let index = 0; index < pairs.length; index += 1) push(values, (pairs[index] as Pair)[1]);
    return values;
  }

  has(...given: readonly unknown[]): boolean {
    const name = one(given, "has");
    const value = given[1] === undefined ? undefined : text(given[1]);
    return (
      kept(this.#pairs, (pair) => pair[0] === name && (value === undefined || pair[1] === value)).length > 0
    );
  }

  set(...given: readonly unknown[]): void {
    const [name, value] = two(given, "set");
    const pairs: Pair[] = [];
    let isSet = false;
    for (let index = 0; index < this.#pairs.length; index += 1) {
      const pair = this.#pairs[index] as Pair;
      if (pair[0] !== name) push(pairs, pair);
      else if (!isSet) {
        push(pairs, [name, value]);
        isSet = true;
      }
    }
    if (!isSet) push(pairs, [name, value]);
    this.#pairs = pairs;
    this.#changed();
  }

  sort(): void {
    sorted(this.#pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    this.#changed();
  }

  forEach(...given: readonly unknown[]): void {
    const [each, self] = given;
    if (typeof each !== "function")
      throw new TypeErrorOf("Cannot iterate: the first argument must be a function");
    // The list may change while it is iterated.
    for (let index = 0; index < this.#pairs.length; index += 1) {
      const [name, value] = this.#pairs[index] as Pair;
      Reflect.apply(each, self, [value, name, this]);
    }
  }

  *entries(): IterableIterator<[string, string]> {
    for (let index = 0; index < this.#pairs.length; index += 1) {
      const pair = this.#pairs[index] as Pair;
      yield [pair[0], pair[1]];
    }
  }

  *keys(): IterableIterator<string> {
    for (let index = 0; index < this.#pairs.length; index += 1) yield (this.#pairs[index] as Pair)[0];
  }

  *values(): IterableIterator<string> {
    for (let index = 0; index < this.#pairs.length; index += 1) yield (this.#pairs[index] as Pair)[1];
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return "URLSearchParams";
  }

  toString(): string {
    let out = "";
    for (let index = 0; index < this.#pairs.length; index += 1) {
      const pair = this.#pairs[index] as Pair;
      out += `${index === 0 ? "" : "&"}${encode(pair[0])}=${encode(pair[1])}`;
    }
    return out;
  }

  #changed(): void {
    this.#onChange?.(this.toString());
  }
}

/** `a=b&c=d`, with or without a question mark before it. */
function parseQuery(query: string): Pair[] {
  const source = query[0] === "?" ? textSlice(query, 1) : query;
  const pairs: Pair[] = [];
  const parts = split(source, "&");
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] as string;
    if (part === "") continue;
    const at = indexOfText(part, "=");
    const name = at === -1 ? part : textSlice(part, 0, at);
    const value = at === -1 ? "" : textSlice(part, at + 1);
    push(pairs, [decode(name), decode(value)]);
  }
  return pairs;
}

function pairsOf(init: unknown): Pair[] {
  if ((typeof init !== "object" && typeof init !== "function") || init === null)
    return parseQuery(text(init));
  const iterator: unknown = (init as { readonly [Symbol.iterator]?: unknown })[Symbol.iterator];
  if (iterator === undefined || iterator === null) return pairsOfRecord(init);
  if (typeof iterator !== "function")
    throw new TypeErrorOf("Cannot read the parameters: not a list of pairs");
  const pairs: Pair[] = [];
  for (const item of init as Iterable<unknown>) push(pairs, pairOf(item));
  return pairs;
}

function pairOf(item: unknown): Pair {
  const parts: unknown[] = [];
  const isList =
    (typeof item === "object" || typeof item === "function") &&
    item !== null &&
    typeof (item as { readonly [Symbol.iterator]?: unknown })[Symbol.iterator] === "function";
  if (isList) for (const part of item as Iterable<unknown>) push(parts, part);
  if (parts.length !== 2)
    throw new TypeErrorOf("Cannot read the parameters: each pair must be a name and a value");
  return [text(parts[0]), text(parts[1])];
}

function pairsOfRecord(record: object): Pair[] {
  const pairs: Pair[] = [];
  const places: Record<string, number> = { __proto__: null as never };
  const names = ownKeys(record);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string | symbol;
    if (getOwnPropertyDescriptor(record, name)?.enumerable !== true) continue;
    if (typeof name === "symbol") throw new TypeErrorOf("Cannot read the parameters: a name is a symbol");
    const key = text(name);
    const pair: Pair = [key, text((record as Record<string, unknown>)[name])];
    // Two names can become equal when lone surrogates are replaced; the last value takes the first one's place.
    if (hasOwn(places, key)) pairs[places[key] as number] = pair;
    else {
      places[key] = pairs.length;
      push(pairs, pair);
    }
  }
  return pairs;
}

function decode(part: string): string {
  if (indexOfText(part, "%") === -1 && indexOfText(part, "+") === -1) return part;
  const bytes = encoder.encode(part);
  const out = new Bytes(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    const high = byte === 0x25 ? digit(bytes[index + 1]) : -1;
    const low = high === -1 ? -1 : digit(bytes[index + 2]);
    if (low !== -1) {
      out[length] = high * 16 + low;
      index += 2;
    } else {
      out[length] = byte === 0x2b ? 0x20 : byte;
    }
    length += 1;
  }
  return utf8Text(new Bytes(out.buffer, 0, length));
}

function digit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function encode(part: string): string {
  let isPlain = true;
  for (let index = 0; index < part.length && isPlain; index += 1) isPlain = isSafe(charCodeAt(part, index));
  if (isPlain) return part;
  const bytes = encoder.encode(part);
  let out = "";
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (isSafe(byte)) out += String.fromCharCode(byte);
    else out += byte === 0x20 ? "+" : `%${HEX[byte >> 4]}${HEX[byte & 15]}`;
  }
  return out;
}

/** `*-._`, digits and letters. */
function isSafe(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2a ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x5f
  );
}

function kept(pairs: readonly Pair[], isKept: (pair: Pair) => boolean): Pair[] {
  const out: Pair[] = [];
  for (let index = 0; index < pairs.length; index += 1)
    if (isKept(pairs[index] as Pair)) push(out, pairs[index] as Pair);
  return out;
}

function named(name: string): (pair: Pair) => boolean {
  return (pair) => pair[0] === name;
}

function one(given: readonly unknown[], method: string): string {
  if (given.length < 1) throw new TypeErrorOf(`Cannot call ${method}: a name is needed`);
  return text(given[0]);
}

function two(given: readonly unknown[], method: string): Pair {
  if (given.length < 2) throw new TypeErrorOf(`Cannot call ${method}: a name and a value are needed`);
  return [text(given[0]), text(given[1])];
}

function text(value: unknown): string {
  return wellFormed(`${value as string}`);
}
