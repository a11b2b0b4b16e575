/**
 * How most nodes are written in canonical code. Part of a frozen grammar: see `canonical-code.ts`.
 *
 * @module
 */
import type { Node } from "../syntax/ast.js";

/** Tag and parts of every node that has no rule of its own. `?x` is the flag x, `=x` the text in x, `[]x` a list. */
const NODES: { readonly [T in Node["type"]]?: readonly [tag: string, ...parts: string[]] } = {
  ExpressionStatement: ["do", "expression"],
  DebuggerStatement: ["debugger"],
  IfStatement: ["if", "test", "{}consequent", "{}alternate"],
  SwitchStatement: ["switch", "discriminant", "[]cases"],
  SwitchCase: ["case", "test", ";consequent"],
  WhileStatement: ["while", "test", "{}body"],
  DoWhileStatement: ["dowhile", "{}body", "test"],
  ForStatement: ["for", "init", "test", "update", "{}body"],
  ForInStatement: ["forin", "left", "right", "{}body"],
  ForOfStatement: ["forof", "?await", "left", "right", "{}body"],
  ReturnStatement: ["return", "argument"],
  ThrowStatement: ["throw", "argument"],
  TryStatement: ["try", "block", "handler", "finalizer"],
  CatchClause: ["catch", "param", "body"],
  BlockStatement: ["block", ";body"],
  StaticBlock: ["static", ";body"],
  VariableDeclarator: ["set", "id", "init"],
  FunctionDeclaration: ["function", "?async", "?generator", "id", "[]params", "body"],
  FunctionExpression: ["function", "?async", "?generator", "id", "[]params", "body"],
  ArrowFunctionExpression: ["arrow", "?async", "[]params", "body"],
  ClassDeclaration: ["class", "id", "superClass", "body"],
  ClassExpression: ["class", "id", "superClass", "body"],
  ClassBody: ["members", ";body"],
  MethodDefinition: ["member", "?static", "=kind", ".key", "value"],
  PropertyDefinition: ["field", "?static", ".key", "value"],
  AccessorProperty: ["accessor", "?static", ".key", "value"],
  ArrayExpression: ["array", "[]elements"],
  ArrayPattern: ["array", "[]elements"],
  ObjectExpression: ["object", "[]properties"],
  ObjectPattern: ["object", "[]properties"],
  SpreadElement: ["...", "argument"],
  RestElement: ["...", "argument"],
  AssignmentPattern: ["default", "left", "right"],
  AssignmentExpression: ["assign", "=operator", "left", "right"],
  UnaryExpression: ["unary", "=operator", "argument"],
  UpdateExpression: ["update", "=operator", "?prefix", "argument"],
  BinaryExpression: ["binary", "=operator", "left", "right"],
  LogicalExpression: ["binary", "=operator", "left", "right"],
  ConditionalExpression: ["?", "test", "consequent", "alternate"],
  SequenceExpression: ["sequence", "[]expressions"],
  NewExpression: ["new", "callee", "[]arguments"],
  ImportExpression: ["import", "source", "options"],
  TaggedTemplateExpression: ["tagged", "tag", "quasi"],
  AwaitExpression: ["await", "argument"],
  YieldExpression: ["yield", "?delegate", "argument"],
  ThisExpression: ["this"],
  Super: ["super"],
};

type Sigil = "" | "?" | "=" | "[]" | ";" | "{}" | ".";

export interface Rule {
  /** The bracket and the tag. */
  readonly open: string;
  readonly parts: readonly { readonly sigil: Sigil; readonly name: string }[];
}

const RULES: ReadonlyMap<Node["type"], Rule> = new Map(
  Object.entries(NODES).map(([type, [tag, ...parts]]) => [
    type as Node["type"],
    { open: `(${tag}`, parts: parts.map(partOf) },
  ]),
);

function partOf(part: string): Rule["parts"][number] {
  const sigil = (/^(?:\[\]|\{\}|[?=;.])/.exec(part)?.[0] ?? "") as Sigil;
  return { sigil, name: part.slice(sigil.length) };
}

export function ruleOf({ type }: Node): Rule | undefined {
  return RULES.get(type);
}
