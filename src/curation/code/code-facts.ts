/**
 * What code says about itself: which tools it calls with what, what it does with what it gets, and what it returns.
 *
 * It is read from the syntax tree; where there is none, from the text, as far as that goes.
 *
 * @module
 */
import { forEachChild, type Node, withoutTypes } from "../../analysis/syntax/ast.js";
import { parseCode } from "../../analysis/syntax/parse-code.js";
import { SourceText } from "../../analysis/syntax/source-text.js";
import { splitId } from "../naming-subject.js";
import { type CallFact, callFact, MOST } from "./call-fact.js";
import { kindOf, pathOf, type ResultKind, templateText } from "./expressions.js";

export interface CodeFacts {
  readonly calls: readonly CallFact[];
  /** Names of variables, properties and parameters, in order, each once. */
  readonly names: readonly string[];
  /** Names of variables, where they are declared. */
  readonly declared: readonly string[];
  /** Names in what is returned. */
  readonly returned: readonly string[];
  /** Methods and functions that are called: `sort`, `JSON.parse`. */
  readonly methods: ReadonlySet<string>;
  /** Texts that are no arguments of calls to tools. */
  readonly texts: readonly string[];
  /** Of regular expressions. */
  readonly patterns: readonly string[];
  readonly returns: ResultKind;
  /** The last method that what is returned comes from: `filter`. */
  readonly answer: string;
  readonly hasLoop: boolean;
  readonly isParsed: boolean;
  /** Its shape without names and literals; empty where there is none. */
  readonly shape: string;
  /** The names and literals that were left out of the shape, in order. */
  readonly leaves: readonly string[];
}

/** Beyond that code says nothing new. */
const NODES = 20_000;
/** Names and literals that are compared with those of other code. */
const LEAVES = 2_000;
/** Code that is not parsed is read so far. */
const PLAIN_CHARS = 65_536;

export function codeFacts(code: string): CodeFacts {
  const source = new SourceText(code.length > PLAIN_CHARS * 4 ? code.slice(0, PLAIN_CHARS) : code);
  const body = source.text.trim() === "" ? undefined : parseCode(source).body;
  return body === undefined ? plainFacts(code.slice(0, PLAIN_CHARS)) : treeFacts(body);
}

interface Gathering {
  readonly calls: CallFact[];
  readonly names: Set<string>;
  readonly declared: string[];
  readonly returned: Set<string>;
  readonly methods: Set<string>;
  readonly texts: string[];
  readonly patterns: string[];
  hasLoop: boolean;
  returns: ResultKind;
  answer: string;
  shape: string;
  readonly leaves: string[];
  /** What is returned or thrown in place of an answer. */
  readonly constants: Set<string>;
}

function treeFacts(body: Node): CodeFacts {
  const facts: Gathering = {
    calls: [],
    names: new Set(),
    declared: [],
    returned: new Set(),
    methods: new Set(),
    texts: [],
    patterns: [],
    hasLoop: false,
    returns: "nothing",
    answer: "",
    shape: "",
    leaves: [],
    constants: new Set(),
  };
  const claimed = new Set<Node>();
  const kinds = new Map<string, ResultKind>();
  const waiting: { readonly node: Node; readonly depth: number }[] = [{ node: body, depth: 0 }];
  let left = NODES;
  for (let next = waiting.pop(); next !== undefined && left > 0; next = waiting.pop()) {
    left -= 1;
    const { node, depth } = next;
    const inner = isFunctionNode(node) ? depth + 1 : depth;
    note(node, inner, facts, claimed, kinds);
    noteShape(node, facts);
    const children: Node[] = [];
    forEachChild(node, (child) => children.push(child));
    for (const child of children.reverse()) waiting.push({ node: child, depth: inner });
  }
  return {
    ...facts,
    names: [...facts.names],
    returned: [...facts.returned],
    isParsed: true,
  };
}

/** Literals are of one kind here: a template with another text is another literal. */
function noteShape(node: Node, facts: Gathering): void {
  if (facts.leaves.length >= LEAVES) return;
  switch (node.type) {
    case "Identifier":
      facts.shape += "i";
      facts.leaves.push(node.name);
      break;
    case "Literal":
      facts.shape += "l";
      facts.leaves.push(String(node.value ?? node.raw ?? "").slice(0, MOST.textChars * 4));
      break;
    case "TemplateLiteral":
      facts.shape += "l";
      facts.leaves.push(templateText(node).slice(0, MOST.textChars * 4));
      break;
    default:
      facts.shape += `${node.type.replace(/[a-z]+/g, "")}${node.type.length},`;
  }
}

function isFunctionNode(node: Node): boolean {
  return (
    node.type === "ArrowFunctionExpression" ||
    node.type === "FunctionExpression" ||
    node.type === "FunctionDeclaration"
  );
}

function note(
  node: Node,
  depth: number,
  facts: Gathering,
  claimed: Set<Node>,
  kinds: Map<string, ResultKind>,
): void {
  switch (node.type) {
    case "CallExpression": {
      const path = pathOf(node.callee as Node);
      if (path === undefined) break;
      const [root, server, tool] = path;
      if ((root === "mcp" || root === "capabilities") && server !== undefined) {
        // A name alone is a capability's: it has no server.
        const named =
          tool === undefined ? splitId(server.includes(":") ? server : `:${server}`) : { server, tool };
        const call = callFact(named, (node.arguments as readonly Node[])[0], claimed);
        if (facts.calls.length < MOST.names) facts.calls.push(call);
      } else {
        const last = path.at(-1) ?? "";
        const [given, instead] = node.arguments as readonly Node[];
        // Leaving out what is empty finds nothing.
        if (last === "filter" && given?.type === "Identifier" && given.name === "Boolean") break;
        if (/^replace(?:All)?$/.test(last) && instead?.type === "Literal" && instead.value === "")
          facts.methods.add("replace by nothing");
        facts.methods.add(path.length === 2 && /^[A-Z]/.test(root ?? "") ? path.join(".") : last);
      }
      break;
    }
    case "NewExpression": {
      const path = pathOf(node.callee as Node);
      if (path !== undefined) facts.methods.add(`new ${path.join(".")}`);
      break;
    }
    case "Identifier":
      addName(facts.names, node.name);
      break;
    case "Property":
    case "MemberExpression": {
      const key = (node.type === "Property" ? node.key : node.property) as Node;
      if (key.type === "Identifier") addName(facts.names, key.name);
      break;
    }
    case "Literal":
      if (typeof node.value === "string" && !claimed.has(node)) addText(facts.texts, node.value);
      else if ("regex" in node && node.regex) {
        facts.methods.add("regex");
        addText(facts.patterns, node.regex.pattern);
      }
      break;
    case "TemplateLiteral":
      if (!claimed.has(node)) addText(facts.texts, templateText(node));
      break;
    case "AssignmentExpression":
      if (node.operator === "+=") facts.methods.add("+=");
      if (node.operator === "??=" && (node.right as Node).type === "ArrayExpression")
        facts.methods.add("??= push");
      break;
    case "UpdateExpression":
      if (!claimed.has(node)) facts.methods.add("++");
      break;
    case "IfStatement":
      if (isPush(node.consequent as Node)) facts.methods.add("push if");
      break;
    case "BinaryExpression": {
      facts.methods.add(node.operator);
      const left = withoutTypes(node.left as Node);
      const right = withoutTypes(node.right as Node);
      // `(counts[key] ?? 0) + 1`
      if (
        node.operator === "+" &&
        left.type === "LogicalExpression" &&
        right.type === "Literal" &&
        right.value === 1
      )
        facts.methods.add("count by");
      break;
    }
    case "ForStatement":
      // The steps of a loop count nothing.
      if (node.type === "ForStatement" && node.update) claimed.add(node.update as Node);
      facts.hasLoop = true;
      break;
    case "ForOfStatement":
    case "ForInStatement":
    case "WhileStatement":
    case "DoWhileStatement":
      facts.hasLoop = true;
      break;
    case "VariableDeclarator": {
      const id = node.id as Node;
      if (id.type === "Identifier" && facts.declared.length < MOST.names) facts.declared.push(id.name);
      if (id.type === "Identifier" && node.init !== null && node.init !== undefined)
        kinds.set(id.name, kindOf(node.init as Node, kinds));
      break;
    }
    case "ThrowStatement":
      if (depth === 0) facts.constants.add("throw");
      break;
    case "ReturnStatement": {
      if (depth > 0) break;
      const argument = node.argument as Node | null;
      if (argument === null || argument === undefined) break;
      noteReturned(argument, facts, kinds);
      facts.answer = lastMethod(argument);
      returnedNames(argument, facts.returned);
      break;
    }
    default:
      break;
  }
}

/** `return true` at the end of a script says nothing: only one of several constants is an answer. */
function noteReturned(argument: Node, facts: Gathering, kinds: ReadonlyMap<string, ResultKind>): void {
  const node = withoutTypes(argument);
  if (node.type !== "Literal" || node.value === null || typeof node.value === "string") {
    facts.returns = kindOf(argument, kinds);
    return;
  }
  facts.constants.add(String(node.value));
  if (facts.constants.size > 1) facts.returns = kindOf(argument, kinds);
}

/** `if (isLate(item)) late.push(item)` keeps some of them, as a filter does. */
function isPush(given: Node): boolean {
  const [only, ...others] = given.type === "BlockStatement" ? (given.body as readonly Node[]) : [given];
  if (only?.type !== "ExpressionStatement" || others.length > 0) return false;
  const call = withoutTypes(only.expression as Node);
  return call.type === "CallExpression" && pathOf(call.callee as Node)?.at(-1) === "push";
}

/** What every program has says nothing of this one. */
const BUILT_IN =
  /^(?:length|size|map|filter|reduce|forEach|push|pop|shift|slice|sort|toSorted|join|split|find|some|every|includes|has|add|get|set|entries|keys|values|flat|flatMap|from|fromEntries|toFixed|round|floor|ceil|abs|parse|stringify|trim|replace|replaceAll|toLowerCase|toUpperCase|startsWith|endsWith|match|matchAll|test|exec|concat|indexOf|padStart|toISOString|now|Date|Math|JSON|Object|Array|Number|String|Set|Map|Promise|all|then|await|console|log|args|mcp|capabilities|undefined|Boolean|RegExp|Error|URL|max|min|isArray|assign|toString|localeCompare|at|fill|reverse|charAt|test|any)$/;

const DATE_METHOD =
  /^(?:get|set|to)(?:UTC|Locale)?(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds|Time|TimezoneOffset|Parts|String|DateString|TimeString)$|^Intl$|Format$/;

function addName(names: Set<string>, name: string): void {
  if (BUILT_IN.test(name) || DATE_METHOD.test(name)) return;
  if (names.size < MOST.names && name.length <= 60) names.add(name);
}

function addText(texts: string[], text: string): void {
  if (texts.length < MOST.texts && text.trim() !== "") texts.push(text.slice(0, MOST.textChars));
}

function lastMethod(given: Node): string {
  const node = withoutTypes(given);
  if (node.type === "ConditionalExpression") return lastMethod(node.consequent as Node);
  return node.type === "CallExpression" ? (pathOf(node.callee as Node)?.at(-1) ?? "") : "";
}

function returnedNames(argument: Node, names: Set<string>): void {
  const waiting: Node[] = [argument];
  for (
    let left = 300, node = waiting.shift();
    node !== undefined && left > 0;
    left -= 1, node = waiting.shift()
  ) {
    if (isFunctionNode(node)) {
      forEachChild(node, (child) => waiting.push(child));
      continue;
    }
    if (node.type === "Identifier") addName(names, node.name);
    else if (node.type === "Property" && (node.key as Node).type === "Identifier")
      addName(names, (node.key as Node & { name: string }).name);
    else if (node.type === "MemberExpression" && (node.property as Node).type === "Identifier")
      addName(names, (node.property as Node & { name: string }).name);
    forEachChild(node, (child) => waiting.push(child));
  }
}

const CALL = /\b(?:mcp|capabilities)\s*\.\s*([A-Za-z_$][\w$]*)\s*\.\s*([A-Za-z_$][\w$]*)\s*\(/g;
const QUOTED = /"((?:[^"\\\n]|\\.){1,200})"|'((?:[^'\\\n]|\\.){1,200})'/g;

function plainFacts(text: string): CodeFacts {
  const calls: CallFact[] = [];
  for (const [, server = "", tool = ""] of text.matchAll(CALL))
    if (calls.length < MOST.names) calls.push({ server, tool, texts: [], fields: [], switches: [] });
  const texts: string[] = [];
  for (const [, double, single] of text.matchAll(QUOTED)) addText(texts, double ?? single ?? "");
  const names = new Set<string>();
  if (text.length <= PLAIN_CHARS / 4)
    for (const [name] of text.matchAll(/[A-Za-z_$][\w$]{1,40}/g)) addName(names, name);
  return {
    calls,
    names: [...names],
    declared: [],
    returned: [],
    methods: new Set(),
    texts,
    patterns: [],
    returns: "unknown",
    answer: "",
    hasLoop: false,
    isParsed: false,
    shape: "",
    leaves: [],
  };
}
