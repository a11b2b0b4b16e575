/**
 * A change of a client's file as a diff without secrets. Secrets are in variables, headers, arguments, addresses, and
 * comments, so a line only shows words that are known to be harmless: keys, names and programs of servers, and PML's
 * own.
 *
 * @module
 */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { isJsonObject } from "../base/json-object.js";
import { BrokenText } from "./broken-text.js";
import type { ConfigFormat } from "./client-table.js";
import { contentOf } from "./config-text.js";

export interface TextPair {
  readonly file: string;
  readonly format: ConfigFormat;
  readonly before: string;
  readonly after: string;
}

const MASK = "…";

/** `own` are words that PML writes. If a text cannot be parsed, no line is shown. */
export function maskedDiff({ file, format, before, after }: TextPair, own: readonly string[] = []): string {
  if (before === after) return "";
  const shown = new Set([...own, "-", "true", "false", "null", "stdio", "local", "custom"]);
  const [old, made, ...lines] = createTwoFilesPatch(file, file, before, after, undefined, undefined, {
    context: 0,
    headerOptions: FILE_HEADERS_ONLY,
  }).split("\n");
  try {
    for (const text of [before, after]) addKnown(contentOf(format, text), shown);
  } catch (error) {
    if (error instanceof BrokenText) return `${old}\n${made}\n`;
    throw error;
  }
  return [old, made, ...lines.map((line) => maskedLine(line, shown))].join("\n");
}

/** Keys, the names of servers in lists, and programs. A command with spaces may contain arguments. */
function addKnown(value: unknown, shown: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) addKnown(item, shown);
  if (!isJsonObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    shown.add(key);
    const first: unknown = Array.isArray(inner) ? inner[0] : inner;
    const isProgram = (key === "command" || key === "cmd") && typeof first === "string" && !/\s/.test(first);
    if (isProgram || (key === "name" && typeof first === "string")) shown.add(String(first));
    addKnown(inner, shown);
  }
}

const WORD = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'{}[\],:=#]+/g;

/** The first character is the diff marker of the line. */
function maskedLine(line: string, shown: ReadonlySet<string>): string {
  if (line === "" || line.startsWith("@@") || line.startsWith("\\")) return line;
  const masked = line.slice(1).replace(WORD, (word) => {
    const quote = /^["']/.exec(word)?.[0] ?? "";
    const text = quote === "" ? word : textIn(word);
    const isShown = shown.has(text) || (quote === "" && text.split(".").every((part) => shown.has(part)));
    return isShown ? word : `${quote}${MASK}${quote}`;
  });
  return `${line[0]}${masked.replace(/…(?:[ \t]+…)+/g, MASK)}`;
}

function textIn(quoted: string): string {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
