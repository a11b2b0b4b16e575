/**
 * Finds secrets in plain text in a client's servers, and replaces them by `${secret:NAME}`.
 *
 * A value that is not secret may be mistaken for one: the server still gets it, only from the secret store.
 *
 * @module
 */
import { looksSecret } from "../analysis/parameters/secret-literal.js";
import { isJsonObject } from "../base/json-object.js";
import type { PmlEntry } from "../clients/merge-servers.js";
import { isSecretName } from "./secret-store.js";

/** The last word of a variable's or a header's name. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  "key apikey token secret password passwd passphrase pass pwd pat auth authorization credential credentials cookie dsn bearer jwt".split(
    " ",
  ),
);
const NO_SECRET = /^(?:true|false|yes|no|on|off|none|null|default|\d{1,5})$/i;
/** The path of a file with a secret is not itself a secret. */
const PATH = /^(?:~|\.{1,2})?[\\/].*\.\w{1,8}$|^[A-Za-z]:[\\/]/;
const URL_WITH_PASSWORD = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;
const PASSWORD = /^([a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:)([^/?#\s@]+)@/i;
/** Long, with letters and digits, and not a word, address or path: 24 characters are 120 bits of base32. */
const RANDOM = /^(?![.~]{0,2}\/)(?=.*\d)(?=.*[A-Za-z])[\w+/=.-]{24,}$/;
/** The text before the secret in a header. */
const SCHEME = /^(?:bearer|basic|token)\s+/i;

/** Shorter values are words that occur in many texts. */
const SECRET_CHARS_LEAST = 8;

/** The store's existing secrets; equal values with the same name are one secret. */
export interface KnownSecrets {
  has(name: string): boolean;
  value(name: string): string;
}

/** Moves the secrets of an entry's `env`, `headers` and `url`; adds their values to `moved` by name. */
export function withSecrets(
  server: string,
  entry: PmlEntry,
  known: KnownSecrets,
  moved: Map<string, string>,
): PmlEntry {
  const keep = (wanted: string, secret: string) => {
    const kept = freeName(wanted, server, secret, known, moved);
    moved.set(kept, secret);
    return `\${secret:${kept}}`;
  };
  const { url } = entry;
  const address =
    typeof url !== "string"
      ? {}
      : { url: addressWith(url, (name, secret) => keep(`${server}_${name}`, secret)) };
  const texts = (key: string) => {
    const present = entry[key] as Readonly<Record<string, string>> | undefined;
    if (present === undefined) return {};
    const changed = Object.entries(present).map(([name, text]): [string, string] => {
      const secret = secretIn(name, text);
      if (secret === undefined) return [name, text];
      const reference = keep(key === "env" ? name : `${server}_${name}`, secret);
      return [name, `${text.slice(0, text.length - secret.length)}${reference}`];
    });
    return { [key]: Object.fromEntries(changed) };
  };
  return { ...entry, ...address, ...texts("env"), ...texts("headers") };
}

/** Replaces the password of a URL and the secrets in its query. */
export function addressWith(url: string, replace: (name: string, secret: string) => string): string {
  const address = url.replace(PASSWORD, (whole, start: string, secret: string) =>
    secret.includes("${") ? whole : `${start}${replace("password", secret)}@`,
  );
  return address.replace(/([?&])([^=&#]+)=([^&#]+)/g, (whole, sign: string, name: string, value: string) => {
    const secret = secretIn(name, value);
    return secret === undefined ? whole : `${sign}${name}=${replace(name, secret)}`;
  });
}

/**
 * Values of servers that look like secrets, including those of an `envFile` and of variables. They must not be stored,
 * even if they are not declared as secrets.
 *
 * @param servers `mcpServers` with resolved values
 */
export function secretsGiven(servers: unknown): readonly string[] {
  const found = new Set<string>();
  const note = (value: unknown) => {
    if (typeof value === "string" && value.length >= SECRET_CHARS_LEAST) found.add(value);
  };
  for (const entry of isJsonObject(servers) ? Object.values(servers) : []) {
    if (!isJsonObject(entry)) continue;
    for (const texts of [entry.env, entry.headers])
      for (const [name, text] of isJsonObject(texts) ? Object.entries(texts) : [])
        if (typeof text === "string" && isSecretIn(name, text)) {
          note(text.replace(SCHEME, ""));
          note(PASSWORD.exec(text)?.[2]);
        }
    if (typeof entry.url === "string")
      addressWith(entry.url, (_, secret) => {
        note(secret);
        return secret;
      });
    if (isJsonObject(entry.auth)) note(entry.auth.clientSecret);
  }
  return [...found];
}

/** The secret at the end of a text; undefined if there is none, or if it is a variable. */
export function secretIn(name: string, text: string): string | undefined {
  const value = text.replace(SCHEME, "");
  if (text.includes("${") || isPlain(value)) return undefined;
  return isSecretIn(name, text) || RANDOM.test(value) ? value : undefined;
}

/** Whether the name of a text or its form indicates a secret at its end. */
function isSecretIn(name: string, text: string): boolean {
  const value = text.replace(SCHEME, "");
  if (isPlain(value)) return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return (
    SECRET_WORDS.has(words.at(-1) ?? "") ||
    looksSecret(name, value) ||
    looksSecret(name, text) ||
    URL_WITH_PASSWORD.test(value)
  );
}

function isPlain(value: string): boolean {
  return value === "" || NO_SECRET.test(value) || PATH.test(value);
}

function freeName(
  wanted: string,
  server: string,
  value: string,
  known: KnownSecrets,
  moved: ReadonlyMap<string, string>,
): string {
  const plain = (name: string) => name.replace(/[^A-Za-z0-9_]+/g, "_").toUpperCase();
  const isFree = (name: string) =>
    isSecretName(name) && (moved.get(name) ?? valueIn(known, name) ?? value) === value;
  const candidates = [plain(wanted), plain(`${server}_${wanted}`)];
  for (let count = 2; ; count += 1) {
    const free = candidates.find(isFree);
    if (free !== undefined) return free;
    candidates.push(`SECRET_${count}`);
  }
}

/** An unreadable secret counts as different. */
function valueIn(known: KnownSecrets, name: string): string | undefined {
  if (!known.has(name)) return undefined;
  try {
    return known.value(name);
  } catch {
    return "";
  }
}
