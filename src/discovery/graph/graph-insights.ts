/**
 * Results computed from the whole graph, cached until the graph has changed.
 *
 * Callers do not wait: they get the latest known results, even if they are old. If the graph has changed
 * since, the results are computed again in the background. A few changes do not count: the uses that one run
 * adds hardly change the results.
 *
 * @module
 */
import { type GraphNode, isToolNode } from "../../registry/tool-graph.js";
import { analyseInTurns, type GraphAnalysis } from "./analyse-graph.js";
import { periodOf } from "./edge-weights.js";
import { type GraphSnapshot, takeSnapshot } from "./graph-snapshot.js";
import type { ToolGraph } from "./tool-graph.js";

/** The results at one moment. */
export interface Insight {
  /** Times the number of nodes: 1 is average. */
  rankOf(node: GraphNode): number;
  communityOf(node: GraphNode): number | undefined;
  clusterOf(node: GraphNode): number | undefined;
  /** The most central first. */
  capabilitiesOf(community: number): readonly GraphNode[];
}

export interface InsightOptions {
  readonly now?: () => number;
  /** Runs the analysis in another thread; default: in this one, in parts. */
  readonly analyse?: (snapshot: GraphSnapshot) => Promise<GraphAnalysis>;
  /** The share of all pairs that must have changed before it is computed again. */
  readonly changedShare?: number;
}

/** Per community. */
const CAPABILITIES = 50;

export class GraphInsights {
  readonly #graph: ToolGraph;
  readonly #now: () => number;
  readonly #analyse: (snapshot: GraphSnapshot) => Promise<GraphAnalysis>;
  readonly #changedShare: number;
  #latest: Insight | undefined;
  #changes = -1;
  #period = -1;
  #working: Promise<void> | undefined;

  constructor(graph: ToolGraph, options: InsightOptions = {}) {
    this.#graph = graph;
    this.#now = options.now ?? Date.now;
    this.#analyse = options.analyse ?? analyseInTurns;
    this.#changedShare = options.changedShare ?? 0.01;
  }

  /** The latest results; undefined until they were computed once. */
  latest(): Insight | undefined {
    if (this.#isStale()) this.#work().catch(() => {});
    return this.#latest;
  }

  /** Resolves when the results belong to the current graph, or nearly. */
  async fresh(): Promise<Insight | undefined> {
    if (this.#isStale()) await this.#work();
    return this.#latest;
  }

  #isStale(): boolean {
    if (this.#changes === -1 || this.#period !== periodOf(this.#now())) return true;
    return this.#graph.changes - this.#changes > this.#graph.pairCount * this.#changedShare;
  }

  #work(): Promise<void> {
    this.#working ??= this.#renew().finally(() => {
      this.#working = undefined;
    });
    return this.#working;
  }

  async #renew(): Promise<void> {
    // The caller continues first.
    await new Promise(setImmediate);
    const { changes } = this.#graph;
    const period = periodOf(this.#now());
    const { nodes, snapshot } = await takeSnapshot(this.#graph, period);
    // Set before the analysis ends, so that a failed one is not retried with every call.
    this.#changes = changes;
    this.#period = period;
    this.#latest = insightOf(nodes, await this.#analyse(snapshot));
  }
}

function insightOf(nodes: readonly GraphNode[], { rank, community, cluster }: GraphAnalysis): Insight {
  const places = new Map(nodes.map((node, index) => [node, index]));
  const members = new Map<number, number[]>();
  for (const [index, node] of nodes.entries()) {
    if (isToolNode(node)) continue;
    const own = community[index] ?? 0;
    const known = members.get(own);
    if (known === undefined) members.set(own, [index]);
    else known.push(index);
  }
  const central = new Map(
    Array.from(members, ([own, indexes]) => {
      indexes.sort((a, b) => (rank[b] ?? 0) - (rank[a] ?? 0) || a - b);
      return [own, indexes.slice(0, CAPABILITIES).flatMap((index) => nodes[index] ?? [])] as const;
    }),
  );
  const at = <T>(values: ArrayLike<T>, node: GraphNode): T | undefined => {
    const place = places.get(node);
    return place === undefined ? undefined : values[place];
  };
  return {
    rankOf: (node) => (at(rank, node) ?? 0) * nodes.length,
    communityOf: (node) => at(community, node),
    clusterOf: (node) => at(cluster, node),
    capabilitiesOf: (own) => central.get(own) ?? [],
  };
}
