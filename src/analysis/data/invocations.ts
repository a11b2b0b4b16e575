/**
 * Where the functions of the code, and the tools that are passed on as values, are called, and with which arguments.
 *
 * @module
 */

import type { Use } from "../names/references.js";
import { isFunction, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { staticKey } from "../syntax/constants.js";
import type { Scopes } from "../syntax/scopes.js";
import { calleeOf, globalName } from "./call-flow.js";
import { ANY, RETURNED, type Step } from "./value-path.js";
import type { Callable, Form, Invocation, Source } from "./value-question.js";

export interface Invocations {
  of(callable: Callable): readonly Invocation[];
  /** The possible callees of a call. */
  targetsOf(call: Node): readonly Callable[];
  /** No further invocations will be found. */
  readonly isComplete: boolean;
}

const NONE: readonly never[] = [];

/** Before the search. */
export const NO_INVOCATIONS: Invocations = { of: () => NONE, targetsOf: () => NONE, isComplete: false };

export function findInvocations(
  calls: readonly NodeOf<"CallExpression">[],
  scopes: Scopes,
  uses: ReadonlyMap<Node, Use>,
  callablesAt: (expression: Node) => readonly Callable[],
): Omit<Invocations, "isComplete"> {
  const invocations = new Map<Callable, Invocation[]>();
  const targets = new Map<Node, readonly Callable[]>();
  const add = (callable: Callable, invocation: Invocation): void => {
    const known = invocations.get(callable);
    if (known === undefined) invocations.set(callable, [invocation]);
    else known.push(invocation);
  };
  /** The functions and tools that an expression can be, according to its syntax alone. */
  const callables = (expression: Node): readonly Callable[] => {
    const node = withoutTypes(expression);
    if (isFunction(node)) return [node];
    return MAY_BE_CALLABLE.has(node.type) ? callablesAt(node) : NONE;
  };

  for (const node of calls) {
    if (uses.get(node)?.call === node) continue;
    const callee = calleeOf(node);
    const global = globalName(callee, scopes);
    const called = global === undefined ? callables(callee) : NONE;
    if (called.length > 0) targets.set(node, called);
    for (const each of called) add(each, directly(node.arguments));
    if (called.length > 0) continue;
    for (let index = 0; index < node.arguments.length; index += 1) {
      const found = callables(node.arguments[index] as Node);
      if (found.length === 0) continue;
      const invocation = asCallback(node, callee, global, index, scopes);
      if (invocation !== undefined) for (const each of found) add(each, invocation);
    }
  }
  return {
    of: (callable) => invocations.get(callable) ?? NONE,
    targetsOf: (call) => targets.get(call) ?? NONE,
  };
}

const MAY_BE_CALLABLE: ReadonlySet<Node["type"]> = new Set<Node["type"]>([
  "Identifier",
  "MemberExpression",
  "ConditionalExpression",
  "LogicalExpression",
  "CallExpression",
]);

function from(node: Node, steps: readonly Step[] = [], form: Form = "value"): Source {
  return { node, steps, form };
}

/** `f(a, ...b, c)`: from a spread on, each argument can be at any index. */
function directly(args: readonly Node[]): Invocation {
  const found = args.findIndex(({ type }) => type === "SpreadElement");
  const spread = found === -1 ? args.length : found;
  const source = (node: Node): Source =>
    node.type === "SpreadElement" ? from(node.argument, [ANY]) : from(node);
  return {
    given(index) {
      const argument = args[index];
      if (index < spread) return argument === undefined ? [] : [from(argument)];
      return args.slice(spread).map(source);
    },
    givenFrom: (index) => args.slice(Math.min(index, spread)).map(source),
  };
}

function listed(given: readonly (readonly Source[])[]): Invocation {
  return {
    given: (index) => given[index] ?? [],
    givenFrom: (index) => given.slice(index).flat(),
  };
}

/** The arguments that a built-in function passes to its callback. */
function asCallback(
  call: NodeOf<"CallExpression">,
  callee: Node,
  global: string | undefined,
  index: number,
  scopes: Scopes,
): Invocation | undefined {
  const [first, second] = call.arguments as readonly (Node | undefined)[];
  if (first === undefined) return undefined;
  if (global !== undefined) {
    const isOverList = (global === "Array.from" || global.endsWith(".groupBy")) && index === 1;
    return isOverList ? listed([[from(first, [ANY])]]) : undefined;
  }
  if (callee.type !== "MemberExpression") return undefined;
  const list: Node = callee.object;
  const item = from(list, [ANY]);
  switch (staticKey(callee.property, callee.computed, scopes)) {
    case "then":
      return index === 0 ? listed([[from(list)]]) : undefined;
    case "catch":
    case "finally":
      return undefined;
    case "reduce":
    case "reduceRight": {
      const sum = [from(first, [RETURNED]), second === undefined ? item : from(second)];
      return listed([sum, [item], [], [from(list)]]);
    }
    case "sort":
    case "toSorted":
      return listed([[item], [item]]);
    case "map":
    case "flatMap":
    case "forEach":
    case "filter":
    case "find":
    case "findLast":
    case "findIndex":
    case "findLastIndex":
    case "some":
    case "every":
      return listed([[item], [], [from(list)]]);
    case "replace":
    case "replaceAll":
      return listed([[from(list, [], "string")]]);
    default:
      return listed([[from(list, [], "other")]]);
  }
}
