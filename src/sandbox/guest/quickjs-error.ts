/**
 * Replaces `DOMException` for the engine without it: an error whose name gives the kind.
 *
 * @module
 */
import { defineProperty, ErrorOf } from "./primordials.js";

const CODES: Readonly<Record<string, number>> = { InvalidCharacterError: 5, DataCloneError: 25 };

export function domError(name: "InvalidCharacterError" | "DataCloneError", message: string): Error {
  const error = new ErrorOf(message);
  hide(error, "name", name);
  hide(error, "code", CODES[name]);
  return error;
}

function hide(error: Error, key: string, value: unknown): void {
  const own = { __proto__: null, value, writable: true, enumerable: false, configurable: true };
  defineProperty(error, key, own as PropertyDescriptor);
}
