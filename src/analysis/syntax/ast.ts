/**
 * The syntax tree in the form for the other parts: the nodes that exist at run time, and how to traverse it.
 *
 * Trees can be as deep as the code is long, so nothing here or elsewhere in this folder recurses over them.
 *
 * @module
 */
import type { Node } from "oxc-parser";

export type { Node } from "oxc-parser";

/** The union of nodes with one of the types. */
export type NodeOf<T extends Node["type"]> = OfType<Node, T>;

type OfType<N, T> = N extends { readonly type: infer U } ? (Extract<U, T> extends never ? never : N) : never;

export type Identifier = NodeOf<"Identifier">;
export type FunctionNode = NodeOf<"FunctionDeclaration" | "FunctionExpression" | "ArrowFunctionExpression">;

/** Children that exist at run time, in order of evaluation. Other types have none. */
const CHILDREN: { readonly [T in Node["type"]]?: readonly string[] } = {
  Program: ["body"],
  ExpressionStatement: ["expression"],
  BlockStatement: ["body"],
  StaticBlock: ["body"],
  IfStatement: ["test", "consequent", "alternate"],
  SwitchStatement: ["discriminant", "cases"],
  SwitchCase: ["test", "consequent"],
  WhileStatement: ["test", "body"],
  DoWhileStatement: ["body", "test"],
  ForStatement: ["init", "test", "body", "update"],
  ForInStatement: ["right", "left", "body"],
  ForOfStatement: ["right", "left", "body"],
  LabeledStatement: ["label", "body"],
  BreakStatement: ["label"],
  ContinueStatement: ["label"],
  ReturnStatement: ["argument"],
  ThrowStatement: ["argument"],
  TryStatement: ["block", "handler", "finalizer"],
  CatchClause: ["param", "body"],
  WithStatement: ["object", "body"],
  VariableDeclaration: ["declarations"],
  VariableDeclarator: ["init", "id"],
  FunctionDeclaration: ["id", "params", "body"],
  FunctionExpression: ["id", "params", "body"],
  ArrowFunctionExpression: ["params", "body"],
  ClassDeclaration: ["decorators", "id", "superClass", "body"],
  ClassExpression: ["decorators", "id", "superClass", "body"],
  ClassBody: ["body"],
  MethodDefinition: ["decorators", "key", "value"],
  PropertyDefinition: ["decorators", "key", "value"],
  AccessorProperty: ["decorators", "key", "value"],
  ArrayExpression: ["elements"],
  ArrayPattern: ["elements"],
  ObjectExpression: ["properties"],
  ObjectPattern: ["properties"],
  Property: ["key", "value"],
  SpreadElement: ["argument"],
  RestElement: ["argument"],
  AssignmentPattern: ["right", "left"],
  AssignmentExpression: ["left", "right"],
  UnaryExpression: ["argument"],
  UpdateExpression: ["argument"],
  BinaryExpression: ["left", "right"],
  LogicalExpression: ["left", "right"],
  ConditionalExpression: ["test", "consequent", "alternate"],
  SequenceExpression: ["expressions"],
  MemberExpression: ["object", "property"],
  ChainExpression: ["expression"],
  CallExpression: ["callee", "arguments"],
  NewExpression: ["callee", "arguments"],
  ImportExpression: ["source", "options"],
  TaggedTemplateExpression: ["tag", "quasi"],
  TemplateLiteral: ["expressions"],
  AwaitExpression: ["argument"],
  YieldExpression: ["argument"],
  ParenthesizedExpression: ["expression"],
  Decorator: ["expression"],
  TSAsExpression: ["expression"],
  TSSatisfiesExpression: ["expression"],
  TSNonNullExpression: ["expression"],
  TSTypeAssertion: ["expression"],
  TSInstantiationExpression: ["expression"],
  TSParameterProperty: ["parameter"],
};

/** Statements and class members that do not exist at run time. */
export function isTypeOnly(node: Node): boolean {
  switch (node.type) {
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSDeclareFunction":
    case "TSIndexSignature":
    case "TSAbstractMethodDefinition":
    case "TSAbstractPropertyDefinition":
    case "TSAbstractAccessorProperty":
      return true;
    case "VariableDeclaration":
    case "ClassDeclaration":
    case "PropertyDefinition":
    case "TSEnumDeclaration":
    case "TSModuleDeclaration":
      return node.declare === true;
    case "MethodDefinition":
      return (node.value as Node).type === "TSEmptyBodyFunctionExpression";
    default:
      return false;
  }
}

/** Calls `visit` with each run-time child of `node`, in order of evaluation. */
export function forEachChild(node: Node, visit: (child: Node) => void): void {
  const keys = CHILDREN[node.type];
  if (keys === undefined) return;
  for (const key of keys) {
    const child = (node as unknown as Record<string, unknown>)[key];
    if (Array.isArray(child)) {
      for (const item of child) if (item !== null) visit(item as Node);
    } else if (child !== null && child !== undefined) visit(child as Node);
  }
}

/** The expression inside of casts and other syntax that does not exist at run time. */
export function withoutTypes(node: Node): Node {
  let inner = node;
  while (isTransparent(inner)) inner = inner.expression;
  return inner;
}

function isTransparent(
  node: Node,
): node is NodeOf<
  | "TSAsExpression"
  | "TSSatisfiesExpression"
  | "TSNonNullExpression"
  | "TSTypeAssertion"
  | "TSInstantiationExpression"
  | "ParenthesizedExpression"
> {
  switch (node.type) {
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TSInstantiationExpression":
    case "ParenthesizedExpression":
      return true;
    default:
      return false;
  }
}

/** The nearest node around `node` that exists at run time, and its child that contains `node`. */
export function contextOf(node: Node): { readonly parent: Node | undefined; readonly child: Node } {
  let child = node;
  let parent: Node | undefined | null = node.parent;
  while (parent && (isTransparent(parent) || parent.type === "ChainExpression")) {
    child = parent;
    parent = parent.parent;
  }
  return { parent: parent ?? undefined, child };
}

export function isFunction(node: Node): node is FunctionNode {
  return (
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}

/** The function around a node; its own parameters and its own name are inside it too. */
export function functionAround(node: Node): FunctionNode | undefined {
  let around = node.parent;
  while (around && !isFunction(around)) around = around.parent;
  return around ?? undefined;
}

/** Nodes that can evaluate their content more than once. */
const REPEATING: ReadonlySet<Node["type"]> = new Set([
  "WhileStatement",
  "DoWhileStatement",
  "ForStatement",
  "ForInStatement",
  "ForOfStatement",
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "ClassBody",
]);

/** False if `node` is evaluated at most once each time `body` is run: no loop, function or class is between them. */
export function isRepeatable(node: Node, body: Node): boolean {
  let around: Node | null | undefined = node;
  while (around && around !== body && !REPEATING.has(around.type)) around = around.parent;
  return around !== body;
}
