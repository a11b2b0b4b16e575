/**
 * Which nodes belong together, by Louvain's method: more edges within a community than chance would have it.
 *
 * @module
 */
import { UndirectedGraph } from "graphology";
import * as louvainModule from "graphology-communities-louvain";
import type { GraphSnapshot } from "./graph-snapshot.js";
import { seededRandom } from "./seeded-random.js";

// The package is CommonJS: its types tell of a default that Node hands over as the module itself.
const louvain = louvainModule.default as unknown as typeof louvainModule.default.default;

/** Any will do, always the same. */
const SEED = 7;

/** In the order of the nodes: the first node of the community that each is in. */
export function communities({ isCapability, from, to, weight }: GraphSnapshot): Uint32Array {
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
