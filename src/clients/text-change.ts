/**
 * Changes of a text by position: everything outside of them stays byte for byte.
 *
 * @module
 */
import type { KeyPath } from "./client-table.js";

/** What one edit does to a client's configuration. */
export interface ConfigEdit {
  /** The path of the servers. */
  readonly path: KeyPath;
  readonly isList?: true;
  /** Names of the entries to remove. */
  readonly remove: readonly string[];
  /** The entry to add, which replaces one with this name. Without it entries are only removed. */
  readonly put?: NamedEntry;
}

export interface NamedEntry {
  readonly name: string;
  readonly entry: unknown;
}

/** The text replaces the characters from `start` up to `end`. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The changes must not overlap. */
export function changed(text: string, changes: readonly Change[]): string {
  const ordered = [...changes].sort((a, b) => a.start - b.start);
  const parts: string[] = [];
  let at = 0;
  for (const change of ordered) {
    parts.push(text.slice(at, change.start), change.text);
    at = change.end;
  }
  return parts.join("") + text.slice(at);
}

/** The line end of the text. */
export function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

/** The start of the line at this position; a byte order mark at the start of a file is in no line. */
export function startOfLine(text: string, position: number): number {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  return start === 0 && text.startsWith("\uFEFF") ? 1 : start;
}

/** The start of the next line, or the end of the text. */
export function endOfLine(text: string, position: number): number {
  const end = text.indexOf("\n", position);
  return end < 0 ? text.length : end + 1;
}

/** The items of a list of entries: the new one replaces the first removed one, or comes last. */
export function withPut(
  items: readonly unknown[],
  goes: (item: unknown) => boolean,
  put: NamedEntry | undefined,
): readonly unknown[] {
  const stays = items.filter((item) => !goes(item));
  if (put === undefined) return stays;
  const place = items.findIndex(goes);
  const added = { name: put.name, ...(put.entry as object) };
  return place < 0 ? [...stays, added] : [...stays.slice(0, place), added, ...stays.slice(place)];
}
