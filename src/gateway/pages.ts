/**
 * Pages of a list whose items have unique keys in a fixed order.
 *
 * The cursor names the last item that was sent, not a position, so a list that grows or shrinks between two pages
 * repeats nothing and loses nothing but what has really gone.
 *
 * @module
 */
import { ProtocolError } from "@modelcontextprotocol/server";
import { LIMITS } from "../base/limits.js";

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  cursor: string | undefined,
): Page<T> {
  const start = cursor === undefined ? 0 : startAfter(items, keyOf, readCursor(cursor));
  const page = items.slice(start, start + LIMITS.listPageItems);
  const last = page.at(-1);
  const more = start + page.length < items.length && last !== undefined;
  return { items: page, ...(more ? { nextCursor: writeCursor(start + page.length - 1, keyOf(last)) } : {}) };
}

interface Place {
  readonly index: number;
  readonly key: string;
}

function startAfter<T>(items: readonly T[], keyOf: (item: T) => string, { index, key }: Place): number {
  const there = items[index];
  if (there !== undefined && keyOf(there) === key) return index + 1;
  const moved = items.findIndex((item) => keyOf(item) === key);
  // The item has gone: what followed it has moved up to its place, or near it.
  return moved < 0 ? Math.min(index, items.length) : moved + 1;
}

function writeCursor(index: number, key: string): string {
  return Buffer.from(JSON.stringify([index, key])).toString("base64url");
}

function readCursor(cursor: string): Place {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (
      Array.isArray(value) &&
      Number.isSafeInteger(value[0]) &&
      value[0] >= 0 &&
      typeof value[1] === "string"
    ) {
      return { index: value[0], key: value[1] };
    }
  } catch {
    // Not one of ours; told below.
  }
  throw new ProtocolError(-32602, "Invalid params: the cursor is none that this gateway gave");
}
