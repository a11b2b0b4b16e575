/**
 * How much two nodes have in common, after Adamic and Adar: every neighbour that both have counts, and counts less the
 * more neighbours it has itself.
 *
 * Neighbours are what was really used together. That schemas agree says what could be: tools of one server mostly take
 * and give the same few things, and would all have all of them in common.
 *
 * @module
 */
import type { GraphNode } from "../../registry/tool-graph.js";
import type { ToolGraph } from "./tool-graph.js";

/** What has more neighbours than this says next to nothing about any two of them, and takes long to look through. */
const HUB = 1_000;

/** Everything that shares a neighbour with a node, with how much. */
export function adamicAdar(graph: ToolGraph, node: GraphNode): ReadonlyMap<GraphNode, number> {
  const scores = new Map<GraphNode, number>();
  for (const shared of distinct(graph, node)) {
    const others = neighbours(graph, shared);
    if (others === undefined) continue;
    // Of two that share it, it has these two at least.
    const worth = 1 / Math.log(Math.max(2, others.size));
    for (const other of others) if (other !== node) scores.set(other, (scores.get(other) ?? 0) + worth);
  }
  return scores;
}

/** Of a hub those alone that follow it or are followed by it, of which there are few. */
function distinct(graph: ToolGraph, node: GraphNode): ReadonlySet<GraphNode> {
  const found = new Set<GraphNode>();
  const add = (neighbour: GraphNode) => found.add(neighbour);
  if (graph.degree(node) > HUB) graph.forEachFollowed(node, add);
  else graph.forEachUsedWith(node, add);
  return found;
}

function neighbours(graph: ToolGraph, node: GraphNode): ReadonlySet<GraphNode> | undefined {
  if (graph.degree(node) > HUB) return undefined;
  return distinct(graph, node);
}
