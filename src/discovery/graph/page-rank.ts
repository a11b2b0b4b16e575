/**
 * How central each node is: what central nodes lead to is central.
 *
 * @module
 */
import { DirectedGraph } from "graphology";
import * as pagerankModule from "graphology-metrics/centrality/pagerank.js";
import type { GraphSnapshot } from "./graph-snapshot.js";

// The package is CommonJS: its types tell of a default that Node hands over as the module itself.
const pagerank = pagerankModule.default as unknown as typeof pagerankModule.default.default;

const ALPHA = 0.85;
const ITERATIONS = 100;
/** Summed over all nodes, this much times their number may still change. */
const TOLERANCE = 1e-6;

/** In the order of the nodes; 1 in all. */
export function pageRank({ isCapability, from, to, weight }: GraphSnapshot): Float64Array {
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
