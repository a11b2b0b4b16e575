/**
 * Keys of `_meta` that begin with `pml/` are PML's own: what a server sends under them is dropped, so that no server can
 * write what PML says about itself.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { cleanText } from "./clean-text.js";

/** What a tool returns, and schemas: data in which nothing is read as `_meta` of the protocol. */
const DATA_KEYS: ReadonlySet<string> = new Set([
  "structuredContent",
  "inputSchema",
  "outputSchema",
  "requestedSchema",
]);

/** Also a key that only looks like one of ours. */
function isReserved(key: string): boolean {
  return cleanText(key).trim().toLowerCase().startsWith("pml/");
}

/** A copy without PML's keys; the object itself where it has none. */
export function withoutReserved<T extends object>(meta: T): T {
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
  // Without recursion: a message may be nested deeper than the stack is.
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
