/**
 * How much likelier a candidate is after the last uses: the graph's part in ranking if there is context.
 *
 * It is only the probability that the candidate comes next. It was measured on tasks of public data sets (nDCG@5): the
 * first tools of a task are the context, the others are searched, and the graph is learnt from the other tasks. The
 * probability adds 2.4 (0.0 to 6.0) on LiveMCPBench; on three other sets the effect is within chance. Communities cost
 * 22 points on one of these sets and Adamic–Adar 0.3 on another, so both are used only for suggestions. Without context
 * there is no bonus. `docs/internal/retrieval.md` has the table.
 *
 * @module
 */
import type { GraphNode } from "../../registry/tool-graph.js";
import { chanceOf } from "./edge-weights.js";
import type { ToolGraph } from "./tool-graph.js";

/**
 * The weight of a bonus of 1, in points of the fused rank. Twice the weight adds more on LiveMCPBench (+3.9) but costs
 * 0.3 on Seal-Tools, so this is the cautious choice.
 */
export const CONTEXT_WEIGHT = 4;

/** Earlier uses are ignored. */
const CONTEXT_NODES = 8;

/** Between 0 and 1 for each node that has followed a node of the context; other nodes have no bonus. */
export function contextBonuses(
  graph: ToolGraph,
  context: readonly GraphNode[],
  period: number,
): ReadonlyMap<GraphNode, number> {
  const bonuses = new Map<GraphNode, number>();
  for (const used of context.slice(-CONTEXT_NODES)) {
    const followers = graph.followers(used, period);
    let total = 0;
    for (const uses of followers.values()) total += uses;
    for (const [node, uses] of followers)
      bonuses.set(node, Math.max(bonuses.get(node) ?? 0, chanceOf(uses, total)));
  }
  return bonuses;
}
