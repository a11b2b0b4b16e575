/**
 * Computes the position of each node in a drawing of the graph, its centrality and its community.
 *
 * Nodes start near the middle of their community, so that few steps are enough, and the same graph gives the same
 * drawing.
 *
 * @module
 */
import { UndirectedGraph } from "graphology";
import * as forceModule from "graphology-layout-forceatlas2";
import { analyseGraph } from "./analyse-graph.js";
import { seededRandom } from "./capability-clusters.js";
import type { GraphSnapshot } from "./graph-snapshot.js";

/** In the order of the snapshot's nodes. */
export interface GraphDrawing {
  /** The centrality of each node; the sum is 1. */
  readonly rank: Float64Array;
  /** For each node, the first node of its community. */
  readonly community: Uint32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
}

// The package is CommonJS: its types declare a default export, which Node passes as the module itself.
const forceAtlas2 = forceModule.default as unknown as typeof forceModule.default & {
  readonly default?: typeof forceModule.default;
};
const layOut = forceAtlas2.default ?? forceAtlas2;

const SEED = 11;
/** Steps times nodes: a few seconds in a thread. */
const WORK = 300_000;
const STEPS_LEAST = 40;
const STEPS_MOST = 300;
/** From this many nodes on, distant nodes are approximated as one. */
const APPROXIMATE_FROM = 200;

export function drawGraph(snapshot: GraphSnapshot): GraphDrawing {
  const { rank, community } = analyseGraph(snapshot);
  const size = rank.length;
  const x = new Float32Array(size);
  const y = new Float32Array(size);
  const graph = new UndirectedGraph<{ x: number; y: number }, { weight: number }>();
  const random = seededRandom(SEED);
  const around = Math.sqrt(size) * 10;
  for (let node = 0; node < size; node += 1) {
    // The golden angle spreads the middles evenly.
    const angle = (community[node] ?? 0) * 2.399963;
    const far = around * Math.sqrt(((community[node] ?? 0) + 1) / size);
    graph.addNode(String(node), {
      x: Math.cos(angle) * far + random() * 10,
      y: Math.sin(angle) * far + random() * 10,
    });
  }
  for (const [index, source] of snapshot.from.entries()) {
    const [one, other] = [String(source), String(snapshot.to[index])];
    if (one === other) continue;
    const more = snapshot.weight[index] ?? 0;
    graph.updateEdge(one, other, ({ weight: known = 0 }) => ({ weight: known + more }));
  }
  const iterations = Math.max(STEPS_LEAST, Math.min(STEPS_MOST, Math.round(WORK / Math.max(1, size))));
  const settings = { ...layOut.inferSettings(graph), barnesHutOptimize: size >= APPROXIMATE_FROM };
  const places = size === 0 ? {} : layOut(graph, { iterations, settings, getEdgeWeight: "weight" });
  for (let node = 0; node < size; node += 1) {
    x[node] = places[String(node)]?.x ?? 0;
    y[node] = places[String(node)]?.y ?? 0;
  }
  return { rank, community, x, y };
}
