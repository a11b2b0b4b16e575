/**
 * Cleans what servers say about themselves before an agent reads it.
 *
 * Control characters, zero-width characters, bidirectional overrides and tag characters show nothing to a person
 * but are read by a model, which makes them the usual place to hide instructions.
 *
 * @module
 */

/**
 * Everything that is not displayed, but for tab, line feed and carriage return, which are layout. Half a surrogate
 * pair goes too: two halves would make a whole tag character once what stood between them has gone.
 */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu;

/** Emoji are made of parts that are not displayed alone; only the sequences that Unicode lists are taken for one. */
// In two parts, since a literal with this flag needs a newer compilation target.
const SETS_FLAG = "v";
const EMOJI = new RegExp("\\p{RGI_Emoji}", `g${SETS_FLAG}`);

/** Values that arguments and requests are compared with: changing one would break the tool, so they stay. */
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

/** Keys whose values map names to schemas: what is below them is named by the server, not by the schema's language. */
export const NAME_MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
]);

/** A copy of `value` with every string in it cleaned, but for keys and literals that calls depend on. */
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

/** A copy of `value` with every string and key in it cleaned: for what is read and never sent back. */
export function cleanAll(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [cleanText(key), cleanAll(item)]));
}
