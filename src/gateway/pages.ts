/**
 * Pages of a list whose items have unique keys in a fixed order.
 *
 * The cursor names the items of the page that was sent, and not a position: the next page starts behind the last of
 * them that is still there. So a list that grows or shrinks between two pages repeats nothing, and loses nothing but
 * what has really gone.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { ProtocolError } from "@modelcontextprotocol/server";
import { LIMITS } from "../base/limits.js";

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** Characters of a key's mark: 48 bits, so that two of some thousand keys hardly share one. */
const MARK_CHARS = 8;
const CURSOR = new RegExp(`^(\\d{1,9})\\.((?:[\\w-]{${MARK_CHARS}}){1,${LIMITS.listPageItems}})$`);

export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  cursor: string | undefined,
): Page<T> {
  const start = cursor === undefined ? 0 : startAfter(items, keyOf, readCursor(cursor));
  const page = items.slice(start, start + LIMITS.listPageItems);
  const isLast = start + page.length >= items.length;
  return { items: page, ...(isLast ? {} : { nextCursor: writeCursor(start, page.map(keyOf)) }) };
}

interface SentPage {
  /** Where the page began when it was sent. */
  readonly start: number;
  readonly marks: readonly string[];
}

function startAfter<T>(items: readonly T[], keyOf: (item: T) => string, { start, marks }: SentPage): number {
  const isSent = (item: T | undefined, among: readonly string[]) =>
    item !== undefined && among.includes(markOf(keyOf(item)));
  const end = start + marks.length;
  // Mostly nothing has changed.
  if (isSent(items[end - 1], marks.slice(-1))) return end;
  const last = items.findLastIndex((item) => isSent(item, marks));
  // All of them have gone: what followed them has moved up to where they began.
  return last < 0 ? Math.min(start, items.length) : last + 1;
}

function markOf(key: string): string {
  return createHash("sha256").update(key).digest("base64url").slice(0, MARK_CHARS);
}

function writeCursor(start: number, keys: readonly string[]): string {
  return `${start}.${keys.map(markOf).join("")}`;
}

function readCursor(cursor: string): SentPage {
  const [, start, marks] = CURSOR.exec(cursor) ?? [];
  if (start === undefined || marks === undefined)
    throw new ProtocolError(-32602, "Invalid params: the cursor is none that this gateway gave");
  return { start: Number(start), marks: marks.match(new RegExp(`.{${MARK_CHARS}}`, "g")) ?? [] };
}
