/**
 * Prototypes that are only reachable through a result, or an error, of Deno. Creating one at the start would cost each
 * process several milliseconds, so each is frozen when code is about to reach it.
 *
 * @module
 */
import { freezeLate } from "./frozen-realm.js";
import { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, uncurry } from "./primordials.js";

type Base64 = "atob" | "btoa";
type Segment = (this: unknown, text?: unknown) => Iterable<unknown>;

/** Call it before the realm is frozen. */
export function freezeWhenMet(): void {
  fixSegments();
  fixBase64("atob");
  fixBase64("btoa");
}

/** The segments of a text, and their iterator. */
function fixSegments(): void {
  const { prototype } = Intl.Segmenter;
  const original = uncurry(prototype.segment as Segment);
  const { segment } = {
    segment(this: unknown, text: unknown): Iterable<unknown> {
      const made = original(this, text);
      freezeLate(getPrototypeOf(made) as object);
      freezeLate(getPrototypeOf(made[Symbol.iterator]()) as object);
      return made;
    },
  };
  put(prototype, "segment", segment);
}

/** Deno loads these at their first read, and their errors are of a class that is not a global. */
function fixBase64(name: Base64): void {
  const own = getOwnPropertyDescriptor(globalThis, name);
  const read = own?.get;
  if (read === undefined) return;
  const convert = (...given: unknown[]): string => {
    try {
      return (Reflect.apply(read, globalThis, []) as (...texts: unknown[]) => string)(...given);
    } catch (error) {
      freezeLate(getPrototypeOf(error as object) as object);
      throw error;
    }
  };
  defineProperty(convert, "name", { value: name });
  defineProperty(convert, "length", { value: 1 });
  put(globalThis, name, convert);
}

function put(target: object, name: string, value: unknown): void {
  defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
}
