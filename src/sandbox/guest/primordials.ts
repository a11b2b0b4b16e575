/**
 * The functions of the language before untrusted code runs.
 *
 * Code may replace `Array.prototype.push` or `JSON.parse`, by mistake or on purpose, and the guest's code must continue
 * to work. So guest modules call methods only through this one, and iterate over lists by index, since `for … of`,
 * spreading and destructuring look up the iterator of the realm. This module must be loaded before any such code.
 *
 * @module
 */
const { bind, call } = Function.prototype;

/** `method` as a function whose first argument is `this`. */
export function uncurry<This, Args extends unknown[], Result>(
  method: (this: This, ...args: Args) => Result,
): (self: This, ...args: Args) => Result {
  return bind.call(call, method) as (self: This, ...args: Args) => Result;
}

/** The getter of an accessor as a function. */
export function uncurryGetter<Result>(prototype: object, key: PropertyKey): (self: unknown) => Result {
  const getter = Object.getOwnPropertyDescriptor(prototype, key)?.get;
  if (getter === undefined) throw new TypeError(`No getter ${String(key)}`);
  return uncurry(getter) as (self: unknown) => Result;
}

export const {
  create,
  defineProperty,
  freeze,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isExtensible,
  isFrozen,
  setPrototypeOf,
  keys,
  preventExtensions,
} = Object;
export const { apply, construct, ownKeys, deleteProperty } = Reflect;
export const { parse, stringify } = JSON;
export const { isArray } = Array;
export const { isFinite: isFiniteNumber, isInteger } = Number;
export const { floor, min, max } = Math;
export const ObjectPrototype: object = Object.prototype;
export const MapPrototype: object = Map.prototype;
export const SetPrototype: object = Set.prototype;
export const PromiseOf: PromiseConstructor = Promise;
export const ErrorOf: ErrorConstructor = Error;
export const TypeErrorOf: TypeErrorConstructor = TypeError;
export const RangeErrorOf: RangeErrorConstructor = RangeError;
export const MapOf: MapConstructor = Map;
export const WeakMapOf: WeakMapConstructor = WeakMap;
export const ProxyOf: ProxyConstructor = Proxy;
export const toText: (value: unknown) => string = String;
export const toNumber: (value: unknown) => number = Number;

export const hasPrototype = uncurry(Object.prototype.isPrototypeOf) as (
  self: object,
  value: unknown,
) => boolean;
export const hasOwn: (value: object, key: PropertyKey) => boolean = Object.hasOwn;
export const textSlice = uncurry(String.prototype.slice);
export const charCodeAt = uncurry(String.prototype.charCodeAt);
export const indexOfText = uncurry(String.prototype.indexOf);
export const matchNext = uncurry(RegExp.prototype.exec);
export const mapForEach = uncurry(Map.prototype.forEach) as (
  self: unknown,
  each: (value: unknown, key: unknown) => void,
) => void;
export const setForEach = uncurry(Set.prototype.forEach) as (
  self: unknown,
  each: (value: unknown) => void,
) => void;
export const mapGet = uncurry(Map.prototype.get) as <K, V>(map: Map<K, V>, key: K) => V | undefined;
export const mapSet = uncurry(Map.prototype.set) as <K, V>(map: Map<K, V>, key: K, value: V) => void;
export const mapDelete = uncurry(Map.prototype.delete) as <K, V>(map: Map<K, V>, key: K) => boolean;
export const mapSize = uncurryGetter<number>(Map.prototype, "size");
export const setSize = uncurryGetter<number>(Set.prototype, "size");
export const weakMapGet = uncurry(WeakMap.prototype.get) as <K extends WeakKey, V>(
  map: WeakMap<K, V>,
  key: K,
) => V | undefined;
export const weakMapSet = uncurry(WeakMap.prototype.set) as <K extends WeakKey, V>(
  map: WeakMap<K, V>,
  key: K,
  value: V,
) => void;
export const numberValueOf = uncurry(Number.prototype.valueOf) as (self: unknown) => number;
export const stringValueOf = uncurry(String.prototype.valueOf) as (self: unknown) => string;
export const booleanValueOf = uncurry(Boolean.prototype.valueOf) as (self: unknown) => boolean;
export const bigintValueOf = uncurry(BigInt.prototype.valueOf) as (self: unknown) => bigint;
export const bigintToText = uncurry(BigInt.prototype.toString);
export const symbolToText = uncurry(Symbol.prototype.toString);
export const dateToIso = uncurry(Date.prototype.toISOString) as (self: unknown) => string;
export const regexpToText = uncurry(RegExp.prototype.toString) as (self: unknown) => string;
export const errorToText = uncurry(Error.prototype.toString) as (self: unknown) => string;
const promiseThen = uncurry(Promise.prototype.then) as (
  self: Promise<unknown>,
  onValue: (value: unknown) => void,
  onError: (reason: unknown) => void,
) => void;

/**
 * Waits for a promise of the guest, or of an async function, without looking up the promise constructor in the realm.
 */
export function whenSettled(
  promise: Promise<unknown>,
  onValue: (value: unknown) => void,
  onError: (reason: unknown) => void,
): void {
  // `then` looks up `constructor` to create its own promise; without one it uses the language's.
  void defineProperty(promise, "constructor", descriptor(undefined));
  promiseThen(promise, onValue, onError);
}

/**
 * A constant property; the descriptor has no prototype, because properties of a tampered prototype would be read as
 * part of it.
 */
export function descriptor(value: unknown, enumerable = false): PropertyDescriptor {
  return { __proto__: null, value, enumerable, writable: false, configurable: false } as PropertyDescriptor;
}

/** Sets a property like an assignment, even if its name is `__proto__`, and never through a setter. */
export function setOwn(object: object, key: PropertyKey, value: unknown, enumerable = true): void {
  const own = { __proto__: null, value, enumerable, writable: true, configurable: true };
  defineProperty(object, key, own as PropertyDescriptor);
}

const ignore = (): void => {};

/**
 * Calls `job` when a promise of the code is fulfilled, and does not change it; anything but a plain promise is ignored.
 * The promise counts as handled from then on: an unhandled rejection of it is no longer reported.
 */
export function whenFulfilled(value: unknown, job: () => void): void {
  if (typeof value !== "object" || value === null) return;
  try {
    if (hasOwn(value, "constructor")) return;
    // As in {@link whenSettled}, but only temporarily.
    setOwn(value, "constructor", undefined);
    try {
      promiseThen(value as Promise<unknown>, job, ignore);
    } finally {
      deleteProperty(value, "constructor");
    }
  } catch {
    // Frozen, or not a promise.
  }
}

const settled: Promise<unknown> = Promise.resolve();

/** Calls `job` right after the current code, before anything else. */
export function soon(job: () => void): void {
  whenSettled(settled, job, job);
}

/** Appends to a list of the guest, never through a setter of the realm. */
export function push<T>(items: T[], item: T): void {
  setOwn(items, items.length, item);
}
