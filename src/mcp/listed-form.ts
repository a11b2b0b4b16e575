/**
 * A server's listed items in the form for agents and people: without invisible characters, and without fields that only
 * PML may set.
 *
 * Texts are cleaned. Values that must be sent back to the server exactly (names, addresses, values of an enum) cannot
 * be changed; an item in which such a value contains invisible characters is omitted, with a reason for `pml doctor`.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { visible } from "../base/visible-text.js";
import { cleanText, cleanTexts, hasInvisible, LITERAL_KEYS, NAME_MAPS } from "./clean-text.js";

/** A copy that can be shown. */
export function listedForm<T extends object>(item: T): T {
  const cleaned = { ...cleanTexts(item) } as Record<string, unknown>;
  if (isJsonObject(cleaned._meta)) cleaned._meta = withoutReserved(cleaned._meta);
  // The name of a resource is for people: its address identifies it.
  if (typeof cleaned.name === "string" && ("uri" in cleaned || "uriTemplate" in cleaned))
    cleaned.name = cleanText(cleaned.name);
  return cleaned as T;
}

/** Why an item cannot be shown, or undefined. The item must not be nested deeper than the stack allows. */
export function whyNotShown(item: unknown): string | undefined {
  const isResource = isJsonObject(item) && ("uri" in item || "uriTemplate" in item);
  const found = hiddenIn(isResource ? { ...item, name: "" } : item, "schema");
  return found === undefined ? undefined : `its ${found} holds invisible characters`;
}

/** The context of a value: among keywords, among names that the server gave, or where it is sent back unchanged. */
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

// Keys of `_meta` with the prefix `pml/` are PML's own: a server's values for them are dropped, so that no server can
// imitate PML's statements about itself.

/** Results of tools, and schemas: data in which `_meta` has no meaning for the protocol. */
const DATA_KEYS: ReadonlySet<string> = new Set([
  "structuredContent",
  "inputSchema",
  "outputSchema",
  "requestedSchema",
]);

/** Also matches keys that only look like PML's. */
function isReserved(key: string): boolean {
  return cleanText(key).trim().toLowerCase().startsWith("pml/");
}

/** A copy without PML's keys; the same object if it has none. */
function withoutReserved<T extends object>(meta: T): T {
  const entries = Object.entries(meta);
  const kept = entries.filter(([key]) => !isReserved(key));
  return kept.length === entries.length ? meta : (Object.fromEntries(kept) as T);
}

/**
 * Drops PML's keys from every `_meta` of a message that was just parsed, in place. Tools of a listing keep theirs here:
 * they are pinned as they were sent (see `listedForm`).
 */
export function dropReservedMeta(message: object): void {
  const { result, error } = message as { readonly result?: unknown; readonly error?: unknown };
  const errorData = isJsonObject(error) ? error.data : undefined;
  // Without recursion, because a message may be nested deeper than the stack allows.
  const rest: object[] = [message];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (value === errorData) dropKeys(value as Record<string, unknown>);
    if (Array.isArray(value)) {
      for (const item of value) if (typeof item === "object" && item !== null) rest.push(item);
      continue;
    }
    for (const key of Object.keys(value)) {
      const item = (value as Readonly<Record<string, unknown>>)[key];
      if (typeof item !== "object" || item === null || DATA_KEYS.has(key)) continue;
      if (key === "_meta") dropKeys(item as Record<string, unknown>);
      else if (key !== "tools" || value !== result) rest.push(item);
    }
  }
}

function dropKeys(meta: Record<string, unknown>): void {
  for (const key of Object.keys(meta)) if (isReserved(key)) delete meta[key];
}
