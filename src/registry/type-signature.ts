/**
 * Tools and capabilities as TypeScript signatures: `mcp.fs.read(args: { path: string }): Promise<unknown>`.
 *
 * Always one line. A signature that is longer than its budget is shortened from the inside, and stays valid TypeScript:
 * a comment replaces omitted parts of a list, `unknown` replaces a type, and every part gets its fair share of the
 * room. A name that would take more than half of the budget is omitted.
 *
 * @module
 */
import {
  CUT,
  isIdentifier,
  isOperator,
  moreText,
  schemaType,
  shownText,
  type TypeList,
  type TypeNode,
  type TypePart,
} from "./schema-type.js";
import { toolIdParts } from "./tool-id.js";

const SIGNATURE_CHARS = 400;
/** Room for a short name, and for arguments of any type. */
const LEAST_SIGNATURE_CHARS = 40;
/** Types up to this length are written completely or not at all. */
const SHORT_CHARS = 12;

export interface SignatureOptions {
  /** Maximum characters: at least 7 for a type, 40 for a signature. */
  readonly budget?: number;
  /** Adds defaults, as comments. */
  readonly detail?: boolean;
}

/** The name, the parameters and the result type. */
export interface Signed {
  /** `server:tool`, or the display name of a capability, optionally prefixed with its scope. */
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

/** A JSON Schema as a TypeScript type. */
export function typeText(schema: unknown, options: SignatureOptions = {}): string {
  const budget = budgetOf(options);
  return shortened(typeOf(schema, options), budget);
}

/** The call in code, with its result type. */
export function toolSignature(tool: Signed, options: SignatureOptions = {}): string {
  const type = tool.outputSchema === undefined ? { text: "unknown" } : typeOf(tool.outputSchema, options);
  return signatureText(tool, [{ head: ": Promise<", type, tail: ">" }], options);
}

/** The call in code. */
export function callSignature(tool: Signed, options: SignatureOptions = {}): string {
  return signatureText(tool, [], options);
}

/**
 * A tool or a capability as code writes it: `mcp.fs.read`, `mcp.fs["read-all"]`, `capabilities.sum`, and with a scope
 * `mcp["acme.shop:fs:read"]`.
 */
export function codeName(name: string): string {
  const [first, rest] = toolIdParts(name) ?? [];
  if (first === undefined || rest === undefined) return `capabilities${keyAccess(name)}`;
  return first.includes(".") ? `mcp${keyAccess(name)}` : `mcp${keyAccess(first)}${keyAccess(rest)}`;
}

function signatureText(
  { name, inputSchema }: Signed,
  result: readonly TypePart[],
  options: SignatureOptions,
): string {
  const budget = Math.max(LEAST_SIGNATURE_CHARS, budgetOf(options));
  const callee = codeName(name);
  // If there is no room for both, the reader knows the name anyway.
  const open = callee.length > budget / 2 ? "" : callee;
  const parts = [argumentsPart(inputSchema, options), ...result];
  return shortenedList({ open, separator: "", close: "", parts, hasMore: false }, budget);
}

function argumentsPart(schema: unknown, options: SignatureOptions): TypePart {
  const type = typeOf(schema, options);
  if (type.text === "{}") return { head: "(", type: { text: "" }, tail: ")" };
  return { head: canBeLeftOut(type) ? "(args?: " : "(args: ", type, tail: ")" };
}

/** Without an argument, a tool gets an empty object. */
function canBeLeftOut({ list }: TypeNode): boolean {
  if (list === undefined || list.open.startsWith("Record<")) return true;
  return (
    list.open === "{ " &&
    !list.hasMore &&
    list.parts.every(({ head }) => head.endsWith("?: ") || head.startsWith("["))
  );
}

function typeOf(schema: unknown, options: SignatureOptions): TypeNode {
  return schemaType(schema, { most: budgetOf(options), detail: options.detail ?? false });
}

function budgetOf({ budget = SIGNATURE_CHARS }: SignatureOptions): number {
  return Math.max(CUT.text.length, Math.floor(budget));
}

/** A property access in code: `.path`, `["content type"]`. */
export function keyAccess(key: string): string {
  return isIdentifier(key) ? `.${key}` : `[${shownText(key)}]`;
}

function shortened({ text, list }: TypeNode, budget: number): string {
  if (text.length <= budget) return text;
  return list === undefined ? CUT.text : shortenedList(list, budget);
}

/** Takes as many parts as fit, in order. The remaining room goes first to the parts that need least. */
function shortenedList(list: TypeList, budget: number): string {
  const { open, separator, close, parts } = list;
  const more = moreText(list);
  const room = budget - open.length - close.length;
  const kept = affordable(list, more, room);
  if (kept.length === 0) return nothingOf(list, room);
  const isAll = kept.length === parts.length && !list.hasMore;
  const used = kept.reduce((sum, part) => sum + leastOf(part), separator.length * (kept.length - 1));
  let left = room - used - (isAll ? 0 : more.length);
  const texts = new Map<TypePart, string>();
  const byNeed = [...kept].sort((a, b) => a.type.text.length - b.type.text.length);
  for (const [index, part] of byNeed.entries()) {
    const least = leastType(part);
    const share = Math.floor(left / (byNeed.length - index));
    const text = shortened(part.type, least + Math.max(share, 0));
    left -= text.length - least;
    texts.set(part, part.head + text + part.tail);
  }
  const written = kept.map((part) => texts.get(part) ?? "");
  if (open !== "(" && !isOperator(separator))
    return open + written.join(separator) + (isAll ? "" : more) + close;
  // An omitted type in a union gives no information, and would absorb the other types.
  const told = written.filter((text) => text !== CUT.text);
  if (told.length === 0) return CUT.text;
  return open + told.join(separator) + (isAll && told.length === written.length ? "" : more) + close;
}

/** Used if no part fits. */
function nothingOf({ open, separator, close, parts }: TypeList, room: number): string {
  const comment = "/* … */";
  if (separator === "; " && room >= comment.length) return open + comment + close;
  const isWrapper = separator === "" && parts.length === 1;
  return isWrapper && room >= CUT.text.length ? open + CUT.text + close : CUT.text;
}

function affordable(
  { parts, separator, hasMore }: TypeList,
  more: string,
  room: number,
): readonly TypePart[] {
  const all = parts.reduce((sum, part) => sum + leastOf(part), separator.length * (parts.length - 1));
  if (all + (hasMore ? more.length : 0) <= room) return parts;
  // Behind the included parts there must be room for the mark of omitted ones.
  let left = room - more.length + separator.length;
  const end = parts.findIndex((part) => {
    left -= leastOf(part) + separator.length;
    return left < 0;
  });
  return parts.slice(0, Math.max(end, 0));
}

function leastOf(part: TypePart): number {
  return part.head.length + leastType(part) + part.tail.length;
}

/** One field with its short type is more useful than two fields without types. */
function leastType({ type }: TypePart): number {
  return type.text.length <= SHORT_CHARS ? type.text.length : CUT.text.length;
}
