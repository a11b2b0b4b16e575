/**
 * Cleans servers' texts before an agent reads them.
 *
 * Control characters, zero-width characters, bidirectional overrides and tag characters are invisible to a person but
 * are read by a model, so instructions are often hidden in them.
 *
 * @module
 */

/**
 * All invisible characters, except tab, line feed and carriage return, which are layout. Lone surrogates are removed
 * too: two halves could form a tag character after the text between them was removed.
 */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;

/** Emoji contain parts that are invisible alone; only the sequences in the Unicode list are accepted. */
// In two parts, since a literal with this flag needs a newer compilation target.
const SETS_FLAG = "v";
const EMOJI = new RegExp("\\p{RGI_Emoji}", `g${SETS_FLAG}`);

/** Values that arguments and requests are compared with: a change would break the tool, so they stay. */
export const LITERAL_KEYS: ReadonlySet<string> = new Set([
  "name",
  "uri",
  "uriTemplate",
  "const",
  "enum",
  "required",
  "pattern",
  "$ref",
  "$id",
]);

export function cleanText(text: string): string {
  return text.replace(INVISIBLE, "");
}

/** Whether a text contains invisible characters; emoji are visible as a whole. */
export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) >= 0 && text.replace(EMOJI, "").search(INVISIBLE) >= 0;
}

/** Keys whose values map names to schemas: the server chooses the names below them, not the schema language. */
export const NAME_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
]);

/** A copy of `value` with every string cleaned, except keys and literals that calls depend on. */
export function cleanTexts<T>(value: T): T {
  return clean(value, false) as T;
}

function clean(value: unknown, isNameMap: boolean): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map((item) => clean(item, false));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      LITERAL_KEYS.has(key) && !isNameMap ? item : clean(item, NAME_MAPS.has(key) && !isNameMap),
    ]),
  );
}

/** A copy of `value` with every string and key cleaned: for data that is read and never sent back. */
export function cleanAll(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanAll(item)]));
}
