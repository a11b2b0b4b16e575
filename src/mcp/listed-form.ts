/**
 * What a server lists, in the form in which agents and people read it: without invisible characters, and without
 * anything that only PML may say.
 *
 * Texts are cleaned. What must be sent back to the server exactly (names, addresses, values of an enum) cannot be
 * changed; an item in which such a value holds something invisible is left out, with a reason for `pml doctor`.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { visible } from "../base/visible-text.js";
import { cleanText, cleanTexts, hasInvisible, LITERAL_KEYS, NAME_MAPS } from "./clean-text.js";
import { withoutReserved } from "./reserved-meta.js";

/** A copy that can be shown. */
export function listedForm<T extends object>(item: T): T {
  const cleaned = { ...cleanTexts(item) } as Record<string, unknown>;
  if (isJsonObject(cleaned._meta)) cleaned._meta = withoutReserved(cleaned._meta);
  // The name of a resource is for people: it is known by its address.
  if (typeof cleaned.name === "string" && ("uri" in cleaned || "uriTemplate" in cleaned))
    cleaned.name = cleanText(cleaned.name);
  return cleaned as T;
}

/** Why an item cannot be shown as it is, or nothing. The item must not be nested deeper than the stack is. */
export function whyNotShown(item: unknown): string | undefined {
  const isResource = isJsonObject(item) && ("uri" in item || "uriTemplate" in item);
  const found = hiddenIn(isResource ? { ...item, name: "" } : item, "schema");
  return found === undefined ? undefined : `its ${found} holds invisible characters`;
}

/** Where a value stands: among keywords, among names that the server gave, or where it is sent back as it is. */
type Place = "schema" | "names" | "literal";

function hiddenIn(value: unknown, place: Place): string | undefined {
  if (typeof value === "string")
    return place === "literal" && hasInvisible(value) ? `value "${visible(value)}"` : undefined;
  if (Array.isArray(value)) return firstOf(value, (item) => hiddenIn(item, place));
  if (typeof value !== "object" || value === null) return undefined;
  return firstOf(Object.entries(value), ([key, item]) =>
    hasInvisible(key) ? `name "${visible(key)}"` : hiddenIn(item, placeUnder(key, place)),
  );
}

function placeUnder(key: string, place: Place): Place {
  if (place === "names") return "schema";
  if (place === "literal" || LITERAL_KEYS.has(key)) return "literal";
  return NAME_MAPS.has(key) ? "names" : "schema";
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found.length > 200 ? `${found.slice(0, 200)}…` : found;
  }
  return undefined;
}
