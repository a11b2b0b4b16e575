/**
 * Whether code works without a parameter: every read of it has a default, checks whether it is present, or comes after
 * such a check.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { DataFlow } from "../data/data-flow.js";
import { contextOf, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { isTest } from "../syntax/conditions.js";
import { defaultsIn } from "../syntax/known-values.js";
import type { Binding, Scopes } from "../syntax/scopes.js";
import type { FoundReads, ParameterReads } from "./parameter-reads.js";

export interface Presence {
  readonly isRequired: boolean;
  /** The default, if the code uses the same one everywhere. */
  readonly default?: Json;
}

export function presenceIn(
  found: FoundReads,
  scopes: Scopes,
  { isChanged }: DataFlow,
): (parameter: ParameterReads) => Presence {
  const guards = new Guards(found, scopes);
  const defaultOf = defaultsIn(scopes, isChanged);
  return (parameter) => {
    const written = [...parameter.defaults];
    let isRequired = parameter.isTaken;
    for (const node of parameter.reads) {
      const kind = kindOfRead(node);
      if (typeof kind === "object") written.push(kind.default);
      else if (kind === "plain" && !isRequired) isRequired = !guards.isBehindCheck(node, parameter);
    }
    const defaults = written.map(defaultOf).filter((each) => each !== undefined);
    const [first] = defaults;
    const agree = defaults.every((each) => JSON.stringify(each) === JSON.stringify(first));
    return first === undefined || !agree ? { isRequired } : { isRequired: false, default: first };
  };
}

/** A read that fails or goes wrong without the parameter, one that checks for it, and one with a default. */
type Kind = "plain" | "check" | { readonly default: Node };

/** How many nested logical expressions are followed. */
const CLIMB = 100;

function kindOfRead(read: Node): Kind {
  // `args?.x` does not require its presence.
  if (read.type === "MemberExpression" && read.optional) return "check";
  // The result of a logical expression may be the parameter, so its use counts: `(x || args.a) ?? 1`.
  let node = read;
  for (let steps = 0; steps < CLIMB; steps += 1) {
    const { parent, child } = contextOf(node);
    const isOutcome =
      (parent?.type === "LogicalExpression" && parent.right === child) ||
      (parent?.type === "ConditionalExpression" && parent.test !== child);
    if (!isOutcome) return kindOfUse(parent, child);
    node = parent;
  }
  return "plain";
}

function kindOfUse(parent: Node | undefined, child: Node): Kind {
  switch (parent?.type) {
    case "MemberExpression":
      return parent.object === child && parent.optional ? "check" : "plain";
    case "CallExpression":
      if (parent.callee === child) return parent.optional ? "check" : "plain";
      return isCheckingCall(parent.callee) ? "check" : "plain";
    case "LogicalExpression":
      return parent.operator === "&&" ? "check" : { default: parent.right };
    case "AssignmentExpression":
      if (parent.left !== child) return "plain";
      if (parent.operator === "??=" || parent.operator === "||=") return { default: parent.right };
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
  /** The values that are present if a test is true, and if it is false. */
  readonly #whenTrue = new Map<Node, Present>();
  readonly #whenFalse = new Map<Node, Present>();
  /**
   * The values that are present after a statement such as `if (!x) return`, by its list of statements. After `if (!x) x
   * = 1`, only the variable is.
   */
  readonly #behind = new Map<Node, Map<ParameterReads | Binding, number>>();
  readonly #scopes: Scopes;

  constructor(found: FoundReads, scopes: Scopes) {
    this.#found = found;
    this.#scopes = scopes;
    for (const node of scopes.nodes) {
      if (node.type === "IfStatement") this.#note(node, this.#presentBehind(node));
      else if (node.type === "ExpressionStatement" && isFilling(node.expression))
        this.#note(node, this.#variable(node.expression.left));
    }
  }

  #note(statement: Node, present: Iterable<ParameterReads | Binding>): void {
    const list = statement.parent;
    if (!list) return;
    for (const each of present) {
      const behind = this.#behind.get(list) ?? new Map<ParameterReads | Binding, number>();
      this.#behind.set(list, behind);
      behind.set(each, Math.min(statement.end, behind.get(each) ?? statement.end));
    }
  }

  #presentBehind({ test, consequent, alternate }: NodeOf<"IfStatement">): Iterable<ParameterReads | Binding> {
    if (alternate !== null) return [];
    if (leaves(consequent)) return this.#present(test, false);
    const variables = assignedIn(consequent).flatMap((target) => this.#variable(target));
    return variables.length > 0 && this.#present(test, false).size > 0 ? variables : [];
  }

  #variable(target: Node): readonly Binding[] {
    const binding = target.type === "Identifier" ? this.#scopes.bindingOf(target) : undefined;
    return binding === undefined ? [] : [binding];
  }

  isBehindCheck(read: Node, parameter: ParameterReads): boolean {
    const [variable] = this.#variable(read);
    let child = read;
    let parent = read.parent;
    while (parent) {
      if (this.#guards(parent, child, parameter)) return true;
      const behind = this.#behind.get(parent);
      const from = behind?.get(parameter);
      if (from !== undefined && from <= child.start) return true;
      const filled = variable === undefined ? undefined : behind?.get(variable);
      if (filled !== undefined && filled <= child.start) return true;
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

  /** The parameters that are certainly present if the test has this `outcome`. */
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

  /** The parameter that is present if this check has this `outcome`. */
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
    // `x?.y` has a value only if x has.
    let inner = node;
    while (inner.type === "MemberExpression" || inner.type === "CallExpression") {
      inner = plain(inner.type === "MemberExpression" ? inner.object : inner.callee);
      const found = parameterAt.get(inner);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** `x ??= 1`: after it, there is a value. */
function isFilling(expression: Node): expression is NodeOf<"AssignmentExpression"> {
  return (
    expression.type === "AssignmentExpression" &&
    (expression.operator === "??=" || expression.operator === "||=")
  );
}

/** The variables that a branch certainly assigns to. */
function assignedIn(branch: Node): readonly Node[] {
  const statements = branch.type === "BlockStatement" ? branch.body : [branch];
  return statements.flatMap((each) =>
    each.type === "ExpressionStatement" &&
    each.expression.type === "AssignmentExpression" &&
    each.expression.operator === "="
      ? [each.expression.left as Node]
      : [],
  );
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

/** Whether a statement ends the run or the iteration of a loop without an error. */
function leaves(statement: Node): boolean {
  let last: Node | undefined = statement;
  while (last?.type === "BlockStatement") last = last.body[last.body.length - 1];
  return (
    last?.type === "ReturnStatement" || last?.type === "ContinueStatement" || last?.type === "BreakStatement"
  );
}
