/**
 * Whether code can do without a parameter: every read of it has a default, or is a check whether it is there, or stands
 * behind such a check.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { contextOf, type Node, withoutTypes } from "./ast.js";
import { isTest, isTested } from "./conditions.js";
import { jsonConstant } from "./constants.js";
import type { FoundReads, ParameterReads } from "./parameter-reads.js";
import type { Scopes } from "./scopes.js";

export interface Presence {
  readonly isRequired: boolean;
  /** The one default that the code gives it everywhere. */
  readonly default?: Json;
}

export function presenceIn(found: FoundReads, scopes: Scopes): (parameter: ParameterReads) => Presence {
  const guards = new Guards(found, scopes);
  return (parameter) => {
    const defaults: Json[] = [...parameter.defaults];
    let isRequired = parameter.isTaken;
    for (const node of parameter.reads) {
      const kind = kindOfRead(node, scopes);
      if (typeof kind === "object") defaults.push(kind.default);
      else if (kind === "plain" && !isRequired) isRequired = !guards.isBehindCheck(node, parameter);
    }
    const [first] = defaults;
    const agree = defaults.every((each) => JSON.stringify(each) === JSON.stringify(first));
    return first === undefined || !agree ? { isRequired } : { isRequired: false, default: first };
  };
}

/** A read that fails or goes wrong without the parameter, one that does not, and one that says what to take instead. */
type Kind = "plain" | "check" | { readonly default: Json };

function kindOfRead(node: Node, scopes: Scopes): Kind {
  // `args?.x` expects nothing.
  if (node.type === "MemberExpression" && node.optional) return "check";
  const { parent, child } = contextOf(node);
  switch (parent?.type) {
    case "MemberExpression":
      return parent.object === child && parent.optional ? "check" : "plain";
    case "CallExpression":
      if (parent.callee === child) return parent.optional ? "check" : "plain";
      return isCheckingCall(parent.callee) ? "check" : "plain";
    case "LogicalExpression":
      if (isTested(parent)) return "check";
      if (parent.left !== child) return "plain";
      return parent.operator === "&&" ? "check" : defaultOf(parent.right, scopes);
    case "AssignmentExpression":
      if (parent.left !== child) return "plain";
      if (parent.operator === "??=" || parent.operator === "||=") return defaultOf(parent.right, scopes);
      return parent.operator === "=" || parent.operator === "&&=" ? "check" : "plain";
    case "UnaryExpression":
      return parent.operator === "!" || parent.operator === "typeof" || parent.operator === "void"
        ? "check"
        : "plain";
    case "BinaryExpression":
      return isEquality(parent.operator) && isNothing(parent.left === child ? parent.right : parent.left)
        ? "check"
        : "plain";
    default:
      return isTest(parent, child) ? "check" : "plain";
  }
}

function defaultOf(expression: Node, scopes: Scopes): Kind {
  const value = jsonConstant(expression, scopes);
  return value === undefined ? "check" : { default: value };
}

function isEquality(operator: string): boolean {
  return operator === "==" || operator === "!=" || operator === "===" || operator === "!==";
}

/** `null`, `undefined`, `void 0`. */
function isNothing(expression: Node): boolean {
  const node = withoutTypes(expression);
  if (node.type === "Literal") return node.value === null && node.raw === "null";
  if (node.type === "UnaryExpression") return node.operator === "void";
  return node.type === "Identifier" && node.name === "undefined";
}

type Present = ReadonlySet<ParameterReads>;

class Guards {
  readonly #found: FoundReads;
  /** What is there if a test is true, and if it is false. */
  readonly #whenTrue = new Map<Node, Present>();
  readonly #whenFalse = new Map<Node, Present>();
  /** What is there behind a statement such as `if (!x) return`, by the list of statements it stands in. */
  readonly #behind = new Map<Node, Map<ParameterReads, number>>();

  constructor(found: FoundReads, scopes: Scopes) {
    this.#found = found;
    for (const node of scopes.nodes) {
      if (node.type !== "IfStatement" || node.alternate !== null || !leaves(node.consequent)) continue;
      const list = node.parent;
      if (!list) continue;
      const behind = this.#behind.get(list) ?? new Map<ParameterReads, number>();
      this.#behind.set(list, behind);
      for (const each of this.#present(node.test, false)) {
        behind.set(each, Math.min(node.end, behind.get(each) ?? node.end));
      }
    }
  }

  isBehindCheck(read: Node, parameter: ParameterReads): boolean {
    let child = read;
    let parent = read.parent;
    while (parent) {
      if (this.#guards(parent, child, parameter)) return true;
      const from = this.#behind.get(parent)?.get(parameter);
      if (from !== undefined && from <= child.start) return true;
      child = parent;
      parent = parent.parent;
    }
    return false;
  }

  #guards(parent: Node, child: Node, parameter: ParameterReads): boolean {
    switch (parent.type) {
      case "IfStatement":
      case "ConditionalExpression":
        if (child === parent.test) return false;
        return this.#present(parent.test, child === parent.consequent).has(parameter);
      case "WhileStatement":
        return child === parent.body && this.#present(parent.test, true).has(parameter);
      case "ForStatement":
        return (
          child === parent.body && parent.test !== null && this.#present(parent.test, true).has(parameter)
        );
      case "LogicalExpression":
        if (child !== parent.right || parent.operator === "??") return false;
        return this.#present(parent.left, parent.operator === "&&").has(parameter);
      default:
        return false;
    }
  }

  /** The parameters that are surely there once the test has come out as `outcome`. */
  #present(test: Node, outcome: boolean): Present {
    const known = outcome ? this.#whenTrue : this.#whenFalse;
    const before = known.get(test);
    if (before !== undefined) return before;
    const present = new Set<ParameterReads>();
    const stack: { readonly node: Node; readonly outcome: boolean }[] = [{ node: test, outcome }];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const node = plain(next.node);
      if (node.type === "UnaryExpression" && node.operator === "!") {
        stack.push({ node: node.argument, outcome: !next.outcome });
      } else if (node.type === "LogicalExpression") {
        if (node.operator === (next.outcome ? "&&" : "||"))
          stack.push({ node: node.left, outcome: next.outcome }, { node: node.right, outcome: next.outcome });
      } else {
        const found = this.#checked(node, next.outcome);
        if (found !== undefined) present.add(found);
      }
    }
    known.set(test, present);
    return present;
  }

  /** The parameter that is there if this check comes out as `outcome`. */
  #checked(node: Node, outcome: boolean): ParameterReads | undefined {
    const { parameterAt } = this.#found;
    const direct = parameterAt.get(node);
    if (direct !== undefined) return outcome ? direct : undefined;
    if (node.type === "BinaryExpression" && isEquality(node.operator)) {
      const equal = node.operator === "==" || node.operator === "===";
      const other = isNothing(node.right) ? node.left : isNothing(node.left) ? node.right : undefined;
      if (other !== undefined) return equal === outcome ? undefined : parameterAt.get(plain(other));
      const type = plain(node.left);
      if (type.type !== "UnaryExpression" || type.operator !== "typeof") return undefined;
      const isUndefined = node.right.type === "Literal" && node.right.value === "undefined";
      return (equal === outcome) === isUndefined ? undefined : parameterAt.get(plain(type.argument));
    }
    if (!outcome) return undefined;
    if (node.type === "CallExpression" && node.arguments.length === 1) {
      const argument = parameterAt.get(plain(node.arguments[0] as Node));
      if (argument !== undefined && isCheckingCall(node.callee)) return argument;
    }
    // `x?.y` is something only if x is.
    let inner = node;
    while (inner.type === "MemberExpression" || inner.type === "CallExpression") {
      inner = plain(inner.type === "MemberExpression" ? inner.object : inner.callee);
      const found = parameterAt.get(inner);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** `Array.isArray(x)`, `Boolean(x)`. */
function isCheckingCall(callee: Node): boolean {
  if (callee.type === "Identifier") return callee.name === "Boolean";
  return (
    callee.type === "MemberExpression" &&
    callee.object.type === "Identifier" &&
    callee.object.name === "Array" &&
    callee.property.type === "Identifier" &&
    callee.property.name === "isArray"
  );
}

function plain(node: Node): Node {
  let inner = withoutTypes(node);
  while (inner.type === "ChainExpression") inner = withoutTypes(inner.expression);
  return inner;
}

/** Whether a statement ends the run, or the turn of a loop, without an error. */
function leaves(statement: Node): boolean {
  let last: Node | undefined = statement;
  while (last?.type === "BlockStatement") last = last.body[last.body.length - 1];
  return (
    last?.type === "ReturnStatement" || last?.type === "ContinueStatement" || last?.type === "BreakStatement"
  );
}
