/**
 * Facts about code: which tools it calls with which arguments, how it processes results, and what it returns.
 *
 * They are read from the syntax tree. If the code does not parse, some facts are read from the text.
 *
 * @module
 */
import { forEachChild, type Node, withoutTypes } from "../../analysis/syntax/ast.js";
import { parseCode } from "../../analysis/syntax/parse-code.js";
import { SourceText } from "../../analysis/syntax/source-text.js";
import { wordSet } from "../../base/word-set.js";
import { wordKey } from "../../discovery/vocabulary.js";
import { foldDisplayName } from "../../registry/display-name.js";
import { nameWord } from "../lexicon/words.js";
import { type NamedCallee, splitId } from "../naming-subject.js";
import { kindOf, pathOf, type ResultKind, templateText } from "./expressions.js";
import { nameWords } from "./name-words.js";

export interface CallFact {
  readonly server: string;
  readonly tool: string;
  /** Literal texts in its arguments, by the name of the argument. */
  readonly texts: readonly (readonly [field: string, text: string])[];
  /** Names of the arguments. */
  readonly fields: readonly string[];
  /** Arguments that are literally true: `dry_run: true`. */
  readonly switches: readonly string[];
}

export interface CodeFacts {
  readonly calls: readonly CallFact[];
  /** Names of variables, properties and parameters, in order, without duplicates. */
  readonly names: readonly string[];
  /** Names of declared variables. */
  readonly declared: readonly string[];
  /** Names in the returned expression. */
  readonly returned: readonly string[];
  /** Methods, functions and operators: `sort`, `JSON.parse`, `new Set`, `+=`, `count by`. */
  readonly methods: ReadonlySet<string>;
  /** Texts that are not arguments of tool calls. */
  readonly texts: readonly string[];
  /** Regular expressions. */
  readonly patterns: readonly string[];
  readonly returns: ResultKind;
  /** The last method in the returned expression: `filter`. */
  readonly answer: string;
  readonly hasLoop: boolean;
  /** Its shape without names and literals; empty if the code does not parse. */
  readonly shape: string;
  /** The names and literals that are not part of the shape, in order. */
  readonly leaves: readonly string[];
}

/** The maximum of calls, arguments, texts and nodes that are read: the rest of the code adds nothing new. */
const MOST = { names: 400, texts: 200, textChars: 400, nodes: 20_000, leaves: 2_000, argumentNodes: 200 };
/** How much of unparsed code is read. */
const PLAIN_CHARS = 65_536;

/** @param callees calls of these capabilities count as calls of what they do */
export function codeFacts(code: string, callees: readonly NamedCallee[] = []): CodeFacts {
  const source = new SourceText(code.length > PLAIN_CHARS * 4 ? code.slice(0, PLAIN_CHARS) : code);
  const body = source.text.trim() === "" ? undefined : parseCode(source).body;
  const facts = body === undefined ? plainFacts(code.slice(0, PLAIN_CHARS)) : treeFacts(body);
  const does = new Map(callees.flatMap((one) => one.names.map((name) => [calleeKey(name), one.does])));
  const calls = facts.calls.flatMap((call) => {
    const tools = does.get(calleeKey(call.server === "" ? call.tool : `${call.server}:${call.tool}`));
    return tools?.map(({ id }) => ({ ...call, ...splitId(id) })) ?? [call];
  });
  return { ...facts, calls };
}

function calleeKey(name: string): string {
  return foldDisplayName(name.replace(/@.*$/, ""));
}

class Gathering implements CodeFacts {
  readonly calls: CallFact[] = [];
  readonly #names = new Set<string>();
  readonly #returned = new Set<string>();
  readonly declared: string[] = [];
  readonly methods = new Set<string>();
  readonly texts: string[] = [];
  readonly patterns: string[] = [];
  readonly leaves: string[] = [];
  hasLoop = false;
  returns: ResultKind = "nothing";
  answer = "";
  shape = "";
  /** Constants that are returned or thrown instead of a result. */
  readonly constants = new Set<string>();
  /** Nodes that were already counted. */
  readonly claimed = new Set<Node>();
  readonly kinds = new Map<string, ResultKind>();

  get names(): readonly string[] {
    return [...this.#names];
  }

  get returned(): readonly string[] {
    return [...this.#returned];
  }

  addName(name: string, isReturned = false): void {
    const names = isReturned ? this.#returned : this.#names;
    if (!BUILT_IN.has(name) && !DATE_METHOD.test(name) && names.size < MOST.names && name.length <= 60)
      names.add(name);
  }

  addText(text: string, texts = this.texts): void {
    if (texts.length < MOST.texts && text.trim() !== "") texts.push(text.slice(0, MOST.textChars));
  }

  addCall(call: CallFact): void {
    if (this.calls.length < MOST.names) this.calls.push(call);
  }

  /** Literals have one kind here: a template with another text is another literal. */
  addShape(node: Node): void {
    if (this.leaves.length >= MOST.leaves) return;
    const leaf =
      node.type === "Identifier"
        ? node.name
        : node.type === "Literal"
          ? String(node.value ?? node.raw ?? "")
          : node.type === "TemplateLiteral"
            ? templateText(node)
            : undefined;
    if (leaf !== undefined) this.leaves.push(leaf.slice(0, MOST.textChars * 4));
    const kind = node.type === "Identifier" ? "i" : "l";
    this.shape += leaf === undefined ? `${node.type.replace(/[a-z]+/g, "")}${node.type.length},` : kind;
  }
}

function treeFacts(body: Node): CodeFacts {
  const facts = new Gathering();
  const waiting: { readonly node: Node; readonly depth: number }[] = [{ node: body, depth: 0 }];
  for (let left = MOST.nodes, next = waiting.pop(); next !== undefined && left > 0; next = waiting.pop()) {
    left -= 1;
    const { node } = next;
    const depth = isFunctionNode(node) ? next.depth + 1 : next.depth;
    note(node, depth, facts);
    facts.addShape(node);
    const children: Node[] = [];
    forEachChild(node, (child) => children.push(child));
    for (const child of children.reverse()) waiting.push({ node: child, depth });
  }
  return factsOf(facts);
}

function factsOf(facts: Gathering): CodeFacts {
  const { names, returned } = facts;
  return { ...facts, names, returned };
}

function isFunctionNode({ type }: Node): boolean {
  return (
    type === "ArrowFunctionExpression" || type === "FunctionExpression" || type === "FunctionDeclaration"
  );
}

function note(node: Node, depth: number, facts: Gathering): void {
  switch (node.type) {
    case "CallExpression":
      noteCall(node.callee as Node, node.arguments as readonly Node[], facts);
      break;
    case "NewExpression":
      facts.methods.add(`new ${pathOf(node.callee as Node)?.join(".") ?? ""}`);
      break;
    case "Identifier":
      facts.addName(node.name);
      break;
    case "Literal":
      if (typeof node.value === "string" && !facts.claimed.has(node)) facts.addText(node.value);
      else if ("regex" in node && node.regex) facts.addText(node.regex.pattern, facts.patterns);
      break;
    case "TemplateLiteral":
      if (!facts.claimed.has(node)) facts.addText(templateText(node));
      break;
    case "AssignmentExpression":
      if (node.operator === "+=") facts.methods.add("+=");
      if (node.operator === "??=" && (node.right as Node).type === "ArrayExpression")
        facts.methods.add("??= push");
      break;
    case "UpdateExpression":
      if (!facts.claimed.has(node)) facts.methods.add("++");
      break;
    case "IfStatement":
      if (isPush(node.consequent as Node)) facts.methods.add("push if");
      break;
    case "BinaryExpression":
      facts.methods.add(isCountBy(node) ? "count by" : node.operator);
      break;
    case "ForStatement":
      // The update of a loop does not count as counting.
      if (node.update) facts.claimed.add(node.update as Node);
      facts.hasLoop = true;
      break;
    case "ForOfStatement":
    case "ForInStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      facts.hasLoop = true;
      break;
    case "VariableDeclarator":
      noteVariable(node.id as Node, node.init as Node | null | undefined, facts);
      break;
    case "ThrowStatement":
      if (depth === 0) facts.constants.add("throw");
      break;
    case "ReturnStatement":
      if (depth === 0 && node.argument) noteReturned(node.argument as Node, facts);
      break;
    default:
      break;
  }
}

function noteCall(callee: Node, given: readonly Node[], facts: Gathering): void {
  const path = pathOf(callee);
  if (path === undefined) return;
  const [root = "", server, tool] = path;
  if ((root === "mcp" || root === "capabilities") && server !== undefined) {
    // A name without a server is a capability's.
    const named =
      tool === undefined ? splitId(server.includes(":") ? server : `:${server}`) : { server, tool };
    facts.addCall(callFact(named, given[0], facts.claimed));
    return;
  }
  const last = path.at(-1) ?? "";
  const [first, instead] = given;
  // Removing empty items is not a search.
  if (last === "filter" && first?.type === "Identifier" && first.name === "Boolean") return;
  if (last.startsWith("replace") && instead?.type === "Literal" && instead.value === "")
    facts.methods.add("replace by nothing");
  facts.methods.add(path.length === 2 && /^[A-Z]/.test(root) ? path.join(".") : last);
}

/** Texts in the argument are claimed, so that they count once. */
function callFact(
  named: Pick<CallFact, "server" | "tool">,
  argument: Node | undefined,
  claimed: Set<Node>,
): CallFact {
  const texts: (readonly [string, string])[] = [];
  const fields: string[] = [];
  const switches: string[] = [];
  const waiting = argument === undefined ? [] : [{ field: "", node: argument }];
  const addText = (field: string, node: Node, text: string): void => {
    claimed.add(node);
    if (texts.length < MOST.texts) texts.push([field, text.slice(0, MOST.textChars * 4)]);
  };
  for (let left = MOST.argumentNodes; left > 0; left -= 1) {
    const next = waiting.shift();
    if (next === undefined) break;
    const node = withoutTypes(next.node);
    const { field } = next;
    if (node.type === "ObjectExpression") {
      for (const property of node.properties as readonly Node[]) {
        if (property.type !== "Property") continue;
        const key = property.key as Node;
        const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? String(key.value) : "";
        if (fields.length < MOST.names) fields.push(name);
        const value = property.value as Node;
        if (value.type === "Literal" && value.value === true) switches.push(name);
        waiting.push({ field: name, node: value });
      }
    } else if (node.type === "ArrayExpression") {
      for (const item of node.elements as readonly (Node | null)[])
        if (item !== null) waiting.push({ field, node: item });
    } else if (node.type === "BinaryExpression") {
      waiting.push({ field, node: node.left as Node }, { field, node: node.right as Node });
    } else if (node.type === "Literal" && typeof node.value === "string") addText(field, node, node.value);
    else if (node.type === "TemplateLiteral") addText(field, node, templateText(node));
  }
  return { ...named, texts, fields, switches };
}

function noteVariable(id: Node, init: Node | null | undefined, facts: Gathering): void {
  if (id.type !== "Identifier") return;
  if (facts.declared.length < MOST.names) facts.declared.push(id.name);
  if (init) facts.kinds.set(id.name, kindOf(init, facts.kinds));
}

/** `return true` at the end of a script has no meaning: only one of several constants is an answer. */
function noteReturned(argument: Node, facts: Gathering): void {
  const node = withoutTypes(argument);
  const isConstant = node.type === "Literal" && node.value !== null && typeof node.value !== "string";
  if (isConstant) facts.constants.add(String(node.value));
  if (!isConstant || facts.constants.size > 1) facts.returns = kindOf(argument, facts.kinds);
  const last = node.type === "ConditionalExpression" ? withoutTypes(node.consequent as Node) : node;
  facts.answer = last.type === "CallExpression" ? (pathOf(last.callee as Node)?.at(-1) ?? "") : "";
  const waiting: Node[] = [argument];
  for (let left = MOST.names; left > 0; left -= 1) {
    const one = waiting.shift();
    if (one === undefined) break;
    if (one.type === "Identifier") facts.addName(one.name, true);
    forEachChild(one, (child) => waiting.push(child));
  }
}

/** `(counts[key] ?? 0) + 1` */
function isCountBy(node: Node): boolean {
  if (node.type !== "BinaryExpression" || node.operator !== "+") return false;
  const right = withoutTypes(node.right as Node);
  const left = withoutTypes(node.left as Node);
  return left.type === "LogicalExpression" && right.type === "Literal" && right.value === 1;
}

/** `if (isLate(item)) late.push(item)` keeps some items, like a filter. */
function isPush(given: Node): boolean {
  const [only, ...others] = given.type === "BlockStatement" ? (given.body as readonly Node[]) : [given];
  if (only?.type !== "ExpressionStatement" || others.length > 0) return false;
  const call = withoutTypes(only.expression as Node);
  return call.type === "CallExpression" && pathOf(call.callee as Node)?.at(-1) === "push";
}

/** Methods that every program uses say nothing about this one. */
const BUILT_IN = wordSet(`
length size map filter reduce forEach push pop shift slice sort toSorted join split find some every includes has add get set
entries keys values flat flatMap from fromEntries toFixed round floor ceil abs parse stringify trim replace replaceAll toLowerCase
toUpperCase startsWith endsWith match matchAll test exec concat indexOf padStart toISOString now Date Math JSON Object Array Number
String Set Map Promise all then await console log args mcp capabilities undefined Boolean RegExp Error URL max min isArray assign
toString localeCompare at fill reverse charAt any Intl`);
const DATE_METHOD =
  /^(?:get|set|to)(?:UTC|Locale)?(?:[A-Z][a-z]+)*(?:Year|Month|Date|Day|Hours|Time|String)$/;
const CALL = /\b(?:mcp|capabilities)\s*\.\s*([A-Za-z_$][\w$]*)\s*\.\s*([A-Za-z_$][\w$]*)\s*\(/g;
const QUOTED = /"((?:[^"\\\n]|\\.){1,200})"|'((?:[^'\\\n]|\\.){1,200})'/g;

function plainFacts(text: string): CodeFacts {
  const facts = new Gathering();
  facts.returns = "unknown";
  for (const [, server = "", tool = ""] of text.matchAll(CALL))
    facts.addCall({ server, tool, texts: [], fields: [], switches: [] });
  for (const [, double, single] of text.matchAll(QUOTED)) facts.addText(double ?? single ?? "");
  if (text.length <= PLAIN_CHARS / 4)
    for (const [name] of text.matchAll(/[A-Za-z_$][\w$]{1,40}/g)) facts.addName(name);
  return factsOf(facts);
}

/** Keys of all words of the code, to check whether an intent is about the same things. */
export function codeKeys(facts: CodeFacts, parameters: readonly string[]): ReadonlySet<string> {
  const texts = facts.texts.slice(0, 50).filter((text) => text.length < 200);
  const given = facts.calls.flatMap(({ tool, texts: own }) => [tool, ...own.map(([, text]) => text)]);
  const all = [...facts.names, ...parameters, ...given, ...texts, ...facts.patterns.slice(0, 50)];
  const words = all.flatMap(nameWords).filter((word) => word.length > 1);
  return new Set(words.map((word) => wordKey(nameWord(word))));
}
