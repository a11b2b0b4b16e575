/**
 * Edits a YAML file by its lines: removes entries of a mapping or list, adds one, and keeps every other line. The
 * `yaml` package writes entries on one line (`servers: { a: … }`) again, keeping comments.
 *
 * @module
 */
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  stringify,
  YAMLMap,
} from "yaml";
import type { KeyPath } from "./client-table.js";
import {
  type Change,
  type ConfigEdit,
  changed,
  endOfLine,
  eolOf,
  type NamedEntry,
  startOfLine,
  withPut,
} from "./text-change.js";

export function editYaml(text: string, edit: ConfigEdit): string {
  const document = parseDocument(text);
  const entries = entriesOf(document, edit.path);
  if (entries === undefined)
    return edit.put === undefined ? text : withNewKey(text, document, edit, edit.put);
  return entries.isFlow ? rewritten(text, document, edit) : editLines(text, document, entries.nodes, edit);
}

interface Entry {
  readonly name: string | undefined;
  /** The start of a mapping's key, or of a list's item. */
  readonly start: number;
  readonly end: number;
}

function entriesOf(document: Document.Parsed, path: KeyPath) {
  const node = document.getIn(path, true);
  if (!(isMap(node) || isSeq(node)) || node.items.length === 0) return undefined;
  const nodes = isMap(node)
    ? node.items.map(({ key, value }) => entryAt(nameOf(key), key as Node, value as Node | null))
    : node.items.map((item) =>
        entryAt(isMap(item) ? nameOf(item.get("name")) : undefined, item as Node, item as Node),
      );
  return { isFlow: node.flow === true, nodes };
}

function nameOf(key: unknown): string | undefined {
  const name = isScalar(key) ? key.value : key;
  return name === undefined || name === null ? undefined : String(name);
}

function entryAt(name: string | undefined, first: Node, last: Node | null): Entry {
  return { name, start: first.range?.[0] ?? 0, end: Math.max(endOf(first), endOf(last)) };
}

/** The end of a node's last text. The ranges of block nodes continue to the next node, over comments and spaces. */
function endOf(node: Node | null | undefined): number {
  if ((!isMap(node) && !isSeq(node)) || node.flow === true) return node?.range?.[1] ?? 0;
  const last: unknown = node.items.at(-1);
  const [key, value] = isPair(last) ? [last.key, last.value] : [last, undefined];
  return Math.max(endOf(key as Node | null), endOf(value as Node | null | undefined));
}

/** The new entry replaces the first removed one. Without one it comes last. */
function editLines(
  text: string,
  document: Document.Parsed,
  entries: readonly Entry[],
  { path, isList, remove, put }: ConfigEdit,
): string {
  const eol = eolOf(text);
  const [first] = entries;
  const lineStart = startOfLine(text, first?.start ?? 0);
  const indent = /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? "";
  const goes = entries.filter(
    ({ name }) => name !== undefined && (name === put?.name || remove.includes(name)),
  );
  const changes: Change[] = goes.map((entry) => ({ ...linesOf(text, entry), text: "" }));
  if (put === undefined) {
    if (goes.length === entries.length) changes.push(emptied(text, document, path, isList));
    return changed(text, changes);
  }
  const added = blockText(put, isList, indent, eol);
  const [place] = changes;
  if (place !== undefined) changes[0] = { ...place, text: added };
  else {
    const { end } = linesOf(text, entries.at(-1) ?? { name: undefined, start: 0, end: text.length });
    const gap = text.slice(0, end).endsWith("\n") ? "" : eol;
    changes.push({ start: end, end, text: gap + added });
  }
  return changed(text, changes);
}

/** A key without a value would be null. */
function emptied(text: string, document: Document.Parsed, path: KeyPath, isList: true | undefined): Change {
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => nameOf(key) === path.at(-1)) : undefined;
  const end = isNode(pair?.key) ? (pair.key.range?.[1] ?? 0) : 0;
  const at = text.indexOf(":", end) + 1;
  return { start: at, end: at, text: isList === true ? " []" : " {}" };
}

/** The lines of an entry, including comments that are indented below it. */
function linesOf(text: string, { start, end }: Entry): { readonly start: number; readonly end: number } {
  const from = startOfLine(text, start);
  const column = /^[ \t]*/.exec(text.slice(from))?.[0].length ?? 0;
  const isAtStart = end > 0 && text[end - 1] === "\n";
  let to = isAtStart ? end : endOfLine(text, end);
  for (;;) {
    const comment = /^([ \t]*)#[^\n]*\n?/.exec(text.slice(to, endOfLine(text, to)));
    if (comment === null || (comment[1]?.length ?? 0) <= column) return { start: from, end: to };
    to += comment[0].length;
  }
}

/** For a file whose servers are missing, null or empty: `servers: {}`. */
function withNewKey(text: string, document: Document.Parsed, edit: ConfigEdit, put: NamedEntry): string {
  const [key = "", ...below] = edit.path;
  const root = document.contents;
  if (below.length > 0 || (isMap(root) && root.flow === true)) return rewritten(text, document, edit);
  const pair = isMap(root) ? root.items.find((item) => nameOf(item.key) === key) : undefined;
  const eol = eolOf(text);
  const added = `${key}:${eol}${blockText(put, edit.isList, "  ", eol)}`;
  if (pair === undefined) return text + (text === "" || text.endsWith("\n") ? "" : eol) + added;
  const place = linesOf(text, entryAt(key, pair.key as Node, pair.value as Node | null));
  return changed(text, [{ ...place, text: added }]);
}

function blockText(
  { name, entry }: NamedEntry,
  isList: true | undefined,
  indent: string,
  eol: string,
): string {
  const value = isList === true ? [{ name, ...(entry as object) }] : { [name]: entry };
  return stringify(value, { lineWidth: 0 })
    .replace(/^(?=.)/gm, indent)
    .replaceAll("\n", eol);
}

function rewritten(
  text: string,
  document: Document.Parsed,
  { path, remove, put, isList }: ConfigEdit,
): string {
  const servers = document.getIn(path, true);
  if (isList === true) {
    const items: readonly unknown[] = isSeq(servers) ? servers.items : [];
    const goes = (item: unknown) => {
      const known = isMap(item) ? nameOf(item.get("name")) : undefined;
      return known !== undefined && (known === put?.name || remove.includes(known));
    };
    const all = withPut(items, goes, put);
    document.setIn(path, document.createNode(all, { flow: isSeq(servers) }));
  } else {
    if (!isMap(servers)) document.setIn(path, new YAMLMap());
    for (const one of remove) document.deleteIn([...path, one]);
    if (put !== undefined) document.setIn([...path, put.name], document.createNode(put.entry));
  }
  return document.toString({ lineWidth: 0 }).replaceAll("\n", eolOf(text));
}
