/**
 * Pages of a list that is ordered by the unique keys of its items.
 *
 * The cursor is the key of the last item that was sent, and the next page starts with the first key behind it. So items
 * that are added or removed between two pages cause no repetition, and no item that stayed is skipped. In a list with
 * its own order, the next page starts behind that item.
 *
 * @module
 */
import { ProtocolError } from "@modelcontextprotocol/server";
import { LIMITS } from "../base/limits.js";

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** Sorts items for {@link pageOf}: by the code units of their keys. */
export function inKeyOrder<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  cursor: string | undefined,
): Page<T> {
  const start = cursor === undefined ? 0 : firstBehind(items, keyOf, readCursor(cursor));
  const page = items.slice(start, start + LIMITS.listPageItems);
  const last = page.at(-1);
  const isLast = last === undefined || start + page.length >= items.length;
  return { items: page, ...(isLast ? {} : { nextCursor: writeCursor(keyOf(last)) }) };
}

function firstBehind<T>(items: readonly T[], keyOf: (item: T) => string, key: string): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && keyOf(item) <= key) low = middle + 1;
    else high = middle;
  }
  const last = items[low - 1];
  if (last !== undefined && keyOf(last) === key) return low;
  const at = items.findIndex((item) => keyOf(item) === key);
  return at < 0 ? low : at + 1;
}

/**
 * Prefix of each cursor, to recognise cursors of other servers. UTF-16, since keys may contain half a surrogate pair.
 */
const MARK = "pml1.";

function writeCursor(key: string): string {
  return MARK + Buffer.from(key, "utf16le").toString("base64url");
}

function readCursor(cursor: string): string {
  if (/^pml1\.[\w-]+$/.test(cursor))
    return Buffer.from(cursor.slice(MARK.length), "base64url").toString("utf16le");
  throw new ProtocolError(-32602, "Invalid params: unknown cursor");
}

/**
 * A list that stays the same object, with the same items, while its content stays the same, however often it is
 * rebuilt. So the list that a client was sent and the current one can be compared by identity, also in parts.
 */
export class StableList<T> {
  #items: readonly T[] = [];
  #texts: readonly string[] = [];

  get items(): readonly T[] {
    return this.#items;
  }

  set(items: readonly T[]): readonly T[] {
    const before = this.#texts;
    const texts = items.map((item) => JSON.stringify(item));
    if (texts.length === before.length && texts.every((text, at) => text === before[at])) return this.#items;
    const known = new Map(before.map((text, at) => [text, this.#items[at] as T]));
    this.#items = items.map((item, at) => known.get(texts[at] as string) ?? item);
    this.#texts = texts;
    return this.#items;
  }
}
