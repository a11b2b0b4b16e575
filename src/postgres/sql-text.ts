/**
 * Foreign text in a `text` column. PostgreSQL cannot store U+0000, and UTF-8 cannot encode a lone surrogate. Names of
 * tools may have both, and one such name must not make a whole batch fail.
 *
 * @module
 */

/**
 * Converts any text to text that PostgreSQL can store: reversible, and unchanged if it has no backslash and no such
 * character.
 */
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
