/**
 * All computations over the whole graph.
 *
 * They take a third of a second for a thousand nodes, two seconds for ten thousand, and PageRank and Louvain's method
 * cannot be interrupted. So the input and output are numbers, and it can run in another thread.
 *
 * @module
 */
import { DirectedGraph, UndirectedGraph } from "graphology";
import * as louvainModule from "graphology-communities-louvain";
import * as pagerankModule from "graphology-metrics/centrality/pagerank.js";
import { capabilityClusters, seededRandom } from "./capability-clusters.js";
import type { GraphSnapshot } from "./graph-snapshot.js";

/** In the order of the snapshot's nodes. */
export interface GraphAnalysis {
  /** The centrality of each node; the sum is 1. */
  readonly rank: Float64Array;
  /** For each node, the first node of its community. */
  readonly community: Uint32Array;
  /** For each capability, the first capability of its cluster; for tools, themselves. */
  readonly cluster: Uint32Array;
}

export function analyseGraph(snapshot: GraphSnapshot): GraphAnalysis {
  const community = communities(snapshot);
  return { rank: pageRank(snapshot), community, cluster: capabilityClusters(snapshot, community) };
}

/** The same in the main thread, yielding between parts. */
export async function analyseInTurns(snapshot: GraphSnapshot): Promise<GraphAnalysis> {
  const community = communities(snapshot);
  await new Promise(setImmediate);
  const rank = pageRank(snapshot);
  await new Promise(setImmediate);
  return { rank, community, cluster: capabilityClusters(snapshot, community) };
}

// The package is CommonJS: its types declare a default export, which Node passes as the module itself.
const louvain = louvainModule.default as unknown as typeof louvainModule.default.default;

/** Any constant number. */
const SEED = 7;

/** In the order of the nodes: for each, the first node of its community. */
function communities({ isCapability, from, to, weight }: GraphSnapshot): Uint32Array {
  const size = isCapability.length;
  const found = Uint32Array.from({ length: size }, (_, node) => node);
  if (from.length === 0) return found;
  const graph = new UndirectedGraph<Record<string, never>, { weight: number }>();
  for (const [index, source] of from.entries()) {
    const [one, other] = [String(source), String(to[index])];
    graph.mergeNode(one);
    graph.mergeNode(other);
    const more = weight[index] ?? 0;
    graph.updateEdge(one, other, ({ weight: known = 0 }) => ({ weight: known + more }));
  }
  const labels = louvain(graph, { getEdgeWeight: "weight", rng: seededRandom(SEED) });
  const first = new Map<number, number>();
  for (let node = 0; node < size; node += 1) {
    const label = labels[String(node)];
    if (label === undefined) continue;
    if (!first.has(label)) first.set(label, node);
    found[node] = first.get(label) ?? node;
  }
  return found;
}

// The package is CommonJS: its types declare a default export, which Node passes as the module itself.
const pagerank = pagerankModule.default as unknown as typeof pagerankModule.default.default;

const ALPHA = 0.85;
const ITERATIONS = 100;
/** The sum of changes over all nodes may still be this times their number. */
const TOLERANCE = 1e-6;

/** In the order of the nodes; the sum is 1. */
function pageRank({ isCapability, from, to, weight }: GraphSnapshot): Float64Array {
  const size = isCapability.length;
  const graph = new DirectedGraph<Record<string, never>, { weight: number }>();
  for (let node = 0; node < size; node += 1) graph.addNode(String(node));
  for (const [index, source] of from.entries())
    graph.addEdge(String(source), String(to[index]), { weight: weight[index] ?? 0 });
  const ranks = new Float64Array(size);
  if (size === 0) return ranks;
  const options = { alpha: ALPHA, maxIterations: ITERATIONS, tolerance: TOLERANCE };
  const found = pagerank(graph, { ...options, getEdgeWeight: "weight" });
  for (let node = 0; node < size; node += 1) ranks[node] = found[String(node)] ?? 0;
  return ranks;
}
