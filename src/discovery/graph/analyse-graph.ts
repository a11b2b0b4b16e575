/**
 * All that is worked out of the whole graph at once.
 *
 * Of a thousand nodes it takes a third of a second, of ten thousand two: PageRank and Louvain's method are not to be
 * stopped half way. So it takes numbers and answers numbers, and can be run in another thread.
 *
 * @module
 */
import { capabilityClusters } from "./capability-clusters.js";
import { communities } from "./communities.js";
import type { GraphSnapshot } from "./graph-snapshot.js";
import { pageRank } from "./page-rank.js";

/** In the order of the nodes of the snapshot. */
export interface GraphAnalysis {
  /** How central each is, 1 in all. */
  readonly rank: Float64Array;
  /** The first node of the community that each is in. */
  readonly community: Uint32Array;
  /** The first capability of the cluster that each capability is in; of tools, themselves. */
  readonly cluster: Uint32Array;
}

export function analyseGraph(snapshot: GraphSnapshot): GraphAnalysis {
  const community = communities(snapshot);
  return { rank: pageRank(snapshot), community, cluster: capabilityClusters(snapshot, community) };
}

/** The same in the main thread, which it yields between parts. */
export async function analyseInTurns(snapshot: GraphSnapshot): Promise<GraphAnalysis> {
  const community = communities(snapshot);
  await new Promise(setImmediate);
  const rank = pageRank(snapshot);
  await new Promise(setImmediate);
  return { rank, community, cluster: capabilityClusters(snapshot, community) };
}
