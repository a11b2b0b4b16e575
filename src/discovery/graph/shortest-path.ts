/**
 * The shortest path from one tool to another along sequence and data flow edges: which tools usually come between them.
 *
 * A strong edge is short, `1 / weight`: two steps that are taken all the time are nearer than one that was taken once.
 *
 * @module
 */
import type { GraphNode } from "../../registry/tool-graph.js";
import type { ToolGraph } from "./tool-graph.js";

/** Longer paths are not useful. */
const STEPS = 5;
/** The maximum of visited nodes: some milliseconds. */
const VISITS = 2_000;

interface Reached {
  readonly node: GraphNode;
  readonly length: number;
  readonly steps: number;
  readonly before: Reached | undefined;
}

/** Includes both ends; undefined if there is no path, or none within the limits. */
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

/** A heap: the shortest is first, with ties sorted by name. */
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

/** Swaps the two if the lower one is shorter, and returns whether it did. */
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
