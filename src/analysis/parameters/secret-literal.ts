/**
 * Whether a literal looks like a secret. Defaults of parameters are shown wherever a capability is listed; a secret that
 * was written into code must not get there.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";

const KEY =
  /(?:^|_)(?:password|passwd|passphrase|secret|token|api_?key|authorization|cookie|credentials?|private_key|access_key)$/;
/** Places in a list, not keys to a door. */
const PAGE_KEY = /^(?:page|next|next_page|prev|continuation|sync|resume|cursor)_token$/;
const VALUE =
  /^(?:bearer|basic|token) \S{8,}|^[spr]k[-_][\w-]{16,}|^gh[pousr]_\w{16,}|^github_pat_|^xox[abeprs]-|^(?:AKIA|ASIA)[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY|^eyJ[\w-]{8,}\.[\w-]+\./i;

/** `field` is the key that the value stands at, or the nearest one around it. */
export function looksSecret(field: string, value: Json): boolean {
  const waiting: { readonly key: string; readonly value: Json }[] = [{ key: field, value }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { key, value: part } = next;
    if (typeof part === "string") {
      if (part !== "" && (isSecretKey(key) || VALUE.test(part))) return true;
    } else if (Array.isArray(part)) {
      for (const item of part) waiting.push({ key, value: item });
    } else if (part !== null && typeof part === "object") {
      for (const [inner, item] of Object.entries(part)) waiting.push({ key: inner, value: item });
    }
  }
  return false;
}

function isSecretKey(key: string): boolean {
  const folded = key
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
  return KEY.test(folded) && !PAGE_KEY.test(folded);
}
