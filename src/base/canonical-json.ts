/**
 * RFC 8785 canonical JSON, for hashing and comparing values whose key order has no meaning.
 *
 * `JSON.stringify` already writes numbers and strings as RFC 8785 requires; this adds the order of keys (by UTF-16 code
 * units, like `Array.prototype.sort`) and rejects values that JSON cannot represent.
 *
 * @module
 */

/** Anything that `JSON.parse` can return. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export function canonicalJson(value: unknown): string {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== "object")
    throw new TypeError(`Cannot write as JSON: ${String(value)} (${typeof value})`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(",")}]`;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
}
