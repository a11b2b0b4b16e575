/**
 * Lists in a walk: `list.map(…)` is a loop, `Promise.all(…)` a fork and a join, and both together only a fork.
 *
 * @module
 */

import type { ForkNode } from "../static-structure.js";
import {
  contextOf,
  functionAround,
  isFunction,
  type Node,
  type NodeOf,
  withoutTypes,
} from "../syntax/ast.js";
import { type Frontier, union, type Way } from "./flow-graph.js";
import { type Child, type FlowWalk, type Step, walkList } from "./flow-walk.js";
import { walkCallback } from "./walk-functions.js";

const LOOP_METHODS: ReadonlySet<string> = new Set(
  "map forEach filter reduce reduceRight flatMap some every find findIndex findLast findLastIndex".split(" "),
);
const MAPS: ReadonlySet<string> = new Set(["map", "flatMap", "from"]);
/** Methods that return a list with items of the original list. */
const SIFTS: ReadonlySet<string> = new Set(["filter", "concat", "flat", "slice", "reverse"]);
/** How many chained methods are followed. */
const STEPS = 10;
const FORKS: ReadonlySet<string> = new Set(["all", "allSettled", "race", "any"]);

/** A method that calls its callback for the items of a list. */
interface Repeated {
  readonly kind: string;
  readonly list: Node;
  readonly callback: Node;
  readonly others: readonly Node[];
}

/** `list.map(callback)` with calls in the callback. */
export function repeatedList(walk: FlowWalk, node: NodeOf<"CallExpression">): Repeated | undefined {
  const callee = withoutTypes(node.callee);
  if (callee.type !== "MemberExpression" || callee.computed || callee.property.type !== "Identifier")
    return undefined;
  const { name } = callee.property;
  const object = withoutTypes(callee.object as Node);
  const isFrom = name === "from" && object.type === "Identifier" && object.name === "Array";
  if (!isFrom && !LOOP_METHODS.has(name)) return undefined;
  const list = isFrom ? (node.arguments[0] as Node | undefined) : (callee.object as Node);
  const callback = node.arguments[isFrom ? 1 : 0] as Node | undefined;
  if (list === undefined || callback === undefined || list.type === "Super" || list.type === "SpreadElement")
    return undefined;
  if (walk.held.functionsOf(callback).length === 0 && !walk.useAt.has(withoutTypes(callback)))
    return undefined;
  return { kind: name, list, callback, others: isFrom ? [] : (node.arguments.slice(1) as readonly Node[]) };
}

export function* walkMethodLoop(
  walk: FlowWalk,
  node: NodeOf<"CallExpression">,
  repeated: Repeated,
  before: Frontier,
): Step {
  const { kind, list, callback, others } = repeated;
  let at: Frontier = yield [list, before];
  const { callee } = node;
  if (node.optional || (callee.type === "MemberExpression" && callee.optional)) walk.endChain(at);
  at = yield walkList(walk, others, at);
  const id = walk.graph.newId("l");
  const loop = walk.graph.add({ id, type: "loop", kind, over: walk.text(list) }, at);
  // Entered when the last argument has been evaluated.
  const last = others.at(-1);
  walk.graph.sites.push({
    kind: "enter-after",
    id,
    node: last === undefined || last.type === "SpreadElement" ? list : last,
  });
  const written = withoutTypes(callback);
  if (isFunction(written)) walk.graph.sites.push({ kind: "again", id, node: written });
  walk.graph.within.push(id);
  const after: Frontier = yield walkCallback(walk, callback, [{ from: loop, type: "contains" }]);
  walk.graph.within.pop();
  walk.throw(after);
  return union([walk.graph.next(loop)], after);
}

/** The kind of fork of a `Promise` call. */
export function forkKind(walk: FlowWalk, node: NodeOf<"CallExpression">): ForkNode["kind"] | undefined {
  const callee = withoutTypes(node.callee);
  if (callee.type !== "MemberExpression" || callee.computed || callee.optional || node.optional)
    return undefined;
  const object = withoutTypes(callee.object as Node);
  if (object.type !== "Identifier" || object.name !== "Promise" || walk.scopes.bindingOf(object))
    return undefined;
  const name = callee.property.type === "Identifier" ? callee.property.name : "";
  return FORKS.has(name) && node.arguments.length > 0 ? (name as ForkNode["kind"]) : undefined;
}

/** A list that is mapped to calls; also with `?.`, with a default after `??`, or filtered afterwards. */
function mappedList(walk: FlowWalk, expression: Node): Repeated | undefined {
  let node = withoutTypes(expression);
  for (let steps = 0; steps < STEPS; steps += 1) {
    if (node.type === "ChainExpression") node = withoutTypes(node.expression);
    else if (node.type === "LogicalExpression" && !walk.held.holdsCall(node.right))
      node = withoutTypes(node.left);
    else if (node.type !== "CallExpression") return undefined;
    else {
      const repeated = repeatedList(walk, node);
      if (repeated !== undefined) return MAPS.has(repeated.kind) ? repeated : undefined;
      const callee = withoutTypes(node.callee);
      const isSifted =
        callee.type === "MemberExpression" &&
        callee.property.type === "Identifier" &&
        SIFTS.has(callee.property.name) &&
        !node.arguments.some((given) => walk.held.holdsCall(given));
      if (!isSifted) return undefined;
      node = withoutTypes(callee.object as Node);
    }
  }
  return undefined;
}

/**
 * Calls that are started here and kept in a variable, and the call that waits for them: `Promise.all(jobs)`,
 * `Promise.all([job])`.
 */
export function startedBy(
  walk: FlowWalk,
  { init, id }: NodeOf<"VariableDeclarator">,
): { readonly init: Node; readonly join: NodeOf<"CallExpression"> } | undefined {
  if (init === null || id.type !== "Identifier" || !walk.held.holdsCall(init)) return undefined;
  const value = withoutTypes(init);
  const isList = value.type === "ArrayExpression" || mappedList(walk, value) !== undefined;
  // Only a list of calls or one call can be started here; other values were started earlier.
  if (!isList && value.type !== "CallExpression") return undefined;
  const binding = walk.scopes.bindingOf(id);
  if (binding?.writes.length !== 1) return undefined;
  for (const read of binding.reads) {
    const { parent, child } = contextOf(read);
    const list = isList ? child : parent;
    const call = isList ? parent : parent?.type === "ArrayExpression" ? contextOf(parent).parent : undefined;
    if (call?.type !== "CallExpression" || list === undefined) continue;
    const [first] = call.arguments;
    const isGiven = first !== undefined && withoutTypes(first as Node) === withoutTypes(list);
    if (isGiven && forkKind(walk, call) && functionAround(call) === functionAround(init))
      return { init, join: call };
  }
  return undefined;
}

/** Walks the fork of calls that are kept in a variable, when the first of them starts. */
export function* walkStarted(
  walk: FlowWalk,
  init: Node,
  join: NodeOf<"CallExpression">,
  before: Frontier,
): Step {
  const known = walk.started.get(join);
  const mapped = mappedList(walk, init);
  const value = withoutTypes(init);
  const lanes = mapped ?? (value.type === "ArrayExpression" ? value : { elements: [init] });
  const { at, fork } = yield* walkFork(walk, join, { lanes, whole: init, fork: known?.fork }, before);
  walk.held.mark(join);
  if (known !== undefined) {
    for (const way of at) known.ways.add(way);
    return before;
  }
  walk.started.set(join, { fork, ways: new Set(at) });
  return [walk.graph.next(fork)];
}

export function* walkParallel(walk: FlowWalk, node: NodeOf<"CallExpression">, before: Frontier): Step {
  const whole = node.arguments[0] as Node;
  const given = withoutTypes(whole);
  const started = walk.started.get(node);
  if (started !== undefined) {
    walk.started.delete(node);
    const lanes = { elements: given.type === "ArrayExpression" ? given.elements : [] };
    const { at } = yield* walkFork(walk, node, { lanes, whole, fork: started.fork }, before);
    const between = before.filter((way) => way !== walk.graph.next(started.fork));
    return addJoin(walk, node, union(between, [...started.ways], at));
  }
  if (!walk.held.holdsCall(given)) return yield walkList(walk, node.arguments, before);
  const lanes = mappedList(walk, given) ?? (given.type === "ArrayExpression" ? given : undefined);
  if (lanes === undefined) return yield walkList(walk, node.arguments, before);
  const { at } = yield* walkFork(walk, node, { lanes, whole }, before);
  return addJoin(walk, node, at);
}

interface Parallel {
  readonly lanes: Repeated | { readonly elements: readonly (Node | null)[] };
  /** The expression that starts them. */
  readonly whole: Node;
  /** An existing fork: these calls start at the current position. */
  readonly fork?: number | undefined;
}

/** Returns the ways that lead to the join. */
function* walkFork(
  walk: FlowWalk,
  node: NodeOf<"CallExpression">,
  { lanes, whole, fork: known }: Parallel,
  before: Frontier,
): Generator<Child | Step, { readonly at: Frontier; readonly fork: number }, Frontier> {
  const { graph } = walk;
  const kind = forkKind(walk, node) as ForkNode["kind"];
  const isMapped = "callback" in lanes;
  const from: Frontier = isMapped ? yield [lanes.list, before] : before;
  const fork = known ?? addFork(walk, kind, isMapped ? lanes.list : undefined, whole, from);
  const start = known === undefined ? [graph.next(fork)] : from;
  graph.within.push(graph.id(fork));
  const around = walk.handler;
  // A failure in one branch does not end the other branches, and does not always fail the whole call.
  const failed = new Set<Way>();
  if (kind === "allSettled" || kind === "any") walk.handler = failed;
  const ends: Frontier[] = [];
  if (isMapped) ends.push(yield walkCallback(walk, lanes.callback, start));
  else
    for (const element of lanes.elements) {
      if (element === null || !walk.held.isActive(element)) continue;
      ends.push(yield walkBranch(walk, element, start));
    }
  graph.within.pop();
  walk.handler = around;
  if (failed.size > 0) walk.throw([...failed]);
  return { at: union(...ends, [...failed]), fork };
}

function addFork(
  walk: FlowWalk,
  kind: ForkNode["kind"],
  list: Node | undefined,
  whole: Node,
  at: Frontier,
): number {
  const id = walk.graph.newId("f");
  walk.graph.sites.push(
    list === undefined ? { kind: "enter-before", id, node: whole } : { kind: "enter-after", id, node: list },
  );
  return walk.graph.add({ id, type: "fork", kind }, at);
}

/** An element of the list; a spread element is a list itself. */
function* walkBranch(walk: FlowWalk, element: Node, start: Frontier): Step {
  if (element.type !== "SpreadElement") return yield [element, start];
  const mapped = mappedList(walk, element.argument);
  if (mapped === undefined) return yield [element.argument, start];
  const at: Frontier = yield [mapped.list, start];
  return yield walkCallback(walk, mapped.callback, at);
}

function addJoin(walk: FlowWalk, node: NodeOf<"CallExpression">, at: Frontier): Frontier {
  const id = walk.graph.newId("j");
  const join = walk.graph.add({ id, type: "join" }, at);
  walk.graph.sites.push({ kind: "join", id, node });
  return [walk.graph.next(join)];
}
