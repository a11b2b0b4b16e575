/**
 * Expressions in a walk: decisions, conditional parts, and calls.
 *
 * @module
 */
import { type FunctionNode, type Node, type NodeOf, withoutTypes } from "../syntax/ast.js";
import { type Frontier, union, type Way } from "./flow-graph.js";
import { isPlainTarget } from "./flow-site.js";
import { type FlowWalk, type Step, walkList } from "./flow-walk.js";
import { enterFunction, enterOne, walkCallback } from "./walk-functions.js";
import {
  forkKind,
  repeatedList,
  startedBy,
  walkMethodLoop,
  walkParallel,
  walkStarted,
} from "./walk-parallel.js";

type LogicalKind = "and" | "or" | "nullish";

const LOGICAL_KINDS: ReadonlyMap<string, LogicalKind> = new Map([
  ["&&", "and"],
  ["||", "or"],
  ["??", "nullish"],
]);

/** For each kind: the outcome that leads to its right side, and the one that skips it. */
const LOGICAL_OUTCOMES = {
  and: ["true", "false"],
  or: ["false", "true"],
  nullish: ["nullish", "value"],
} as const satisfies Record<LogicalKind, readonly [string, string]>;

export function* walkLogical(walk: FlowWalk, node: NodeOf<"LogicalExpression">, before: Frontier): Step {
  const { left, right, operator } = node;
  const at: Frontier = yield [left, before];
  const kind = LOGICAL_KINDS.get(operator);
  if (kind === undefined || !walk.held.holdsCall(right)) return yield [right, at];
  return yield walkDecided(walk, kind, left, right, at);
}

/** The right side of an operator, which runs only if the left side decides so. */
function* walkDecided(walk: FlowWalk, kind: LogicalKind, left: Node, right: Node, at: Frontier): Step {
  const { graph } = walk;
  const decision = graph.decision(kind, walk.text(left), at);
  graph.sites.push({ kind: kind === "nullish" ? "nullish" : "test", id: graph.id(decision), node: left });
  const [on, past] = LOGICAL_OUTCOMES[kind];
  const after: Frontier = yield [right, [graph.outcome(decision, on)]];
  return union(after, [graph.outcome(decision, past)]);
}

export function* walkDeclarator(walk: FlowWalk, node: NodeOf<"VariableDeclarator">, before: Frontier): Step {
  const started = startedBy(walk, node);
  if (started !== undefined) return yield walkStarted(walk, started.init, started.join, before);
  const at: Frontier = node.init === null ? before : yield [node.init, before];
  return yield [node.id, at];
}

export function* walkIdentifier(walk: FlowWalk, node: Node, at: Frontier): Step {
  const use = walk.useAt.get(node);
  if (use !== undefined) return union(at, walk.call(use, at));
  return union(at, yield enterOne(walk, walk.held.functionsOf(node), at));
}

/** A function that is written where it is used: it is unknown whether and when it is called. */
export function* walkFunction(walk: FlowWalk, node: FunctionNode, at: Frontier): Step {
  if (walk.held.isElsewhere(node)) return at;
  return union(at, yield enterFunction(walk, node, at));
}

export function* walkDefault(value: Node, left: Node, before: Frontier): Step {
  const at = union(before, yield [value, before]);
  return yield [left, at];
}

export function* walkAssignment(
  walk: FlowWalk,
  node: NodeOf<"AssignmentExpression">,
  before: Frontier,
): Step {
  const at: Frontier = yield [node.left, before];
  const kind = LOGICAL_KINDS.get(node.operator.slice(0, -1));
  if (kind === undefined) return yield [node.right, at];
  // Only a target that can be read without side effects can be read to report its outcome.
  if (!isPlainTarget(node.left) || !walk.held.holdsCall(node.right)) return union(at, yield [node.right, at]);
  return yield walkDecided(walk, kind, node.left, node.right, at);
}

export function* walkChain(walk: FlowWalk, node: NodeOf<"ChainExpression">, before: Frontier): Step {
  const ended = new Set<Way>();
  walk.chains.push(ended);
  const at: Frontier = yield [node.expression, before];
  walk.chains.pop();
  return union(at, [...ended]);
}

export function* walkMember(walk: FlowWalk, node: NodeOf<"MemberExpression">, before: Frontier): Step {
  const use = walk.useAt.get(node);
  if (use !== undefined) return union(before, walk.call(use, before));
  let at: Frontier = yield [node.object, before];
  if (node.optional) walk.endChain(at);
  if (node.computed) at = yield [node.property, at];
  if (walk.held.mayThrow(node)) walk.throw(at);
  return at;
}

export function* walkCall(walk: FlowWalk, node: NodeOf<"CallExpression">, before: Frontier): Step {
  const use = walk.useAt.get(node);
  if (use !== undefined) {
    const at: Frontier = yield walkList(walk, node.arguments, before);
    return walk.call(use, at);
  }
  const fork = forkKind(walk, node);
  if (fork !== undefined) return yield walkParallel(walk, node, before);
  const repeated = repeatedList(walk, node);
  if (repeated !== undefined) return yield walkMethodLoop(walk, node, repeated, before);
  const callee = withoutTypes(node.callee);
  const called = walk.held.functionsOf(callee);
  if (called.length > 0) {
    const at: Frontier = yield walkList(walk, node.arguments, before);
    const after: Frontier = yield enterOne(walk, called, at);
    walk.throw(after);
    return after;
  }
  const chained = promiseMethod(callee);
  if (chained !== undefined) return yield walkChained(walk, chained, node, before);
  let at: Frontier = callee.type === "Identifier" ? before : yield [node.callee, before];
  if (node.optional) walk.endChain(at);
  at = yield walkList(walk, node.arguments, at);
  if (walk.held.mayThrow(node)) walk.throw(at);
  return at;
}

/** `promise.then(f, g)`: one of them, depending on how the promise ends. */
function* walkChained(
  walk: FlowWalk,
  method: PromiseMethod,
  node: NodeOf<"CallExpression">,
  before: Frontier,
): Step {
  const around = walk.handler;
  const failed = new Set<Way>();
  walk.handler = failed;
  const at: Frontier = yield [node.callee, before];
  walk.handler = around;
  if (node.optional) walk.endChain(at);
  const [first, second] = node.arguments as readonly (Node | undefined)[];
  const failing = union(at, [...failed]);
  if (method !== "catch" && second === undefined) walk.throw([...failed]);
  if (first === undefined) return at;
  const from = method === "then" ? at : failing;
  const after: Frontier = yield walkCallback(walk, first, from);
  if (method === "catch") return union(at, after);
  walk.throw(after);
  return second === undefined ? after : union(after, yield walkCallback(walk, second, failing));
}

/** The parts in order of evaluation, and then the node itself if it is a tool that is passed on. */
export function* walkParts(
  walk: FlowWalk,
  node: Node,
  parts: readonly (Node | null)[],
  before: Frontier,
): Step {
  const use = walk.useAt.get(node);
  if (use !== undefined) return union(before, walk.call(use, before));
  let at = before;
  for (const part of parts) {
    if (part === null) continue;
    at = walk.held.isActive(part) ? yield [part, at] : walk.pass(part, at);
  }
  if (walk.held.mayThrow(node)) walk.throw(at);
  return at;
}

type PromiseMethod = "then" | "catch" | "finally";

function promiseMethod(callee: Node): PromiseMethod | undefined {
  if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier")
    return undefined;
  const { name } = callee.property;
  return name === "then" || name === "catch" || name === "finally" ? name : undefined;
}
