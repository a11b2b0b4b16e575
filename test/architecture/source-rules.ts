/**
 * The judge behind the layer table: source text in, sentences about what is wrong out.
 *
 * @module
 */
import { posix } from "node:path";
import { FILE_LINES_MAX, LAYERS, PARTS, PURE, ROOMS, ROOT_FILES, SEALED } from "./layers.js";
import { closingIndex, HOLE, type Token, tokenize } from "./tokens.mjs";

export interface SourceFile {
  /** Relative to `src/`, with forward slashes: `registry/fqdn.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** As written, or {@link COMPUTED} where the name is only known at run time. */
  readonly specifier: string;
  readonly line: number;
  /** Whether nothing of it is left at run time: `import type`, or a type of `import("…")` after `typeof`. */
  readonly isType: boolean;
}

const COMPUTED = "(computed)";

/** Every module that `text` loads: import, export from, import(), type imports, and files loaded by URL. */
export function findImports(text: string): readonly Import[] {
  const tokens = tokenize(text);
  return tokens.flatMap((token, index) => {
    if (token.kind !== "word" || isWord(tokens[index - 1], ".")) return [];
    const specifier = specifierAt(tokens, index);
    return specifier === undefined
      ? []
      : [{ specifier, line: token.line, isType: isTypeOnly(tokens, index) }];
  });
}

function isTypeOnly(tokens: readonly Token[], index: number): boolean {
  if (isWord(tokens[index + 1], "(")) return isWord(tokens[index - 1], "typeof");
  // `import type from "…"` and `import type, { a } from "…"` import a value of that name.
  const after = tokens[index + 2];
  return isWord(tokens[index + 1], "type") && !isWord(after, "from") && !isWord(after, ",");
}

function specifierAt(tokens: readonly Token[], index: number): string | undefined {
  const word = tokens[index]?.text;
  if (word === "import") return importSpecifier(tokens, index);
  if (word === "export") return exportSpecifier(tokens, index);
  if (word === "URL") return urlSpecifier(tokens, index);
  return undefined;
}

function importSpecifier(tokens: readonly Token[], index: number): string | undefined {
  const next = tokens[index + 1];
  if (next?.kind === "string") return next.text;
  if (isWord(next, ".")) return undefined;
  if (isWord(next, "(")) return dynamicSpecifier(tokens[index + 2], tokens[index + 3]);
  return specifierAfterFrom(tokens, index + 1);
}

function dynamicSpecifier(argument: Token | undefined, after: Token | undefined): string {
  const isWhole = isWord(after, ")") || isWord(after, ",");
  const isLiteral =
    argument?.kind === "string" || (argument?.kind === "template" && !argument.text.includes(HOLE));
  return isWhole && isLiteral ? argument.text : COMPUTED;
}

function exportSpecifier(tokens: readonly Token[], index: number): string | undefined {
  const start = isWord(tokens[index + 1], "type") ? index + 2 : index + 1;
  if (isWord(tokens[start], "*")) return specifierAfterFrom(tokens, start);
  if (!isWord(tokens[start], "{")) return undefined;
  return specifierAfterFrom(tokens, closingIndex(tokens, start) + 1, 1);
}

/** Looks for `from "…"` in the statement, at most `reach` tokens ahead. */
function specifierAfterFrom(tokens: readonly Token[], start: number, reach = Infinity): string | undefined {
  for (let index = start; index < tokens.length && index < start + reach; index += 1) {
    if (isWord(tokens[index], ";")) return undefined;
    const next = tokens[index + 1];
    if (isWord(tokens[index], "from") && next?.kind === "string") return next.text;
  }
  return undefined;
}

/** `new URL("./worker.js", import.meta.url)` is how a worker thread is loaded. */
function urlSpecifier(tokens: readonly Token[], index: number): string | undefined {
  const [open, name, comma, base] = tokens.slice(index + 1, index + 5);
  if (!isWord(open, "(") || name?.kind !== "string" || !isWord(comma, ",") || !isWord(base, "import"))
    return undefined;
  return /^\.{1,2}\/.*\.[cm]?[jt]s$/.test(name.text) ? name.text : undefined;
}

function isWord(token: Token | undefined, text: string): boolean {
  return (
    token !== undefined && (token.kind === "word" || token.kind === "punctuation") && token.text === text
  );
}

/** What a file may not import, one sentence each. Tests may import anything. */
export function judgeImports(file: SourceFile): readonly string[] {
  if (isTest(file.path)) return [];
  return findImports(file.text).flatMap(({ specifier, line }) => {
    const problem = judgeImport(file.path, specifier);
    return problem === undefined ? [] : [`${file.path}:${line} ${problem}`];
  });
}

function judgeImport(path: string, specifier: string): string | undefined {
  const from = placeOf(path);
  if (!specifier.startsWith(".")) return judgePackage(from, specifier);
  const target = posix.join(posix.dirname(path), specifier);
  if (target.startsWith("..")) return `leaves src/ for "${specifier}"`;
  const to = placeOf(target);
  if (to === from && to in LAYERS) return undefined;
  if (to in LAYERS && allowedFrom(from).includes(to)) return undefined;
  return `may not import ${to}`;
}

function judgePackage(from: string, specifier: string): string | undefined {
  if (specifier === "casys-pml" || specifier.startsWith("casys-pml/"))
    return "may not import its own package";
  const allowed = PURE[from];
  if (allowed === undefined || allowed.includes(specifier)) return undefined;
  return `is pure and may not import "${specifier}"`;
}

function allowedFrom(place: string): readonly string[] {
  return LAYERS[place] ?? ROOT_FILES[place] ?? [];
}

/** The folder of a path, or the file itself when it lies in `src/`. */
function placeOf(path: string): string {
  return path.split("/")[0] ?? path;
}

/** What a part of a folder may not import, and what no file may import of a sealed part. Tests may import anything. */
export function judgeParts(file: SourceFile): readonly string[] {
  if (isTest(file.path)) return [];
  return findImports(file.text).flatMap((found) => {
    const problem = judgePart(file.path, found);
    return problem === undefined ? [] : [`${file.path}:${found.line} ${problem}`];
  });
}

function judgePart(path: string, { specifier, isType }: Import): string | undefined {
  const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined;
  const from = partOf(path, Object.keys(PARTS));
  const rules = from === undefined ? undefined : PARTS[from];
  if (rules === undefined) {
    const sealed = target === undefined ? undefined : partOf(target, SEALED);
    return sealed === undefined || isType ? undefined : `may not load ${sealed}`;
  }
  if (target === undefined) return `may not import "${specifier}"`;
  if (partOf(target, rules.imports) !== undefined) return undefined;
  if (partOf(target, rules.types) !== undefined)
    return isType ? undefined : `may import only types of ${target}`;
  return `may not import ${target}`;
}

function partOf(path: string, parts: readonly string[]): string | undefined {
  return parts.find((part) => path.startsWith(`${part}/`));
}

/** What a room of a folder may not import of the others, and rooms that the table does not know. */
export function judgeRooms(file: SourceFile): readonly string[] {
  const [folder = "", room = "", ...inside] = file.path.split("/");
  const order = ROOMS[folder];
  if (order === undefined || inside.length === 0 || isTest(file.path)) return [];
  if (!order.includes(room)) return [`${folder}/${room} is not among the rooms of ${folder}`];
  return findImports(file.text).flatMap(({ specifier, line }) => {
    if (!specifier.startsWith(".")) return [];
    const [to, other = ""] = posix.join(posix.dirname(file.path), specifier).split("/");
    if (to !== folder || order.slice(0, order.indexOf(room) + 1).includes(other)) return [];
    return [`${file.path}:${line} may not import ${to}/${other}`];
  });
}

/** Folders of the tree that the table does not know, and files in `src/` that it does not know. */
export function judgePlaces(paths: readonly string[]): readonly string[] {
  const places = [...new Set(paths.map(placeOf))];
  return places
    .filter((place) => !(place in LAYERS || place in ROOT_FILES))
    .map((place) => `${place} is not in the layer table`);
}

const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Every folder and every part of a file name between dots is kebab-case. */
export function judgeName(path: string): readonly string[] {
  const isKebab = path.split(/[/.]/).every((part) => KEBAB.test(part));
  return isKebab ? [] : [`${path} is not kebab-case`];
}

export function judgeSize({ path, text }: SourceFile): readonly string[] {
  if (isTest(path) || path.includes("/migrations/")) return [];
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines <= FILE_LINES_MAX ? [] : [`${path} has ${lines} lines, more than ${FILE_LINES_MAX}`];
}

/** The arrows between folders that the source really draws. */
export function folderArrows(files: readonly SourceFile[]): Readonly<Record<string, readonly string[]>> {
  const arrows: Record<string, Set<string>> = {};
  for (const { path, text } of files.filter((file) => !isTest(file.path))) {
    const from = placeOf(path);
    arrows[from] ??= new Set();
    for (const { specifier } of findImports(text)) {
      if (!specifier.startsWith(".")) continue;
      const to = placeOf(posix.join(posix.dirname(path), specifier));
      if (to !== from) arrows[from].add(to);
    }
  }
  return Object.fromEntries(Object.entries(arrows).map(([from, to]) => [from, [...to]]));
}

/** One cycle of the graph as `a → b → a`, or `undefined` when it has none. */
export function findCycle(graph: Readonly<Record<string, readonly string[]>>): string | undefined {
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]): string | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(" → ");
    if (done.has(node)) return undefined;
    for (const next of graph[node] ?? []) {
      const cycle = visit(next, [...path, node]);
      if (cycle !== undefined) return cycle;
    }
    done.add(node);
    return undefined;
  };
  return Object.keys(graph).reduce<string | undefined>((found, node) => found ?? visit(node, []), undefined);
}

function isTest(path: string): boolean {
  return /\.test(-d)?\.ts$/.test(path);
}
