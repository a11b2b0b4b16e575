/**
 * Parses addresses for the guest in QuickJS, which has no parser of its own: text in, text out, and never an error.
 *
 * @module
 */
import type { UrlParts, UrlQuestion } from "../guest/quickjs-url.js";

const SETTABLE: readonly string[] = [
  "protocol",
  "username",
  "password",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
];

/** JSON of the parts of the address that `question` asks for; empty if there is no such address. */
export function answerUrl(question: string): string {
  try {
    const asked = JSON.parse(question) as UrlQuestion;
    const url = "base" in asked ? new URL(asked.href, asked.base) : new URL(asked.href);
    if ("part" in asked && SETTABLE.includes(asked.part)) url[asked.part] = asked.value;
    return JSON.stringify(partsOf(url));
  } catch {
    return "";
  }
}

function partsOf({
  href,
  origin,
  protocol,
  username,
  password,
  host,
  hostname,
  port,
  pathname,
  search,
  hash,
}: URL): UrlParts {
  return { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash };
}
