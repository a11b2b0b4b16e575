/**
 * Edits a JSON file with comments in place: removes properties, adds one, and keeps every other character.
 *
 * @module
 */
import type { KeyPath } from "./client-table.js";
import { type JsonNode, type JsonProperty, parseJsonc, propertyOf } from "./jsonc.js";
import { type Change, type ConfigEdit, changed, eolOf, type NamedEntry, startOfLine } from "./text-change.js";

export function editJsonc(text: string, { path, remove, put }: ConfigEdit): string {
  const root = parseJsonc(text);
  const style = styleOf(text, root);
  if (root === undefined)
    return put === undefined ? text : text + writtenAt(path, put.name, put.entry, style) + style.eol;
  const { node, rest } = deepest(root, path);
  if (rest.length === 0) return editObject(text, node, remove, put, style);
  if (put === undefined) return text;
  const [key = "", ...below] = rest;
  const value = [...below, put.name].reverse().reduce<unknown>((inner, one) => ({ [one]: inner }), put.entry);
  return editObject(text, node, [], { name: key, entry: value }, style);
}

/** The style of the file: the end of its lines, and one step of indentation. */
interface Style {
  readonly eol: string;
  readonly step: string;
}

function styleOf(text: string, root: JsonNode | undefined): Style {
  const [first] = root?.kind === "object" ? root.properties : [];
  const step = first === undefined ? "" : indentAt(text, first.start);
  return { eol: eolOf(text), step: step || "  " };
}

/** The object that the path leads to, as far as it exists, and the remaining keys. */
function deepest(root: JsonNode, path: KeyPath): { readonly node: JsonNode; readonly rest: KeyPath } {
  let node = root;
  for (const [index, key] of path.entries()) {
    const next = propertyOf(node, key)?.value;
    if (next?.kind !== "object") return { node, rest: path.slice(index) };
    node = next;
  }
  return { node, rest: [] };
}

/** Placeholder for removed text until the rest of the line was edited. No JSON contains it. */
const TAKEN = "\0";
const EMPTIED_LINE = /^[ \t]*(?:\0[ \t]*)+\r?\n/gm;

/**
 * The new property replaces the first removed one. Without one it comes last. A property with the same name is removed:
 * null in place of the servers, or an older entry of PML.
 */
function editObject(
  text: string,
  node: JsonNode,
  remove: readonly string[],
  put: NamedEntry | undefined,
  style: Style,
): string {
  const properties = node.kind === "object" ? node.properties : [];
  const goes = properties.filter(({ key }) => key === put?.name || remove.includes(key));
  const place = put === undefined ? undefined : goes[0];
  const others = goes.filter((property) => property !== place);
  const stays = properties.filter((property) => !others.includes(property));
  const changes = others.flatMap((property) => removal(property));
  const last = properties.at(-1);
  const comma = stays.at(-1)?.comma;
  // The last one had no comma and is removed: the one that is last now has one too many.
  if (last !== undefined && last.comma === undefined && others.includes(last) && comma !== undefined)
    changes.push({ start: comma, end: comma + 1, text: "" });
  if (put !== undefined && place !== undefined) {
    const indent = indentAt(text, place.start);
    changes.push({ ...place, text: propertyText(text, place.start, put.name, put.entry, style, indent) });
  } else if (put !== undefined)
    changes.push(...insertion(text, node, stays.at(-1), put.name, put.entry, style));
  // A line that contains only spaces afterwards is removed too.
  return changed(text, changes).replace(EMPTIED_LINE, "").replaceAll(TAKEN, "");
}

function removal({ start, end, comma }: JsonProperty): readonly Change[] {
  const property = { start, end, text: TAKEN };
  return comma === undefined ? [property] : [property, { start: comma, end: comma + 1, text: TAKEN }];
}

function insertion(
  text: string,
  node: JsonNode,
  last: JsonProperty | undefined,
  name: string,
  entry: unknown,
  style: Style,
): readonly Change[] {
  if (last === undefined) {
    const outer = indentAt(text, node.start);
    const inner = outer + style.step;
    const property = `${JSON.stringify(name)}: ${json(entry, style, inner)}`;
    const close = node.end - 1;
    // Comments in an empty object stay before the new property.
    const isEmpty = text.slice(node.start + 1, close).trim() === "";
    const start = isEmpty ? node.start + 1 : text.slice(0, close).trimEnd().length;
    return [{ start, end: close, text: `${style.eol}${inner}${property}${style.eol}${outer}` }];
  }
  const indent = indentAt(text, last.start);
  const property = propertyText(text, last.start, name, entry, style, indent);
  const isOwnLine = startsLine(text, last.start);
  const glue = isOwnLine ? `${style.eol}${indent}` : " ";
  const { comma, end } = last;
  const from = comma === undefined ? end : comma + 1;
  // A comment at the end of its line belongs to the property before.
  const comment = isOwnLine ? (COMMENT_TO_END.exec(text.slice(from))?.[0] ?? "").trimEnd() : "";
  const at = from + comment.length;
  // An existing comma then ends the property before, and another one the new property.
  return comma === undefined
    ? [
        { start: end, end, text: "," },
        { start: at, end: at, text: `${glue}${property}` },
      ]
    : [{ start: at, end: at, text: `${glue}${property},` }];
}

/** Comments up to the end of the line, if nothing else is in between. */
const COMMENT_TO_END = /^(?:[ \t]*\/\*[^\r\n]*?\*\/)*(?:[ \t]*\/\/[^\r\n]*)?[ \t]*(?=\r?\n)/;

/** On one line if its neighbours are. */
function propertyText(
  text: string,
  neighbour: number,
  name: string,
  entry: unknown,
  style: Style,
  indent: string,
): string {
  const isOwnLine = startsLine(text, neighbour);
  return `${JSON.stringify(name)}: ${isOwnLine ? json(entry, style, indent) : JSON.stringify(entry)}`;
}

function writtenAt(path: KeyPath, name: string, entry: unknown, style: Style): string {
  const value = [...path, name].reverse().reduce<unknown>((inner, key) => ({ [key]: inner }), entry);
  return json(value, style, "");
}

function json(value: unknown, { eol, step }: Style, indent: string): string {
  return JSON.stringify(value, undefined, step).replaceAll("\n", `${eol}${indent}`);
}

function startsLine(text: string, position: number): boolean {
  return text.slice(startOfLine(text, position), position).trim() === "";
}

/** The spaces at the start of the line. */
function indentAt(text: string, position: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, position), position))?.[0] ?? "";
}
