/**
 * A thrown value as text. Any value can be thrown, and reading it can throw again, so nothing here trusts a value.
 *
 * @module
 */
import { ErrorOf, hasPrototype, textSlice, toText } from "./primordials.js";

const MESSAGE_CHARS_MOST = 8_192;
const NAME_CHARS_MOST = 100;
const ErrorPrototype: object = ErrorOf.prototype;

export function isError(value: unknown): value is Error {
  try {
    return typeof value === "object" && value !== null && hasPrototype(ErrorPrototype, value);
  } catch {
    return false;
  }
}

/** The property if it is text; `undefined` if it is not or reading it throws. */
export function textProperty(value: object, key: string): string | undefined {
  try {
    const property: unknown = (value as Record<string, unknown>)[key];
    return typeof property === "string" ? property : undefined;
  } catch {
    return undefined;
  }
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${textSlice(text, 0, most)}… (${text.length} characters)`;
}

export function nameOfThrown(thrown: unknown): string {
  const name = isError(thrown) ? textProperty(thrown, "name") : undefined;
  return name === undefined || name === "" ? "Error" : cut(name, NAME_CHARS_MOST);
}

/** About one sentence; never throws. */
export function messageOfThrown(thrown: unknown): string {
  if (isError(thrown)) return cut(textProperty(thrown, "message") ?? "", MESSAGE_CHARS_MOST);
  if (typeof thrown === "object" && thrown !== null) return "a value that is not an error";
  try {
    return cut(toText(thrown), MESSAGE_CHARS_MOST);
  } catch {
    return "a value that cannot be shown";
  }
}
