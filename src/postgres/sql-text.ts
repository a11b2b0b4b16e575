/**
 * Text of others in a `text` column. PostgreSQL cannot hold U+0000, and UTF-8 cannot hold half a surrogate pair;
 * names of tools may have both, and one such name must not keep a whole batch from being written.
 *
 * @module
 */

/** Any text as text that PostgreSQL can hold: reversible, and unchanged where it has no backslash and nothing bad. */
export function toSqlText(text: string): string {
  return text.replace(
    /[\\\0]|\p{Surrogate}/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The inverse of {@link toSqlText}. */
export function fromSqlText(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** For a column that may be null. */
export function textOrNull(text: string | undefined): string | null {
  return text === undefined ? null : toSqlText(text);
}

/** The inverse of {@link textOrNull}. */
export function textOf(text: string | null): string | undefined {
  return text === null ? undefined : fromSqlText(text);
}
