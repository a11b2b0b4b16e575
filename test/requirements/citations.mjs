/**
 * Reads which requirements a test file cites: `it("[GW-1] lists every tool", …)`.
 *
 * Plain JavaScript, because `npm run requirements` runs it on Node 20 without a build.
 * The types are in `citations.d.mts`.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { closingIndex, tokenize } from "../architecture/tokens.mjs";

const KIND = new Map([
  ["describe", "suite"],
  ["it", "test"],
  ["test", "test"],
]);

/** Modifiers that take arguments of their own before the call with the name. */
const TAKES_ARGUMENTS = new Set(["each", "for", "skipIf", "runIf"]);

const REQUIREMENT_ID = /^[A-Z]+-[1-9]\d*$/;
const SEED_ID = /^(?:N?FR\d{3}|1[03]\.\d+ AC\d+)$/;

/** Every `describe`, `it` and `test` call of a file, outermost first, in the order of the text. */
export function findDeclarations(text) {
  const tokens = tokenize(text);
  const open = [];
  const declarations = [];
  for (const [index, token] of tokens.entries()) {
    while (open.length > 0 && open.at(-1).end < index) open.pop();
    const call = callAt(tokens, index);
    if (call === undefined) continue;
    const parent = open.at(-1)?.declaration;
    const declaration = {
      kind: KIND.get(token.text),
      name: call.name,
      line: token.line,
      runs: call.runs && parent?.runs !== false,
      parent,
    };
    declarations.push(declaration);
    open.push({ declaration, end: call.end });
  }
  return declarations;
}

/** Reads `it.skip("name", …)` or `it.each(rows)("name", …)` at `index`. */
function callAt(tokens, index) {
  const { kind, text } = tokens[index];
  if (kind !== "word" || !KIND.has(text) || is(tokens[index - 1], ".")) return undefined;
  let at = index + 1;
  let runs = true;
  while (is(tokens[at], ".") && tokens[at + 1]?.kind === "word") {
    const modifier = tokens[at + 1].text;
    if (modifier === "skip" || modifier === "todo") runs = false;
    at += 2;
    if (TAKES_ARGUMENTS.has(modifier)) at = afterArguments(tokens, at);
  }
  if (!is(tokens[at], "(")) return undefined;
  const end = closingIndex(tokens, at);
  return { name: firstArgument(tokens, at + 1, end), runs, end };
}

/** Steps over `<Row>(…)` or over the table of a tagged template. */
function afterArguments(tokens, start) {
  let at = start;
  if (is(tokens[at], "<")) while (at < tokens.length && !is(tokens[at], "(")) at += 1;
  if (tokens[at]?.kind === "template") return at + 1;
  return is(tokens[at], "(") ? closingIndex(tokens, at) + 1 : at;
}

/** All text of the first argument, so that names in pieces are read too. */
function firstArgument(tokens, start, end) {
  let name = "";
  for (let at = start; at < end && !is(tokens[at], ","); at += 1) {
    if (is(tokens[at], "(")) at = closingIndex(tokens, at);
    else if (tokens[at].kind === "string" || tokens[at].kind === "template") name += tokens[at].text;
  }
  return name;
}

function is(token, text) {
  return (
    token !== undefined && token.text === text && (token.kind === "word" || token.kind === "punctuation")
  );
}

/**
 * Reads the citations in the name of a test: `[GW-1]`, `[WIRE-2, WIRE-3]`, `[ID-5, 13.1 AC9, FR031]`.
 * Other brackets are left alone; a citation gone wrong is a problem, never silently nothing.
 */
export function readCitations(name, families) {
  const family = `\\b(?:${families.join("|")})`;
  const shouted = new RegExp(`${family} \\d`);
  const loose = new RegExp(`${family}[-_]?\\d|\\bFR\\d|\\bAC ?\\d|^[A-Z]+-\\d`, "i");
  const ids = [];
  const problems = [];
  for (const [whole, inside] of name.matchAll(/\[([^[\]]*)\]/g)) {
    const items = inside.split(",").map((item) => item.trim());
    if (items.every((item) => REQUIREMENT_ID.test(item) || SEED_ID.test(item))) ids.push(...items);
    else if (shouted.test(inside) || loose.test(inside)) problems.push(`cannot read the citation ${whole}`);
  }
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index);
  if (repeated !== undefined) problems.push(`cites ${repeated} twice`);
  return { ids, problems };
}

/** What one file cites: each id with its place, and what could not be read. */
export function citationsOf({ path, text }, families) {
  const declarations = findDeclarations(text);
  const parents = new Set(declarations.filter(({ kind }) => kind === "test").flatMap(ancestors));
  const citations = [];
  const problems = [];
  for (const declaration of declarations) {
    const own = readCitations(declaration.name, families);
    const place = `${path}:${declaration.line}`;
    problems.push(...own.problems.map((problem) => `${place} ${problem}`));
    // A suite whose tests are in a helper shows its ids itself; any other does through its tests.
    const shows = declaration.runs && (declaration.kind === "test" || !parents.has(declaration));
    const inherited = ancestors(declaration).flatMap(({ name }) => readCitations(name, families).ids);
    const ids = shows ? new Set([...own.ids, ...inherited]) : new Set(own.ids);
    for (const id of ids) citations.push({ id, path, place, shows });
  }
  return { citations, problems };
}

function ancestors(declaration) {
  return declaration.parent === undefined ? [] : [declaration.parent, ...ancestors(declaration.parent)];
}

/** The files that may cite: tests beside the code and in `test/`, and the shared suites. */
export function readTestFiles(root) {
  return ["src", "test"]
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.(?:test|suite)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({ path: relative(root, file).split(sep).join("/"), text: readFileSync(file, "utf8") }));
}
