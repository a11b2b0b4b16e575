/**
 * The shortest way from one tool to another along what follows and what feeds: which tools usually lie between them.
 *
 * A strong edge is short, `1 / weight`: two steps that are taken all the time are nearer than one that was taken once.
 *
 * @module
 */
import type { GraphNode } from "../../registry/tool-graph.js";
import type { ToolGraph } from "./tool-graph.js";

/** Longer ways are no help to anybody. */
const STEPS = 5;
/** Nodes that are looked at: some milliseconds. */
const VISITS = 2_000;

interface Reached {
  readonly node: GraphNode;
  readonly length: number;
  readonly steps: number;
  readonly before: Reached | undefined;
}

/** Both ends included; nothing where there is no way, or none within bounds. */
export function shortestPath(
  graph: ToolGraph,
  from: GraphNode,
  to: GraphNode,
  period: number,
): readonly GraphNode[] | undefined {
  const done = new Set<GraphNode>();
  const open: Reached[] = [{ node: from, length: 0, steps: 0, before: undefined }];
  for (let visits = 0; visits < VISITS; ) {
    const at = takeShortest(open);
    if (at === undefined) return undefined;
    if (at.node === to) return pathTo(at);
    if (done.has(at.node)) continue;
    done.add(at.node);
    visits += 1;
    if (at.steps === STEPS) continue;
    for (const [node, length] of lengthsFrom(graph, at.node, period))
      if (!done.has(node)) push(open, { node, length: at.length + length, steps: at.steps + 1, before: at });
  }
  return undefined;
}

function lengthsFrom(graph: ToolGraph, node: GraphNode, period: number): ReadonlyMap<GraphNode, number> {
  const lengths = new Map<GraphNode, number>();
  for (const { to, kind, weight } of graph.edgesFrom(node, period)) {
    if ((kind !== "sequence" && kind !== "provides") || weight <= 0 || !graph.isPresent(to)) continue;
    lengths.set(to, Math.min(lengths.get(to) ?? Number.POSITIVE_INFINITY, 1 / weight));
  }
  return lengths;
}

function pathTo(end: Reached): readonly GraphNode[] {
  const path: GraphNode[] = [];
  for (let at: Reached | undefined = end; at !== undefined; at = at.before) path.push(at.node);
  return path.reverse();
}

/** A heap: the shortest stands first, of two the one whose name comes first. */
function push(heap: Reached[], reached: Reached): void {
  let at = heap.push(reached) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!swapIf(heap, parent, at)) break;
    at = parent;
  }
}

function takeShortest(heap: Reached[]): Reached | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  heap[0] = last;
  for (let at = 0; ; ) {
    const left = 2 * at + 1;
    const child = isShorter(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!swapIf(heap, at, child)) return first;
    at = child;
  }
}

/** Whether the lower one was shorter, and has changed places. */
function swapIf(heap: Reached[], upper: number, lower: number): boolean {
  const [one, other] = [heap[upper], heap[lower]];
  if (one === undefined || other === undefined || !isShorter(other, one)) return false;
  heap[upper] = other;
  heap[lower] = one;
  return true;
}

function isShorter(one: Reached | undefined, other: Reached | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.length < other.length || (one.length === other.length && one.node < other.node);
}
