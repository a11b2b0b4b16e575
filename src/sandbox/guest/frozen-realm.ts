/**
 * Freezes the realm before code runs in it: every object of the language and every promised global. The units of a
 * program share one realm, so this prevents code of one unit from changing what another unit, or the guest, uses.
 *
 * A frozen property would also prevent assigning one with the same name on an inheriting object (`error.name = …`,
 * `Type.prototype.toString = …`). So such properties become accessors, and assigning one defines it on the object
 * itself.
 *
 * @module
 */
import {
  create,
  defineProperty,
  deleteProperty,
  freeze,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isExtensible,
  isFrozen,
  ownKeys,
  preventExtensions,
  setOwn,
  TypeErrorOf,
} from "./primordials.js";

/** These contain the last match of code that ran before. */
const LAST_MATCH =
  "input $_ lastMatch $& lastParen $+ leftContext $` rightContext $' $1 $2 $3 $4 $5 $6 $7 $8 $9".split(" ");
/** The engine reads `constructor` of these for every list, and uses a slow path if it is an accessor. */
const ASKED_FOR_CONSTRUCTOR: ReadonlySet<unknown> = new Set([
  Array.prototype,
  getPrototypeOf(Uint8Array.prototype),
]);

/** Call it once, when all globals are final. `hidden` are objects that no property leads to. */
export function freezeRealm(hidden: readonly object[] = []): void {
  for (const key of LAST_MATCH) deleteProperty(RegExp, key);
  fixGlobals();
  freezeAll(reachable([globalThis, ...hiddenPrototypes(), ...hidden]));
}

/** The same for a prototype that code is about to reach, if creating it at the start would be too expensive. */
export function freezeLate(prototype: object): void {
  if (isExtensible(prototype)) freezeAll(reachable([prototype]));
}

/** Lazy globals must be created first, otherwise they would not be frozen. */
function fixGlobals(): void {
  for (const key of ownKeys(globalThis))
    if (getOwnPropertyDescriptor(globalThis, key)?.get !== undefined)
      setOwn(globalThis, key, (globalThis as Record<PropertyKey, unknown>)[key], false);
}

function freezeAll(found: ReadonlySet<object>): void {
  // Objects that are already frozen are skipped.
  const all = [...found].filter((one) => one === globalThis || isExtensible(one) || !isFrozen(one));
  const prototypes = new Set<object>(hiddenPrototypes());
  for (const one of all) {
    const prototype: unknown = getOwnPropertyDescriptor(one, "prototype")?.value;
    if (isObject(prototype)) prototypes.add(prototype);
  }
  for (const one of all) if (prototypes.has(one)) letInherit(one);
  for (const one of all) freezeAlone(one);
}

/** Everything that is reachable from these through properties and prototypes. */
function reachable(roots: readonly object[]): ReadonlySet<object> {
  const found = new Set<object>(roots);
  const add = (value: unknown): void => {
    if (isObject(value)) found.add(value);
  };
  // The set grows while it is iterated.
  for (const one of found) {
    add(getPrototypeOf(one));
    for (const key of ownKeys(one)) {
      const own = getOwnPropertyDescriptor(one, key);
      add(own?.value);
      add(own?.get);
      add(own?.set);
    }
  }
  return found;
}

/** Not all engines have iterator helpers, and the types of ES2023 do not include them. */
interface Globals {
  readonly Iterator?: { from?(from: object): object; concat?(...from: unknown[]): object };
  readonly URLSearchParams: new () => { keys(): object };
}

/** Built-ins that can be reached only through syntax, or through the result of a call. */
function hiddenPrototypes(): readonly object[] {
  const { Iterator: helpers, URLSearchParams: Parameters }: Globals = globalThis;
  const list = [].values() as { map?(call: (item: unknown) => unknown): object };
  const samples: readonly (object | undefined)[] = [
    list,
    list.map?.((item) => item),
    helpers?.from?.({ next: () => ({ done: true }) }),
    helpers?.concat?.([]),
    new Map().values(),
    new Set().values(),
    "a"[Symbol.iterator](),
    "a".matchAll(/a/g),
    new Parameters().keys(),
    () => {},
    async () => {},
    function* () {},
    async function* () {},
  ];
  return samples.flatMap((sample) => (sample === undefined ? [] : [getPrototypeOf(sample) as object]));
}

/** Lets objects that inherit the properties of a frozen prototype override them by assignment. */
function letInherit(prototype: object): void {
  for (const key of ownKeys(prototype)) {
    const own = getOwnPropertyDescriptor(prototype, key);
    if (typeof key === "symbol" || own?.configurable !== true || own.writable !== true) continue;
    if (key === "constructor" && ASKED_FOR_CONSTRUCTOR.has(prototype)) continue;
    const accessor = create(null) as PropertyDescriptor;
    const { value } = own as { readonly value?: unknown };
    accessor.get = () => value;
    accessor.set = setter(prototype, key);
    accessor.enumerable = own.enumerable === true;
    accessor.configurable = false;
    freeze(accessor.get);
    freeze(accessor.set);
    defineProperty(prototype, key, accessor);
  }
}

/** A method, because a function would have a `prototype`, an object that all units could write to. */
function setter(prototype: object, key: string): (this: unknown, value: unknown) => void {
  const { set } = {
    set(this: unknown, value: unknown): void {
      if (!isObject(this) || this === prototype)
        throw new TypeErrorOf(`Cannot set ${key}: built-ins are frozen`);
      setOwn(this, key, value);
    },
  };
  return set;
}

/** Like `Object.freeze`, but property by property, which keeps the engine's fast paths for lists. */
function freezeAlone(one: object): void {
  for (const key of ownKeys(one)) {
    const own = getOwnPropertyDescriptor(one, key);
    const isFixed = own?.configurable !== true && own?.writable !== true;
    if (own !== undefined && !isFixed) defineProperty(one, key, fixed("value" in own));
  }
  preventExtensions(one);
}

function fixed(isData: boolean): PropertyDescriptor {
  const change = create(null) as PropertyDescriptor;
  change.configurable = false;
  if (isData) change.writable = false;
  return change;
}

function isObject(value: unknown): value is object {
  return typeof value === "function" || (typeof value === "object" && value !== null);
}
