/**
 * Which variable every name in the code refers to.
 *
 * Code is strict and has no `eval` and no `with`, so this is known before it runs. A scope is a map of names; a name
 * that is in no scope is free: a global, or a parameter of the code. This module also gives every node its parent and a
 * number.
 *
 * @module
 */
import { forEachChild, type Identifier, isFunction, isTypeOnly, type Node } from "./ast.js";
import type { FunctionBody } from "./parse-code.js";

export interface Binding {
  readonly name: string;
  readonly kind: "var" | "let" | "const" | "function" | "class" | "param" | "catch";
  /** Every identifier that refers to it, including declarations, in order of evaluation. */
  readonly identifiers: Identifier[];
  /** Identifiers that read it. */
  readonly reads: Identifier[];
  /** Identifiers that write it, including an initialised declaration or a parameter. */
  readonly writes: Identifier[];
}

interface Scope {
  readonly outer: Scope | undefined;
  readonly names: Map<string, Binding>;
  readonly found: Map<string, Binding | "arguments" | undefined>;
  /** Whether `var` declares here: the scope of a function, or of the code itself. */
  readonly isFunction: boolean;
  readonly hasArguments: boolean;
}

export interface Scopes {
  /** `undefined` for a free identifier, and for an identifier that is not a variable. */
  bindingOf(identifier: Node): Binding | undefined;
  /** Free identifiers, in order of evaluation. */
  readonly free: readonly Identifier[];
  /** The written ones among them. */
  readonly freeWrites: ReadonlySet<Identifier>;
  /** Whether a globally free name is declared in a scope around this node. */
  isShadowed(name: string, at: Node): boolean;
  /** Every node that exists at run time, parents before children, in order of evaluation. */
  readonly nodes: readonly Node[];
  /** Type-only statements and class members, which are not in `nodes`. */
  readonly typeOnly: readonly Node[];
  /** A number that grows in order of evaluation: a call is evaluated after its arguments. */
  rank(node: Node): number;
  /** The index of a node in {@link nodes}; `undefined` for other nodes. */
  indexOf(node: Node): number | undefined;
}

/** Properties stored in the tree itself, because they are read so often. */
interface Noted {
  parent?: Node;
  index?: number;
  binding?: Binding;
}

/** The role of an identifier in its parent node. */
type Role = "read" | "write" | "both" | "leave" | Binding["kind"];

interface Task {
  readonly node: Node;
  readonly scope: Scope;
  readonly role: Role;
}

export function resolveScopes(body: FunctionBody): Scopes {
  const root = scopeIn(undefined, true);
  const scopeOf = new Map<Node, Scope>();
  const mentions: Task[] = [];
  const nodes: Node[] = [];
  const typeOnly: Node[] = [];
  const callRanks = new Map<Node, number>();
  const stack: Task[] = [{ node: body, scope: root, role: "read" }];
  /** The children of one node. */
  const batch: Task[] = [];
  let [node, scope, role, inner]: [Node, Scope, Role, Scope] = [body, root, "read", root];
  const visitPart = (child: Node): void => {
    (child as Noted).parent = node;
    batch.push({ node: child, scope, role: "read" });
  };
  const visit = (child: Node): void => {
    if (isTypeOnly(child)) {
      typeOnly.push(child);
      return;
    }
    if (isName(node, child)) return;
    (child as Noted).parent = node;
    batch.push({ node: child, scope: scopeFor(node, child, scope, inner), role: roleOf(node, child, role) });
  };

  for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
    ({ node, scope, role } = task);
    if (role === "leave") {
      // Between the previous node and the next one.
      callRanks.set(node, nodes.length - 0.5 + callRanks.size * 1e-7);
      continue;
    }
    (node as Noted).index = nodes.length;
    nodes.push(node);
    if (node.type === "Identifier") {
      if (role !== "read" && role !== "write" && role !== "both") declare(scope, node.name, role);
      mentions.push(task);
      continue;
    }
    if (node.type === "CallExpression") stack.push({ node, scope, role: "leave" });
    if (READS_ALL.has(node.type)) forEachChild(node, visitPart);
    else {
      inner = innerScope(node, scope, node === body);
      if (inner !== scope) scopeOf.set(node, inner);
      forEachChild(node, visit);
    }
    for (let child = batch.pop(); child !== undefined; child = batch.pop()) stack.push(child);
  }

  const free: Identifier[] = [];
  const freeWrites = new Set<Identifier>();
  for (const { node: mentioned, scope: where, role: as } of mentions) {
    const identifier = mentioned as Identifier;
    const found = lookUp(where, identifier.name);
    const writes = as !== "read" && as !== "let" && as !== "var";
    if (found === undefined) {
      free.push(identifier);
      if (writes) freeWrites.add(identifier);
      continue;
    }
    if (found === "arguments") continue;
    (identifier as Noted).binding = found;
    found.identifiers.push(identifier);
    if (as === "read" || as === "both") found.reads.push(identifier);
    // A declaration without a value is not a write.
    if (writes || ((as === "let" || as === "var") && isGiven(identifier))) found.writes.push(identifier);
  }

  return {
    bindingOf: (identifier) => (identifier as Noted).binding,
    free,
    freeWrites,
    isShadowed(name, at) {
      let node: Node | undefined | null = at;
      while (node && !scopeOf.has(node)) node = node.parent;
      return lookUp((node && scopeOf.get(node)) || root, name) !== undefined;
    },
    nodes,
    typeOnly,
    rank: (ranked) => callRanks.get(ranked) ?? (ranked as Noted).index ?? 0,
    indexOf: (numbered) => (numbered as Noted).index,
  };
}

/** Nodes without a scope whose parts are all read as expressions: most of the code. */
const READS_ALL: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "ExpressionStatement",
  "ReturnStatement",
  "ThrowStatement",
  "ArrayExpression",
  "ObjectExpression",
  "SpreadElement",
  "UnaryExpression",
  "LogicalExpression",
  "ConditionalExpression",
  "SequenceExpression",
  "ChainExpression",
  "CallExpression",
  "NewExpression",
  "TemplateLiteral",
  "AwaitExpression",
]);

/** Whether the child is only a name: a property, a key, a label. */
function isName(node: Node, child: Node): boolean {
  switch (node.type) {
    case "MemberExpression":
      return child === node.property && !node.computed;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return child === node.key && !node.computed;
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return child === node.label;
    case "BinaryExpression":
      return child.type === "PrivateIdentifier";
    // The type of `this` is written like a parameter.
    case "FunctionDeclaration":
    case "FunctionExpression":
      return child.type === "Identifier" && child.name === "this";
    default:
      return false;
  }
}

function scopeIn(outer: Scope | undefined, isFunctionScope: boolean, hasArguments = false): Scope {
  return { outer, names: new Map(), found: new Map(), isFunction: isFunctionScope, hasArguments };
}

/** The scope that a node opens for its children, or the scope around it. */
function innerScope(node: Node, scope: Scope, isBody: boolean): Scope {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
      return scopeIn(scope, true, true);
    case "ArrowFunctionExpression":
    case "StaticBlock":
      return scopeIn(scope, true);
    case "BlockStatement":
      // A function's body shares the scope of its parameters, and so do the wrapper's body and the code.
      return isBody || (node.parent && isFunction(node.parent)) ? scope : scopeIn(scope, false);
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "SwitchStatement":
    case "CatchClause":
    case "ClassDeclaration":
    case "ClassExpression":
      return scopeIn(scope, false);
    default:
      return scope;
  }
}

/** The scope of one child: some children of a node that opens a scope are outside of it. */
function scopeFor(node: Node, child: Node, outer: Scope, inner: Scope): Scope {
  if (inner === outer) return inner;
  switch (node.type) {
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return child === node.id ? outer : inner;
    case "FunctionExpression":
      if (child !== node.id) return inner;
      return nameScope(inner);
    case "SwitchStatement":
      return child === node.discriminant ? outer : inner;
    default:
      return inner;
  }
}

/** A function expression's own name is in an outer scope, so that parameters and variables may shadow it. */
function nameScope(inner: Scope): Scope {
  const scope = scopeIn(inner.outer, false);
  (inner as { outer: Scope | undefined }).outer = scope;
  return scope;
}

function roleOf(node: Node, child: Node, role: Role): Role {
  switch (node.type) {
    case "VariableDeclaration":
      return node.kind === "var" || node.kind === "let" ? node.kind : "const";
    case "VariableDeclarator":
      return child === node.id ? role : "read";
    case "FunctionDeclaration":
    case "FunctionExpression":
      if (child === node.id) return "function";
      return child === node.body ? "read" : "param";
    case "ArrowFunctionExpression":
      return child === node.body ? "read" : "param";
    case "ClassDeclaration":
    case "ClassExpression":
      return child === node.id ? "class" : "read";
    case "CatchClause":
      return child === node.param ? "catch" : "read";
    case "ArrayPattern":
    case "ObjectPattern":
    case "RestElement":
    case "TSParameterProperty":
      return role;
    case "Property":
      return child === node.value && node.parent?.type === "ObjectPattern" ? role : "read";
    case "AssignmentPattern":
      return child === node.left ? role : "read";
    case "AssignmentExpression":
      if (child !== node.left) return "read";
      return node.operator === "=" ? "write" : "both";
    case "UpdateExpression":
      return "both";
    case "ForInStatement":
    case "ForOfStatement":
      return child === node.left && child.type !== "VariableDeclaration" ? "write" : "read";
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
      // `(x as T) = 1` writes x.
      return role === "write" || role === "both" ? role : "read";
    default:
      return "read";
  }
}

function declare(scope: Scope, name: string, kind: Binding["kind"]): void {
  let target = scope;
  while (kind === "var" && !target.isFunction && target.outer !== undefined) target = target.outer;
  if (!target.names.has(name)) target.names.set(name, { name, kind, identifiers: [], reads: [], writes: [] });
}

/** Only after all names are declared, because results are cached. */
function lookUp(scope: Scope, name: string): Binding | "arguments" | undefined {
  const known = scope.found.get(name);
  if (known !== undefined || scope.found.has(name)) return known;
  let found: Binding | "arguments" | undefined;
  for (let at: Scope | undefined = scope; at !== undefined && found === undefined; at = at.outer) {
    found = at.names.get(name) ?? (at.hasArguments && name === "arguments" ? "arguments" : undefined);
  }
  scope.found.set(name, found);
  return found;
}

/** Whether a `let` or `var` gets a value in its declaration: by `=`, or by a loop. */
function isGiven(identifier: Identifier): boolean {
  let node: Node = identifier;
  while (node.parent && node.parent.type !== "VariableDeclarator") node = node.parent;
  const declarator = node.parent;
  if (declarator?.type !== "VariableDeclarator") return true;
  const statement = declarator.parent?.parent;
  return (
    declarator.init !== null || statement?.type === "ForInStatement" || statement?.type === "ForOfStatement"
  );
}
