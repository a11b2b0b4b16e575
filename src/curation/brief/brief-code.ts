/**
 * Code in the form for a model: without the values written in it, without comments, and limited in length.
 *
 * Every literal is removed, not only those in arguments: values also reach calls through variables, defaults and
 * spreads, and the names around a literal say more about what code does. Comments are removed because a comment could
 * contain instructions to the model.
 *
 * @module
 */
import type { Node } from "../../analysis/syntax/ast.js";
import { applyEdits, type Edit } from "../../analysis/syntax/edits.js";
import { parseCode, WRAPPER_CHARS } from "../../analysis/syntax/parse-code.js";
import { SourceText } from "../../analysis/syntax/source-text.js";

/** Placeholders for a text and for a number. */
export const TEXT_PLACEHOLDER = "…";
export const NUMBER_PLACEHOLDER = "N";

const CODE_CHARS = 1_500;
const LINE_CHARS = 160;
/** After literals are removed, two slashes can only begin a comment. */
const COMMENT = /\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\//g;
const CALL = /\b(?:mcp|capabilities)\b/;
/** A quoted key that needs no quotes: not a key from data. */
const PLAIN_KEY = /^[A-Za-z_$][A-Za-z_$-]{0,30}$/;

export interface BriefCode {
  /** Empty if the code cannot be parsed: unparsed code is not sent. */
  readonly text: string;
  /** The removed texts and numbers. */
  readonly values: readonly string[];
}

/** @param known names that may stay as texts: those of the called servers and tools */
export function briefCode(code: string, known: ReadonlySet<string>): BriefCode {
  const { body } = parseCode(new SourceText(code));
  if (body === undefined) return { text: "", values: [] };
  const values: string[] = [];
  const edits: Edit[] = [];
  let at = 0;
  for (const { start, end, text } of literalEdits(body, known, values)) {
    if (start < at) continue;
    addComments(edits, code, at, start);
    edits.push({ start, end, text });
    at = end;
  }
  addComments(edits, code, at, code.length);
  return { text: boundedCode(applyEdits(code, edits).text), values };
}

function addComments(edits: Edit[], code: string, from: number, to: number): void {
  for (const { index, 0: comment } of code.slice(from, to).matchAll(COMMENT)) {
    const text = /[\n\r\u2028\u2029]/.test(comment) ? "\n" : " ";
    edits.push({ start: from + index, end: from + index + comment.length, text });
  }
}

interface Held {
  readonly node: Node;
  readonly parent: Node | undefined;
  /** The key of the node in its parent. */
  readonly key: string;
}

/** In order of position; types are visited too, since they contain values. */
function literalEdits(body: Node, known: ReadonlySet<string>, values: string[]): readonly Edit[] {
  const found: Edit[] = [];
  const waiting: Held[] = [{ node: body, parent: undefined, key: "" }];
  for (let held = waiting.pop(); held !== undefined; held = waiting.pop()) {
    const text = replacement(held, known, values);
    const { node } = held;
    if (text !== undefined)
      found.push({ start: node.start - WRAPPER_CHARS, end: node.end - WRAPPER_CHARS, text });
    for (const [key, inner] of Object.entries(node)) {
      if (key === "parent") continue;
      for (const child of Array.isArray(inner) ? inner : [inner])
        if (isNode(child)) waiting.push({ node: child, parent: node, key });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"
  );
}

function replacement(held: Held, known: ReadonlySet<string>, values: string[]): string | undefined {
  const { node } = held;
  if (node.type === "TemplateElement") {
    const { cooked, raw } = node.value;
    if (raw !== "") values.push(cooked ?? raw);
    return templatePart(held, raw);
  }
  if (node.type !== "Literal") return undefined;
  if ("regex" in node) {
    values.push(node.regex.pattern);
    return `/${TEXT_PLACEHOLDER}/`;
  }
  if (typeof node.value === "string") {
    if (isName(held, node.value, known)) return undefined;
    values.push(node.value);
    return `"${node.value === "" ? "" : TEXT_PLACEHOLDER}"`;
  }
  if (typeof node.value === "boolean" || node.raw === "null") return undefined;
  if (isStructure(held, node.raw ?? "")) return undefined;
  values.push((node.raw ?? "").replace(/n$/, ""));
  return NUMBER_PLACEHOLDER;
}

/** In the tree, a part of a template includes the characters around it. */
function templatePart({ node, parent }: Held, raw: string): string {
  const isFirst = parent?.start === node.start;
  const isLast = parent?.end === node.end;
  return `${isFirst ? "`" : "}"}${raw === "" ? "" : TEXT_PLACEHOLDER}${isLast ? "`" : "${"}`;
}

/** Whether a text is not a value: a key, or the name of a callee. */
function isName({ parent, key }: Held, value: string, known: ReadonlySet<string>): boolean {
  if (parent?.type === "Property" && key === "key") return PLAIN_KEY.test(value);
  return parent?.type === "MemberExpression" && key === "property" && known.has(value);
}

/** `rows[0]` and `n === 0` say what code does; any other number may be private data. */
function isStructure({ parent, key }: Held, raw: string): boolean {
  if (raw !== "0" && raw !== "1") return false;
  return parent?.type === "BinaryExpression" || (parent?.type === "MemberExpression" && key === "property");
}

/** Lines near the calls come first; a line marks each omitted part. */
function boundedCode(code: string): string {
  const lines = code.split(/[\n\r\u2028\u2029]+/).flatMap(shortLines);
  const whole = lines.join("\n");
  if (whole.length <= CODE_CHARS) return whole;
  const calls = lines.flatMap((line, index) => (CALL.test(line) ? [index] : []));
  const distance = distances(lines.length, calls);
  const order = lines
    .map((_, index) => index)
    .sort((a, b) => (distance[a] ?? 0) - (distance[b] ?? 0) || a - b);
  const kept = new Set<number>();
  let chars = 0;
  for (const index of order) {
    // Including, in the worst case, a line for an omitted part.
    chars += (lines[index] ?? "").length + 2 + TEXT_PLACEHOLDER.length;
    if (chars > CODE_CHARS) break;
    kept.add(index);
  }
  return lines
    .map((line, index) => (kept.has(index) ? line : undefined))
    .filter((line, index, all) => line !== undefined || index === 0 || all[index - 1] !== undefined)
    .map((line) => line ?? TEXT_PLACEHOLDER)
    .join("\n");
}

/** The distance of each line to the nearest call; without calls, to the beginning. */
function distances(count: number, calls: readonly number[]): readonly number[] {
  const near = new Array<number>(count).fill(calls.length === 0 ? 0 : count);
  if (calls.length === 0) return near.map((_, index) => index);
  for (const call of calls) near[call] = 0;
  for (let i = 1; i < count; i += 1) near[i] = Math.min(near[i] ?? count, (near[i - 1] ?? count) + 1);
  for (let i = count - 2; i >= 0; i -= 1) near[i] = Math.min(near[i] ?? count, (near[i + 1] ?? count) + 1);
  return near;
}

/** Breaks long lines at the ends of statements. */
function shortLines(line: string): readonly string[] {
  const text = line.trimEnd();
  if (text.trim() === "") return [];
  if (text.length <= LINE_CHARS) return [text];
  return text
    .split(/(?<=[;{}])/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => (part.length <= LINE_CHARS ? part : `${part.slice(0, LINE_CHARS)}${TEXT_PLACEHOLDER}`));
}
