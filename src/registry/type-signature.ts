/**
 * Tools and capabilities as an agent would declare them: `mcp.fs.read(args: { path: string }): Promise<unknown>`.
 *
 * Always one line. What is longer than its budget is cut from the inside: `…` stands for a part as a whole, so that
 * brackets and quotes stay in pairs, and every part gets its fair share of the room.
 *
 * @module
 */
import {
  CUT,
  isIdentifier,
  quoted,
  schemaType,
  type TypeList,
  type TypeNode,
  type TypePart,
} from "./schema-type.js";

const SIGNATURE_CHARS = 400;
/** Types that are written whole, or not at all. */
const SHORT_CHARS = 12;

export interface SignatureOptions {
  /** Characters at most. */
  readonly budget?: number;
  /** Adds defaults, as comments. */
  readonly detail?: boolean;
}

/** What is called, and what it takes and gives. */
export interface Signed {
  /** `server:tool`, or the display name of a capability. */
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
}

/** A JSON Schema as a TypeScript type. */
export function typeText(schema: unknown, options: SignatureOptions = {}): string {
  const budget = budgetOf(options);
  return shortened(typeOf(schema, options), budget);
}

/** How code calls it, and what comes of it. */
export function toolSignature(tool: Signed, options: SignatureOptions = {}): string {
  const type = tool.outputSchema === undefined ? { text: "unknown" } : typeOf(tool.outputSchema, options);
  return signatureText(tool, [{ head: ": Promise<", type, tail: ">" }], options);
}

/** How code calls it. */
export function callSignature(tool: Signed, options: SignatureOptions = {}): string {
  return signatureText(tool, [], options);
}

/** A tool or a capability as code writes it: `mcp.fs.read`, `mcp.fs["read-all"]`, `capabilities.sum`. */
export function codeName(name: string): string {
  const colon = name.indexOf(":");
  if (colon < 0) return `capabilities${keyAccess(name)}`;
  return `mcp${keyAccess(name.slice(0, colon))}${keyAccess(name.slice(colon + 1))}`;
}

function signatureText(
  { name, inputSchema }: Signed,
  result: readonly TypePart[],
  options: SignatureOptions,
): string {
  const budget = budgetOf(options);
  const callee = codeName(name);
  const open = callee.length > budget / 2 ? `mcp.${CUT.text}` : callee;
  const list = { open, separator: "", close: "", parts: [argumentsPart(inputSchema, options), ...result] };
  return shortenedList(list, budget);
}

function argumentsPart(schema: unknown, options: SignatureOptions): TypePart {
  const type = typeOf(schema, options);
  if (type.text === "{}") return { head: "(", type: { text: "" }, tail: ")" };
  return { head: canBeLeftOut(type) ? "(args?: " : "(args: ", type, tail: ")" };
}

/** Without an argument a tool is given an empty object. */
function canBeLeftOut({ text, list }: TypeNode): boolean {
  if (list === undefined || list.open.startsWith("Record<")) return text !== CUT.text;
  return list.open === "{ " && list.parts.every(({ head }) => head.endsWith("?: ") || head.startsWith("["));
}

function typeOf(schema: unknown, options: SignatureOptions): TypeNode {
  return schemaType(schema, { most: budgetOf(options), detail: options.detail ?? false });
}

function budgetOf({ budget = SIGNATURE_CHARS }: SignatureOptions): number {
  return Math.max(1, Math.floor(budget));
}

function keyAccess(key: string): string {
  return isIdentifier(key) ? `.${key}` : `[${quoted(key)}]`;
}

function shortened({ text, list }: TypeNode, budget: number): string {
  if (text.length <= budget) return text;
  return list === undefined ? CUT.text : shortenedList(list, budget);
}

/** As many parts as there is room for, the first first; what is left goes to those that need least, then to the others. */
function shortenedList({ open, separator, close, parts }: TypeList, budget: number): string {
  const room = budget - open.length - close.length;
  const kept = affordable(parts, separator.length, room);
  if (kept.length === 0) return room >= CUT.text.length ? open + CUT.text + close : CUT.text;
  const isAll = kept.length === parts.length;
  const used = kept.reduce((sum, part) => sum + leastOf(part) + separator.length, 0);
  let left = room - used + (isAll ? separator.length : -CUT.text.length);
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
  return open + [...written, ...(isAll ? [] : [CUT.text])].join(separator) + close;
}

function affordable(parts: readonly TypePart[], separator: number, room: number): readonly TypePart[] {
  const all = parts.reduce((sum, part) => sum + leastOf(part), separator * (parts.length - 1));
  if (all <= room) return parts;
  // Behind those that are kept there must be room to say that there are others.
  let left = room - CUT.text.length;
  const end = parts.findIndex((part) => {
    left -= leastOf(part) + separator;
    return left < 0;
  });
  return parts.slice(0, Math.max(end, 0));
}

function leastOf(part: TypePart): number {
  return part.head.length + leastType(part) + part.tail.length;
}

/** A field whose type is short is worth more with it than two fields without. */
function leastType({ type }: TypePart): number {
  return type.text.length <= SHORT_CHARS ? type.text.length : CUT.text.length;
}
