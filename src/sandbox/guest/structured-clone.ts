/**
 * `structuredClone` for both engines: QuickJS lacks it, and crafted objects can make Deno's own panic. It copies the
 * language's own values as the HTML Standard does, with shared parts and cycles; other values are an error.
 *
 * @module
 */
import {
  create,
  defineProperty,
  ErrorOf,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isArray,
  keys,
  MapOf,
  mapForEach,
  mapGet,
  mapSet,
  mapSize,
  ObjectPrototype,
  push,
  setForEach,
  setSize,
  TypeErrorOf,
  toText,
  uncurry,
  uncurryGetter,
} from "./primordials.js";
import { domError } from "./quickjs-error.js";

type Memory = Map<object, object>;

const kindText = uncurry(Object.prototype.toString) as (value: unknown) => string;
const objectOf: (value: unknown) => object = Object;
const dateValue = uncurry(Date.prototype.valueOf) as (value: unknown) => number;
const regexpSource = uncurryGetter<string>(RegExp.prototype, "source");
const regexpFlags = uncurryGetter<string>(RegExp.prototype, "flags");
const unboxNumber = uncurry(Number.prototype.valueOf) as (value: unknown) => number;
const unboxText = uncurry(String.prototype.valueOf) as (value: unknown) => string;
const unboxBoolean = uncurry(Boolean.prototype.valueOf) as (value: unknown) => boolean;
const unboxBigint = uncurry(BigInt.prototype.valueOf) as (value: unknown) => bigint;
const bufferSize = uncurryGetter<number>(ArrayBuffer.prototype, "byteLength");
const bufferSlice = uncurry(ArrayBuffer.prototype.slice) as (value: unknown, from: number) => ArrayBuffer;
const TypedArrayPrototype: object = getPrototypeOf(Uint8Array.prototype) as object;
const typedKind = uncurryGetter<string | undefined>(TypedArrayPrototype, Symbol.toStringTag);
const typedBuffer = uncurryGetter<ArrayBuffer>(TypedArrayPrototype, "buffer");
const typedOffset = uncurryGetter<number>(TypedArrayPrototype, "byteOffset");
const typedLength = uncurryGetter<number>(TypedArrayPrototype, "length");
const viewBuffer = uncurryGetter<ArrayBuffer>(DataView.prototype, "buffer");
const viewOffset = uncurryGetter<number>(DataView.prototype, "byteOffset");
const viewLength = uncurryGetter<number>(DataView.prototype, "byteLength");
const weakMapHas = uncurry(WeakMap.prototype.has) as (value: unknown, key: object) => boolean;
const weakSetHas = uncurry(WeakSet.prototype.has) as (value: unknown, key: object) => boolean;
const weakRefDeref = uncurry(WeakRef.prototype.deref) as (value: unknown) => unknown;
const thenOf = uncurry(Promise.prototype.then) as (value: unknown) => unknown;
const RealDate = Date;
const RealRegExp = RegExp;
const RealSet = Set;
const addToSet = uncurry(Set.prototype.add) as (set: Set<unknown>, value: unknown) => unknown;
const RealDataView = DataView;
const ListOf = Array;
const TYPED_ARRAYS: Readonly<
  Record<string, (buffer: ArrayBuffer, offset: number, length: number) => object>
> = typedArrayMakers();
const ERRORS: Readonly<Record<string, object>> = {
  __proto__: null as never,
  EvalError: EvalError.prototype,
  RangeError: RangeError.prototype,
  ReferenceError: ReferenceError.prototype,
  SyntaxError: SyntaxError.prototype,
  TypeError: TypeError.prototype,
  URIError: URIError.prototype,
};
const ErrorPrototype: object = Error.prototype;

export function structuredClone(...given: readonly unknown[]): unknown {
  if (given.length === 0) throw new TypeErrorOf("Cannot clone: one argument is needed");
  return cloned(given[0], new MapOf<object, object>());
}

function cloned(value: unknown, memory: Memory): unknown {
  if (typeof value === "symbol" || typeof value === "function") throw notCloneable(value);
  if (typeof value !== "object" || value === null) return value;
  const known = mapGet(memory, value);
  if (known !== undefined) return known;
  if (isArray(value)) return clonedList(value, memory);
  const prototype = getPrototypeOf(value);
  if (prototype === ObjectPrototype || prototype === null) return clonedMembers(value, remember({}));
  return clonedOther(value);

  function remember<T extends object>(copy: T): T {
    mapSet(memory, value as object, copy);
    return copy;
  }

  function clonedMembers<T extends object>(from: object, into: T): T {
    const names = keys(from);
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] as string;
      put(into, name, cloned((from as Record<string, unknown>)[name], memory), true);
    }
    return into;
  }

  function clonedList(list: readonly unknown[], seen: Memory): unknown[] {
    const copy = new ListOf<unknown>(list.length);
    mapSet(seen, list, copy);
    return clonedMembers(list, copy);
  }

  function clonedOther(from: object): object {
    const kind = typedKind(from);
    const maker = kind === undefined ? undefined : TYPED_ARRAYS[kind];
    if (maker !== undefined) {
      const buffer = cloned(typedBuffer(from), memory) as ArrayBuffer;
      return remember(maker(buffer, typedOffset(from), typedLength(from)));
    }
    switch (kindText(from)) {
      case "[object Date]":
        return remember(new RealDate(dateValue(from)));
      case "[object RegExp]":
        return remember(new RealRegExp(regexpSource(from), regexpFlags(from)));
      case "[object Number]":
        return remember(objectOf(unboxNumber(from)));
      case "[object String]":
        return remember(objectOf(unboxText(from)));
      case "[object Boolean]":
        return remember(objectOf(unboxBoolean(from)));
      case "[object Error]":
        return clonedError(from);
      default:
        return clonedByBrand(from);
    }
  }

  function clonedByBrand(from: object): object {
    if (is(() => mapSize(from))) {
      const entries: unknown[][] = [];
      mapForEach(from, (item, key) => push(entries, [key, item]));
      const copy = remember(new MapOf<unknown, unknown>());
      for (let index = 0; index < entries.length; index += 1)
        mapSet(copy, cloned(entries[index]?.[0], memory), cloned(entries[index]?.[1], memory));
      return copy;
    }
    if (is(() => setSize(from))) {
      const items: unknown[] = [];
      setForEach(from, (item) => push(items, item));
      const copy = remember(new RealSet<unknown>());
      for (let index = 0; index < items.length; index += 1) addToSet(copy, cloned(items[index], memory));
      return copy;
    }
    if (is(() => bufferSize(from))) return remember(bufferSlice(from, 0));
    if (is(() => viewLength(from))) {
      const buffer = cloned(viewBuffer(from), memory) as ArrayBuffer;
      return remember(new RealDataView(buffer, viewOffset(from), viewLength(from)));
    }
    if (is(() => unboxBigint(from))) return remember(objectOf(unboxBigint(from)));
    if (isNeverCloned(from)) throw notCloneable(from);
    return clonedMembers(from, remember({}));
  }

  function clonedError(from: object): object {
    const name: unknown = (from as { readonly name?: unknown }).name;
    const copy = remember(new ErrorOf());
    const prototypeOfCopy = (name === undefined ? undefined : ERRORS[toText(name)]) ?? ErrorPrototype;
    Object.setPrototypeOf(copy, prototypeOfCopy);
    const message = getOwnPropertyDescriptor(from, "message");
    if (message !== undefined && "value" in message) put(copy, "message", toText(message.value), false);
    const stack = getOwnPropertyDescriptor(from, "stack");
    put(copy, "stack", typeof stack?.value === "string" ? stack.value : "", false);
    const cause = getOwnPropertyDescriptor(from, "cause");
    if (cause !== undefined && "value" in cause) put(copy, "cause", cloned(cause.value, memory), false);
    return copy;
  }
}

/** Whether the getter or method of a kind accepts the value. */
function is(probe: () => unknown): boolean {
  try {
    probe();
    return true;
  } catch {
    return false;
  }
}

function isNeverCloned(value: object): boolean {
  return (
    is(() => weakMapHas(value, value)) ||
    is(() => weakSetHas(value, value)) ||
    is(() => weakRefDeref(value)) ||
    is(() => thenOf(value))
  );
}

function notCloneable(value: unknown): Error {
  const text = typeof value === "object" ? kindText(value) : toText(value);
  return domError("DataCloneError", `${text} could not be cloned.`);
}

function put(target: object, key: string, value: unknown, enumerable: boolean): void {
  const own = create(null) as PropertyDescriptor;
  own.value = value;
  own.enumerable = enumerable;
  own.writable = true;
  own.configurable = true;
  defineProperty(target, key, own);
}

function typedArrayMakers(): Record<string, (buffer: ArrayBuffer, offset: number, length: number) => object> {
  const makers = create(null) as Record<
    string,
    (buffer: ArrayBuffer, offset: number, length: number) => object
  >;
  const names =
    "Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array BigUint64Array BigInt64Array " +
    "Uint8ClampedArray Float16Array Float32Array Float64Array";
  for (const name of names.split(" ")) {
    const Kind = (globalThis as Record<string, unknown>)[name];
    if (typeof Kind !== "function") continue;
    const Maker = Kind as Uint8ArrayConstructor;
    makers[name] = (buffer, offset, length) => new Maker(buffer, offset, length);
  }
  return makers;
}
