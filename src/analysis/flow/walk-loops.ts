/**
 * Loops in a walk: the body once, and from its end to the code after it.
 *
 * @module
 */
import { type Node, withoutTypes } from "../syntax/ast.js";
import { type Frontier, union } from "./flow-graph.js";
import type { LoopStatement } from "./flow-site.js";
import type { Breakable, FlowWalk, Step } from "./flow-walk.js";

const LOOP_WORDS = { ForStatement: "for", WhileStatement: "while", DoWhileStatement: "do" } as const;

export function* walkLoop(walk: FlowWalk, node: LoopStatement, before: Frontier): Step {
  const labels = walk.takeLabels();
  let at = before;
  if (node.type === "ForStatement" && node.init !== null) at = yield [node.init, at];
  const isEach = node.type === "ForOfStatement" || node.type === "ForInStatement";
  if (isEach) at = yield [node.right, at];
  if (isEach && walk.held.mayThrow(node)) walk.throw(at);
  const loop = walk.held.holdsCall(isEach ? node.body : node) ? loopNode(walk, node, at) : undefined;
  const skipped: Frontier = loop === undefined ? at : [walk.graph.next(loop)];
  const inside: Frontier = loop === undefined ? at : [{ from: loop, type: "contains" }];
  const breakable: Breakable = { labels, breaks: walk.target(), continues: walk.target(), isPlain: true };
  walk.breakables.push(breakable);
  if (loop !== undefined) walk.graph.within.push(walk.graph.id(loop));
  const out = yield walkLoopBody(node, breakable, inside, skipped);
  if (loop !== undefined) walk.graph.within.pop();
  walk.breakables.pop();
  return union(out, [...breakable.breaks.ways]);
}

/** One iteration, as if there were no other; returns the ways out other than `break`. */
function* walkLoopBody(
  node: LoopStatement,
  { continues }: Breakable,
  inside: Frontier,
  skipped: Frontier,
): Step {
  const ended = (end: Frontier): Frontier => union(end, [...(continues?.ways ?? [])]);
  switch (node.type) {
    case "ForInStatement":
    case "ForOfStatement": {
      const at: Frontier = yield [node.left, inside];
      return union(skipped, ended(yield [node.body, at]));
    }
    case "DoWhileStatement": {
      const end = ended(yield [node.body, inside]);
      const at: Frontier = yield [node.test, end];
      return isAlways(node.test) ? [] : at;
    }
    default: {
      const { test } = node;
      const at: Frontier = test === null ? inside : yield [test, inside];
      let end = ended(yield [node.body, at]);
      if (node.type === "ForStatement" && node.update !== null) end = yield [node.update, end];
      if (test === null || isAlways(test)) return [];
      return union(at === inside ? skipped : at, end);
    }
  }
}

function loopNode(walk: FlowWalk, node: LoopStatement, at: Frontier): number {
  const { kind, over } = describe(walk, node);
  const id = walk.graph.newId("l");
  walk.graph.sites.push({ kind: "loop", id, node });
  return walk.graph.add({ id, type: "loop", kind, ...(over === undefined ? {} : { over }) }, at);
}

function describe(walk: FlowWalk, node: LoopStatement): { readonly kind: string; readonly over?: string } {
  if (node.type === "ForOfStatement") return { kind: "for-of", over: walk.text(node.right) };
  if (node.type === "ForInStatement") return { kind: "for-in", over: walk.text(node.right) };
  const kind = LOOP_WORDS[node.type];
  return node.test === null ? { kind } : { kind, over: walk.text(node.test) };
}

/** Whether a condition is written as always true. */
function isAlways(test: Node): boolean {
  const { type, value } = withoutTypes(test) as { readonly type: string; readonly value?: unknown };
  return type === "Literal" && Boolean(value);
}
