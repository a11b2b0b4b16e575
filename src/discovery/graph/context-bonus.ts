/**
 * How much likelier a candidate is for what was just used: what the graph adds to ranking where there is context.
 *
 * It is the chance that the candidate comes next, and nothing else. Tasks of public data sets, the first of their tools
 * as context and the others looked for, the graph learnt from the other tasks (nDCG@5): the chance adds 2.4 (0.0 to 6.0)
 * on LiveMCPBench, and on three other sets nothing that can be told from chance.
 * Communities take 22 on one of them, Adamic–Adar 0.3 on another: they suggest and do not rank. Without context it is
 * nothing. `docs/internal/retrieval.md` has the table.
 *
 * @module
 */
import type { GraphNode } from "../../registry/tool-graph.js";
import { chanceOf } from "./edge-weights.js";
import type { ToolGraph } from "./tool-graph.js";

/**
 * What a bonus of 1 is worth, in points of the fused rank. Twice that adds more (+3.9) on LiveMCPBench and takes
 * 0.3 on Seal-Tools: this is the side of caution.
 */
export const CONTEXT_WEIGHT = 4;

/** What was used before these is not asked any more. */
const CONTEXT_NODES = 8;

/** Between 0 and 1 for whatever has followed something of the context; what is not there has none. */
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
