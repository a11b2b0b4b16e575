/**
 * `try` in a walk. Its decision comes after its block, and every way out passes its `finally`.
 *
 * @module
 */
import type { NodeOf } from "../syntax/ast.js";
import { type Frontier, union, type Way } from "./flow-graph.js";
import type { Finally, FlowWalk, Step } from "./flow-walk.js";
import { walkParts } from "./walk-expressions.js";

export function* walkTry(walk: FlowWalk, node: NodeOf<"TryStatement">, before: Frontier): Step {
  const { block, handler, finalizer } = node;
  const around = walk.handler;
  const last = finalizer !== null && walk.held.isActive(finalizer) ? finalizer : undefined;
  const frame: Finally = { ways: new Set(), targets: new Set() };
  /** The target of throws that are not caught here. */
  const uncaught = last === undefined ? around : new Set<Way>();
  if (last !== undefined) walk.finallies.push(frame);
  const caught = new Set<Way>();
  walk.handler = handler === null ? uncaught : caught;
  let after: Frontier = yield [block, before];
  walk.handler = uncaught;
  if (handler !== null) after = yield walkCatch(walk, node, handler, after, [...caught]);
  walk.handler = around;
  if (last === undefined) return finalizer === null ? after : walk.pass(finalizer, after);
  walk.finallies.pop();
  const behind: Frontier = yield [last, union(after, [...uncaught], [...frame.ways])];
  if (uncaught.size > 0) walk.throw(behind);
  for (const each of frame.targets) walk.leave(each, behind);
  return after.length === 0 ? [] : behind;
}

/** The decision of a `try` comes after its block. */
function* walkCatch(
  walk: FlowWalk,
  node: NodeOf<"TryStatement">,
  handler: NodeOf<"CatchClause">,
  after: Frontier,
  caught: Frontier,
): Step {
  const parts = [handler.param, handler.body];
  // Failures of calls in the block are distinguished, even if the handler contains no calls.
  if (!walk.decides(handler.body) && !walk.held.holdsCall(node.block)) {
    const handled: Frontier = yield walkParts(walk, handler, parts, caught);
    return union(after, handled);
  }
  const decision = walk.graph.decision("try", "try", union(after, caught));
  walk.graph.sites.push({ kind: "try", id: walk.graph.id(decision), node });
  const handled: Frontier = yield walkParts(walk, handler, parts, [walk.graph.outcome(decision, "error")]);
  return union(after.length === 0 ? [] : [walk.graph.outcome(decision, "ok")], handled);
}
