import type { IncomingMessage } from "node:http";

/** Headers that say whom a request is for or from, and what its body is: two of one could be read in two ways. */
const SINGLE: ReadonlySet<string> = new Set([
  "host",
  "origin",
  "authorization",
  "content-type",
  "mcp-session-id",
  "mcp-protocol-version",
]);

/**
 * Why the head of a request could be understood in more than one way, or nothing: a proxy in front, a browser and this
 * gateway must read the same host and origin. Node's parser itself refuses two lengths, a length beside chunks, and
 * headers that go over two lines.
 */
export function whyUnclear({ rawHeaders, url = "" }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const twice = names.find((name, index) => SINGLE.has(name) && names.indexOf(name) !== index);
  if (twice !== undefined) return `it has two "${twice}" headers`;
  if (url.startsWith("/")) return undefined;
  return "its target is not a path; send a path such as /mcp, and the host in the Host header";
}
