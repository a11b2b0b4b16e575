/**
 * Edits a TOML file by its tables and keys: removes the statements of some tables, adds a table, and keeps every other
 * character. `smol-toml` parses the values (`config-text.ts`), but cannot write a file with its comments, and no
 * package that can is widely used.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { BrokenText, lineAt } from "./broken-text.js";
import { type Change, type ConfigEdit, changed, endOfLine, eolOf, startOfLine } from "./text-change.js";

/** One key with its value, or the header of a table. */
interface Statement {
  /** All keys from the root of the file. */
  readonly path: readonly string[];
  readonly isHead: boolean;
  readonly start: number;
  /** Including the comment after it and the end of its line. */
  readonly end: number;
}

export function editToml(text: string, { path, remove, put }: ConfigEdit): string {
  const goes = new Set([...remove, ...(put === undefined ? [] : [put.name])]);
  const taken = statementsOf(text).filter(
    ({ path: [...keys] }) =>
      keys.length > path.length &&
      path.every((key, index) => keys[index] === key) &&
      goes.has(keys[path.length] ?? ""),
  );
  const eol = eolOf(text);
  const table = put === undefined ? "" : tableText([...path, put.name], put.entry, eol);
  const runs = runsOf(text, taken);
  const place = put === undefined ? undefined : runs.find(({ isHead }) => isHead);
  const changes = runs.map(
    ({ start, end, next }): Change =>
      start === place?.start ? { start, end, text: table } : { start, end: next, text: "" },
  );
  const after = changed(text, changes);
  if (place !== undefined || put === undefined) return after;
  const gap = after === "" ? "" : after.endsWith("\n") ? eol : eol + eol;
  return after + gap + table;
}

interface Run {
  readonly isHead: boolean;
  readonly start: number;
  readonly end: number;
  /** The start of the next statement, after blank lines. */
  readonly next: number;
}

/** Merges statements with only blank lines between them. */
function runsOf(text: string, statements: readonly Statement[]): readonly Run[] {
  const runs: Run[] = [];
  for (const { isHead, start, end } of statements) {
    const last = runs.at(-1);
    const next = end + (/^\s*(?:\n|$)/.exec(text.slice(end))?.[0].length ?? 0);
    if (last?.next === start) runs[runs.length - 1] = { ...last, end, next };
    else runs.push({ isHead, start, end, next });
  }
  return runs;
}

function tableText(path: readonly string[], entry: unknown, eol: string): string {
  const lines = Object.entries(isJsonObject(entry) ? entry : {}).map(
    ([key, value]) => `${keyText(key)} = ${valueText(value)}`,
  );
  return [`[${path.map(keyText).join(".")}]`, ...lines, ""].join(eol);
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** Texts and numbers are written as in JSON; TOML has the same escapes except for DEL. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (isJsonObject(value)) {
    const pairs = Object.entries(value).map(([key, one]) => `${keyText(key)} = ${valueText(one)}`);
    return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
  }
  return JSON.stringify(value).replaceAll("\x7f", "\\u007f");
}

const BLANK = /(?:[ \t\r\n\uFEFF]|#[^\n]*)*/y;
const HEAD = /\[\[?/y;
const KEY = /[ \t]*(?:([A-Za-z0-9_-]+)|("(?:[^"\\\n]|\\.)*")|'([^'\n]*)')[ \t]*/y;
const STRING = /"""(?:[^\\]|\\[\s\S])*?"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;

/** The file must be valid already: this only reads the boundaries of statements. */
function statementsOf(text: string): readonly Statement[] {
  const found: Statement[] = [];
  let table: readonly string[] = [];
  let at = 0;
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const result = pattern.exec(text);
    if (result !== null) at += result[0].length;
    return result;
  };
  const key = () => {
    const [, bare, quoted, literal] = match(KEY) ?? [];
    const found = bare ?? literal ?? (quoted === undefined ? undefined : basicString(quoted));
    if (found === undefined) throw new BrokenText("expected a key", lineAt(text, at));
    return found;
  };
  for (;;) {
    match(BLANK);
    if (at >= text.length) return found;
    const start = startOfLine(text, at);
    const isHead = match(HEAD) !== null;
    const keys = [key()];
    while (text[at] === ".") {
      at += 1;
      keys.push(key());
    }
    if (isHead) table = keys;
    else at = endOfValue(text, at);
    at = endOfLine(text, at);
    found.push({ path: isHead ? keys : [...table, ...keys], isHead, start, end: at });
  }
}

/** The end of the line of the value that starts here: values in brackets and long strings take several. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (sign === '"' || sign === "'") {
      STRING.lastIndex = at;
      at += (STRING.exec(text)?.[0].length ?? 1) - 1;
    } else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    else if (sign === "#") at = endOfLine(text, at) - 2;
    else if (sign === "\n" && depth <= 0) return at;
  }
  return text.length;
}

function basicString(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    // It has an escape of TOML that JSON does not have. No key that PML searches for has one.
    return quoted;
  }
}
