import {
  create,
  defineProperty,
  getOwnPropertyDescriptor,
  hasOwn,
  indexOfText,
  ObjectPrototype,
  ownKeys,
  setOwn,
} from "./primordials.js";

/** The global object of one unit: a copy, with the unit's own changes. Undefined for code that does not name it. */
export function unitGlobal(code: string): object | undefined {
  if (indexOfText(code, "globalThis") < 0) return undefined;
  const own = create(ObjectPrototype) as object;
  const names = ownKeys(globalThis);
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string | symbol;
    if (typeof name === "symbol") continue;
    const given = getOwnPropertyDescriptor(globalThis, name) as PropertyDescriptor;
    if (hasOwn(given, "value")) setOwn(own, name, name === "globalThis" ? own : given.value, false);
    // Accessors only exist if a test has kept globals of the engine.
    else defineProperty(own, name, { __proto__: null, get: () => read(name), configurable: true } as object);
  }
  return own;
}

function read(name: string): unknown {
  return (globalThis as Readonly<Record<string, unknown>>)[name];
}
