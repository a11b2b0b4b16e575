/**
 * Whether a literal looks like a secret. Defaults of parameters are shown wherever a capability is listed; a secret
 * that was written into code must not get there.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";

const KEY =
  /(?:^|_)(?:password|passwd|passphrase|secret|token|api_?key|authorization|cookie|credentials?|private_key|access_key)$/;
/** Page tokens, which are positions in a list and not secret. */
const PAGE_KEY = /^(?:page|next|next_page|prev|continuation|sync|resume|cursor)_token$/;
const VALUE =
  /^(?:bearer|basic|token) \S{8,}|^[spr]k[-_][\w-]{16,}|^gh[pousr]_\w{16,}|^github_pat_|^xox[abeprs]-|^(?:AKIA|ASIA)[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY|^eyJ[\w-]{8,}\.[\w-]+\./i;

/** `field` is the key of the value, or the nearest one around it. */
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

/** Recognises tokens by their form, anywhere in a text; if there is a first group, it matches the secret. */
const FORMS: readonly RegExp[] = [
  /\b(?:bearer|basic)\s+([\w+/=.~-]{8,})/gi,
  /\b[spr]k[-_][\w-]{16,}/g,
  /\bgh[pousr]_\w{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{16,}|\bnpm_\w{30,}|\bAIza[\w-]{30,}/g,
  /\bxox[abeprs]-[\w-]{8,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g,
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\w+/=\s]{0,20000}/g,
  // The password in an address.
  /:\/\/[^\s/:@]{0,200}:([^\s/@]{3,200})@/g,
];
/** `token=…` in an address or a header, and `"token": "…"` in JSON inside a text. */
const NAMED = /([\w.-]{2,80})\\?["']?\s?([=:])\s?\\?["']?([^\s"'&;,#\\<>(){}]{4,4000})/g;
const TEXT_CHARS = 200_000;

/** Secrets in a text with other words. */
export function secretsIn(text: string): readonly string[] {
  const part = text.slice(0, TEXT_CHARS);
  const found = FORMS.flatMap((form) => Array.from(part.matchAll(form), ([all, only]) => only ?? all));
  // A sentence may contain a colon after such a word: "token: required".
  for (const [, key = "", sign, value = ""] of part.matchAll(NAMED))
    if (isSecretKey(key) && (sign === "=" || (value.length >= 8 && /\d/.test(value)))) found.push(value);
  return found;
}

/** Whether a value is secret, according to its key alone. */
export function isSecretKey(key: string): boolean {
  const folded = key
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
  return KEY.test(folded) && !PAGE_KEY.test(folded);
}
