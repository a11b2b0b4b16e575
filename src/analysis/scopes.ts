/**
 * Which variable every name in the code refers to.
 *
 * Code is strict and has no `eval` and no `with`, so this is known before it runs. A scope is a map of names; a name that
 * no scope has is free: a global, or a parameter of the code. Also gives every node its parent.
 *
 * @module
 */
import { forEachChild, type Identifier, isFunction, isTypeOnly, type Node } from "./ast.js";
import type { FunctionBody } from "./parse-code.js";

export interface Binding {
  readonly name: string;
  readonly kind: "var" | "let" | "const" | "function" | "class" | "param" | "catch";
  /** Every identifier that refers to it, declarations included, in order of evaluation. */
  readonly identifiers: Identifier[];
  /** Those that read it. */
  readonly reads: Identifier[];
  /** Those that write it, an initialised declaration or a parameter included. */
  readonly writes: Identifier[];
}

interface Scope {
  readonly outer: Scope | undefined;
  readonly names: Map<string, Binding>;
  readonly found: Map<string, Binding | "arguments" | undefined>;
  /** Where `var` goes: the scope of a function, or of the code itself. */
  readonly isFunction: boolean;
  readonly hasArguments: boolean;
}

export interface Scopes {
  /** `undefined` for a free identifier, and for what is no reference to a variable. */
  bindingOf(identifier: Node): Binding | undefined;
  /** Identifiers that no scope has, in order of evaluation. */
  readonly free: readonly Identifier[];
  /** Those of them that are written. */
  readonly freeWrites: ReadonlySet<Identifier>;
  /** Whether a name that is free in the whole is somebody else's at this node. */
  isShadowed(name: string, at: Node): boolean;
  /** Every node that exists at run time, parents before children, in order of evaluation. */
  readonly nodes: readonly Node[];
  /** A number that grows in order of evaluation: a call is evaluated after its arguments. */
  rank(node: Node): number;
}

/** What an identifier is to the node it stands in. */
type Role = "read" | "write" | "both" | "leave" | Binding["kind"];

interface Task {
  readonly node: Node;
  readonly scope: Scope;
  readonly role: Role;
}

interface Mention {
  readonly identifier: Identifier;
  readonly scope: Scope;
  readonly role: Role;
}

export function resolveScopes(body: FunctionBody): Scopes {
  const root: Scope = {
    outer: undefined,
    names: new Map(),
    found: new Map(),
    isFunction: true,
    hasArguments: false,
  };
  const scopeOf = new Map<Node, Scope>();
  const mentions: Mention[] = [];
  const nodes: Node[] = [];
  const callRanks = new Map<Node, number>();
  let nodeRanks: ReadonlyMap<Node, number> | undefined;
  const stack: Task[] = [{ node: body, scope: root, role: "read" }];
  let batch: Task[] = [];

  for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
    const { node, scope, role } = task;
    if (role === "leave") {
      // Between the node before and the node to come.
      callRanks.set(node, nodes.length - 0.5 + callRanks.size * 1e-7);
      continue;
    }
    nodes.push(node);
    if (node.type === "CallExpression") stack.push({ node, scope, role: "leave" });
    if (node.type === "Identifier") {
      if (role !== "read" && role !== "write" && role !== "both") declare(scope, node.name, role);
      mentions.push({ identifier: node, scope, role });
      continue;
    }
    const inner = innerScope(node, scope, node === body);
    if (inner !== scope) scopeOf.set(node, inner);
    forEachChild(node, (child) => {
      if (isTypeOnly(child) || isName(node, child)) return;
      (child as { parent?: Node }).parent = node;
      const childScope = scopeFor(node, child, scope, inner);
      batch.push({ node: child, scope: childScope, role: roleOf(node, child, role) });
    });
    for (let i = batch.length - 1; i >= 0; i -= 1) stack.push(batch[i] as Task);
    batch = [];
  }

  const bindings = new Map<Node, Binding>();
  const free: Identifier[] = [];
  const freeWrites = new Set<Identifier>();
  for (const { identifier, scope, role } of mentions) {
    const found = lookUp(scope, identifier.name);
    const writes = role !== "read" && role !== "let" && role !== "var";
    if (found === undefined) {
      free.push(identifier);
      if (writes) freeWrites.add(identifier);
      continue;
    }
    if (found === "arguments") continue;
    bindings.set(identifier, found);
    found.identifiers.push(identifier);
    if (role === "read" || role === "both") found.reads.push(identifier);
    // A declaration without a value writes nothing.
    if (writes || ((role === "let" || role === "var") && isGiven(identifier))) found.writes.push(identifier);
  }

  return {
    bindingOf: (identifier) => bindings.get(identifier),
    free,
    freeWrites,
    isShadowed(name, at) {
      let node: Node | undefined | null = at;
      while (node && !scopeOf.has(node)) node = node.parent;
      return lookUp((node && scopeOf.get(node)) || root, name) !== undefined;
    },
    nodes,
    rank(node) {
      nodeRanks ??= new Map(nodes.map((each, index) => [each, index]));
      return callRanks.get(node) ?? nodeRanks.get(node) ?? 0;
    },
  };
}

/** Whether the child is a mere name: a property, a key, a label. */
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

/** The scope that a node opens for its children, or the one it stands in. */
function innerScope(node: Node, scope: Scope, isBody: boolean): Scope {
  const open = (isFunctionScope: boolean, hasArguments = false): Scope => ({
    outer: scope,
    names: new Map(),
    found: new Map(),
    isFunction: isFunctionScope,
    hasArguments,
  });
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
      return open(true, true);
    case "ArrowFunctionExpression":
    case "StaticBlock":
      return open(true);
    case "BlockStatement":
      // A function's body shares the scope of its parameters, and so do the wrapper's body and the code.
      return isBody || (node.parent && isFunction(node.parent)) ? scope : open(false);
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
    case "SwitchStatement":
    case "CatchClause":
    case "ClassDeclaration":
    case "ClassExpression":
      return open(false);
    default:
      return scope;
  }
}

/** The scope of one child: some children of a node that opens a scope stand outside of it. */
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

/** A function expression's own name lies around its scope, so that parameters and variables may shadow it. */
function nameScope(inner: Scope): Scope {
  const scope: Scope = {
    outer: inner.outer,
    names: new Map(),
    found: new Map(),
    isFunction: false,
    hasArguments: false,
  };
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

/** Only once all names are declared: what it finds is remembered. */
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

/** Whether a `let` or `var` is given a value where it is declared: by `=`, or by a loop. */
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
