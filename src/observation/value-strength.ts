/**
 * How much the equality of two values means. A long identifier is rarely equal by chance; `true`, 3 and "USD" are.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";

/** A value at this many different places of results, in this many sessions, is common. */
const COMMON_PLACES = 4;
const COMMON_SESSIONS = 5;
const COMMON_SHARE = 0.1;
const LEAST_DIGITS = 3;
const LEAST_CHARS = 3;
const IDENTIFIER_CHARS = 5;

export function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value !== "object";
}

/** One text per value, so that 12446 and "12446", 1047 and "1047.0", " a" and "a" are equal. */
export function textOf(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value);
  const text = value.trim();
  return /^-?\d{1,15}\.\d+$/.test(text) ? String(Number(text)) : text;
}

/** Too common to be evidence for a data flow. */
export function isTrivial(value: Json): boolean {
  return value === null || typeof value === "boolean" || value === "" || typeof value === "object";
}

function isShort(text: string): boolean {
  if (!/^-?\d+(\.\d+)?$/.test(text)) return text.length < LEAST_CHARS;
  const digits = text.replace(/\D/g, "").replace(/^0+/, "").replace(/0+$/, "");
  return digits.length < LEAST_DIGITS;
}

/** Has the form of an identifier: with a digit, without a space, and not a date or amount. */
export function isIdentifier(text: string): boolean {
  return (
    text.length >= IDENTIFIER_CHARS &&
    /\d/.test(text) &&
    !/\s/.test(text) &&
    !/^\d{4}-\d\d(-\d\d)?\b|^\d\d:\d\d|^-?\d+\.\d+$/.test(text)
  );
}

/** How often values occur in all sessions. A value that occurs everywhere is no evidence. */
export class ValueCounts {
  readonly #seen = new Map<string, { readonly places: Set<string>; readonly sessions: Set<string> }>();
  readonly #sessions = new Set<string>();
  readonly #most: number;

  /** @param most the maximum of counted values; later ones are ignored. */
  constructor(most = 200_000) {
    this.#most = most;
  }

  note(text: string, place: string, session: string): void {
    this.#sessions.add(session);
    let seen = this.#seen.get(text);
    if (seen === undefined) {
      if (this.#seen.size >= this.#most || text.length > 200) return;
      seen = { places: new Set(), sessions: new Set() };
      this.#seen.set(text, seen);
    }
    // Counts beyond the limit make no difference, and are not kept.
    if (seen.places.size < COMMON_PLACES) seen.places.add(place);
    seen.sessions.add(session);
  }

  /** Whether an equal value is evidence only together with a matching name. */
  isWeak(text: string): boolean {
    if (isShort(text)) return true;
    if (isIdentifier(text)) return false;
    const seen = this.#seen.get(text);
    const least = Math.max(COMMON_SESSIONS, COMMON_SHARE * this.#sessions.size);
    return seen !== undefined && seen.places.size >= COMMON_PLACES && seen.sessions.size >= least;
  }
}

/** Whether one name ends like the other: `customer_id` and `id`, `orderIds` and `order_id`. */
export function namesAgree(one: string, other: string): boolean {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length > 0 && short.every((word, i) => word === long[long.length - short.length + i]);
}

export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .map((word) => (word === "ids" ? "id" : word.length > 3 ? word.replace(/s$/, "") : word));
}
