/**
 * Lists in a walk: `list.map(…)` is a loop, `Promise.all(…)` a fork and a join, and both together a fork alone.
 *
 * @module
 */
import { contextOf, isFunction, type Node, type NodeOf, withoutTypes } from "./ast.js";
import { type Frontier, union, type Way } from "./flow-graph.js";
import { type Child, type FlowWalk, type Step, walkList } from "./flow-walk.js";
import type { Binding } from "./scopes.js";
import type { ForkNode } from "./static-structure.js";
import { walkCallback } from "./walk-functions.js";

const LOOP_METHODS: ReadonlySet<string> = new Set(
  "map forEach filter reduce reduceRight flatMap some every find findIndex findLast findLastIndex".split(" "),
);
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
  const named = walk.held.functionOf(callback);
  const isCalling = named === undefined ? walk.useAt.has(withoutTypes(callback)) : walk.held.holdsCall(named);
  if (!isCalling) return undefined;
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
  // Entered when the last of what the call is given has been evaluated.
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

/** Which of the forks a call of `Promise` is. */
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

/** A list that is mapped to calls. */
export function mappedList(walk: FlowWalk, expression: Node): Repeated | undefined {
  const call = withoutTypes(expression);
  const repeated = call.type === "CallExpression" && !call.optional ? repeatedList(walk, call) : undefined;
  return repeated?.kind === "map" || repeated?.kind === "from" || repeated?.kind === "flatMap"
    ? repeated
    : undefined;
}

/** Where a variable is waited for as a whole: `Promise.all(jobs)`. */
export function joinOf(walk: FlowWalk, binding: Binding): NodeOf<"CallExpression"> | undefined {
  for (const read of binding.reads) {
    const { parent, child } = contextOf(read);
    if (parent?.type === "CallExpression" && parent.arguments[0] === child && forkKind(walk, parent))
      return parent;
  }
  return undefined;
}

export function* walkParallel(walk: FlowWalk, node: NodeOf<"CallExpression">, before: Frontier): Step {
  const given = withoutTypes(node.arguments[0] as Node);
  const binding = given.type === "Identifier" ? walk.scopes.bindingOf(given) : undefined;
  const started = binding && walk.started.get(binding);
  if (binding !== undefined && started !== undefined) {
    walk.started.delete(binding);
    return addJoin(walk, node, union(before, started));
  }
  if (!walk.held.holdsCall(given)) return yield walkList(walk, node.arguments, before);
  const mapped = mappedList(walk, given);
  if (mapped === undefined && given.type !== "ArrayExpression")
    return yield walkList(walk, node.arguments, before);
  const { at } = yield* walkFork(walk, node, mapped ?? given, before);
  return addJoin(walk, node, at);
}

/** Answers the ways that lead to the join. */
export function* walkFork(
  walk: FlowWalk,
  node: NodeOf<"CallExpression">,
  parts: Repeated | Node,
  before: Frontier,
): Generator<Child | Step, { readonly at: Frontier; readonly fork: number }, Frontier> {
  const kind = forkKind(walk, node) as ForkNode["kind"];
  const isMapped = "callback" in parts;
  let at = before;
  if (isMapped) at = yield [parts.list, at];
  const id = walk.graph.newId("f");
  const fork = walk.graph.add({ id, type: "fork", kind }, at);
  walk.graph.sites.push(
    isMapped
      ? { kind: "enter-after", id, node: parts.list }
      : { kind: "enter-before", id, node: node.arguments[0] as Node },
  );
  walk.graph.within.push(id);
  const around = walk.handler;
  // What fails in a branch does not end the others, nor always the whole.
  const failed = new Set<Way>();
  if (kind === "allSettled" || kind === "any") walk.handler = failed;
  const ends: Frontier[] = [];
  const start: Frontier = [walk.graph.next(fork)];
  if (isMapped) ends.push(yield walkCallback(walk, parts.callback, start));
  else
    for (const element of (parts as NodeOf<"ArrayExpression">).elements) {
      if (element === null || !walk.held.isActive(element)) continue;
      ends.push(yield walkBranch(walk, element, start));
    }
  walk.graph.within.pop();
  walk.handler = around;
  if (failed.size > 0) walk.throw([...failed]);
  return { at: union(...ends, [...failed]), fork };
}

/** An element of the list; one that is spread is a list of its own. */
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
