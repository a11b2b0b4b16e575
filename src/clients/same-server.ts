/**
 * Whether two entries start the same server.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";

/** The identity of a server: its program with arguments, or its address; and its variables and headers. */
export interface ServerLaunch {
  readonly name: string;
  readonly command?: string | undefined;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
  /** A file with variables, which is not read here. */
  readonly envFile?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** An entry of `mcpServers`, ignoring invalid fields. */
export function launchOf(name: string, entry: Readonly<Record<string, unknown>>): ServerLaunch {
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const texts = (value: unknown) =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)]))
      : {};
  return {
    name,
    command: text(entry.command),
    args: Array.isArray(entry.args) ? entry.args.map(String) : [],
    env: texts(entry.env),
    cwd: text(entry.cwd),
    envFile: text(entry.envFile),
    url: text(entry.url),
    headers: texts(entry.headers),
  };
}

/**
 * The same program with the same arguments in the same directory, or the same address. A secret of PML matches any
 * text.
 */
export function isSameLaunch(one: ServerLaunch, other: ServerLaunch): boolean {
  if (one.cwd !== other.cwd || one.envFile !== other.envFile) return false;
  if (one.url !== undefined || other.url !== undefined) return isSameText(one.url, other.url);
  return (
    isSameText(one.command, other.command) &&
    one.args.length === other.args.length &&
    one.args.every((text, index) => isSameText(text, other.args[index]))
  );
}

/** Including variables and headers: two accounts of one service are two servers. */
export function isSameServer(one: ServerLaunch, other: ServerLaunch): boolean {
  return isSameLaunch(one, other) && isSameMap(one.env, other.env) && isSameMap(one.headers, other.headers);
}

function isSameMap(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => isSameText(one[name], other[name]));
}

const SECRET = /\$\{secret:[^}]*\}/;

function isSameText(one: string | undefined, other: string | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return fits(one, other) || fits(other, one);
}

/** Whether the text contains the parts around the secrets, in their order. */
function fits(pattern: string, text: string): boolean {
  const parts = pattern.split(SECRET);
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at + 1);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length > at + last.length && text.endsWith(last);
}
