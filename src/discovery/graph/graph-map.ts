/**
 * The graph as a map for people: the nodes that a viewer may see, their positions, and the edges between
 * them.
 *
 * A map is computed in another thread, and cached until the graph has changed. Until a new map is ready,
 * viewers get the cached one.
 *
 * @module
 */
import { keepNewest } from "../../base/keep-newest.js";
import type { GraphNode } from "../../registry/tool-graph.js";
import type { GraphDrawing } from "./draw-graph.js";
import { periodOf } from "./edge-weights.js";
import { type GraphSnapshot, takeSnapshot } from "./graph-snapshot.js";
import type { GraphEdge } from "./graph-state.js";
import type { ToolGraph } from "./tool-graph.js";

export interface MappedNode {
  readonly node: GraphNode;
  readonly x: number;
  readonly y: number;
  /** 1 is average. */
  readonly rank: number;
  /** Equal for all nodes of one community. */
  readonly community: number;
}

interface MappedEdge extends Pick<GraphEdge, "kind" | "weight"> {
  /** Indexes into the list of nodes. */
  readonly from: number;
  readonly to: number;
}

export interface GraphMap {
  readonly nodes: readonly MappedNode[];
  readonly edges: readonly MappedEdge[];
  /** The number of visible nodes. */
  readonly totalNodes: number;
  readonly drawnAt: Date;
}

export const MAPPED_NODES = 5_000;
const MAPPED_EDGES = 20_000;
/** Maps of different viewers. */
const MAPS_KEPT = 8;
/** A map that is not older than this is not computed again. */
const FRESH_MS = 5_000;

interface KeptMap {
  latest: GraphMap | undefined;
  changes: number;
  working: Promise<GraphMap> | undefined;
}

export class GraphMaps {
  readonly #graph: ToolGraph;
  readonly #draw: (snapshot: GraphSnapshot) => Promise<GraphDrawing>;
  readonly #upToDate: () => Promise<void>;
  readonly #maps = new Map<string, KeptMap>();

  /**
   * `upToDate` resolves when the graph has the current tools and capabilities: it is called first, because
   * nothing else may have loaded them yet.
   */
  constructor(
    graph: ToolGraph,
    draw: (snapshot: GraphSnapshot) => Promise<GraphDrawing>,
    upToDate: () => Promise<void>,
  ) {
    this.#graph = graph;
    this.#draw = draw;
    this.#upToDate = upToDate;
  }

  /** `viewer` identifies viewers who may see the same nodes. */
  async of(viewer: string, isSeen: (node: GraphNode) => boolean): Promise<GraphMap> {
    await this.#upToDate();
    const kept = this.#maps.get(viewer) ?? { latest: undefined, changes: -1, working: undefined };
    keepNewest(this.#maps, viewer, kept, MAPS_KEPT);
    const { latest } = kept;
    if (latest !== undefined && kept.changes === this.#graph.changes) return latest;
    if (latest !== undefined && Date.now() - latest.drawnAt.getTime() < FRESH_MS) return latest;
    kept.working ??= this.#make(kept, isSeen).finally(() => {
      kept.working = undefined;
    });
    if (latest === undefined) return await kept.working;
    kept.working.catch(() => {});
    return latest;
  }

  async #make(kept: KeptMap, isSeen: (node: GraphNode) => boolean): Promise<GraphMap> {
    const { changes } = this.#graph;
    const period = periodOf(Date.now());
    const { nodes, snapshot } = await takeSnapshot(this.#graph, period);
    const seen = nodes.flatMap((node, place) => (this.#graph.isPresent(node) && isSeen(node) ? [place] : []));
    const shown = mostConnected(seen, snapshot);
    const part = partOf(snapshot, shown);
    const { rank, community, x, y } = await this.#draw(part);
    const edges = Array.from(part.from).flatMap((from, index): readonly MappedEdge[] => {
      const to = part.to[index] ?? 0;
      const [one, other] = [nodes[shown[from] ?? 0], nodes[shown[to] ?? 0]];
      const between = one && other ? this.#graph.edgesBetween(one, other, period) : [];
      const strongest = between.toSorted((a, b) => b.weight - a.weight)[0];
      if (strongest === undefined) return [];
      return [{ from, to, kind: strongest.kind, weight: part.weight[index] ?? 0 }];
    });
    kept.latest = {
      nodes: shown.flatMap((place, index) => {
        const node = nodes[place];
        if (node === undefined) return [];
        return [
          {
            node,
            x: x[index] ?? 0,
            y: y[index] ?? 0,
            rank: (rank[index] ?? 0) * shown.length,
            community: community[index] ?? 0,
          },
        ];
      }),
      edges: edges.toSorted((a, b) => b.weight - a.weight).slice(0, MAPPED_EDGES),
      totalNodes: seen.length,
      drawnAt: new Date(),
    };
    kept.changes = changes;
    return kept.latest;
  }
}

/** If there are too many nodes, those with the most connections, in their order. */
function mostConnected(places: readonly number[], { from, to }: GraphSnapshot): readonly number[] {
  if (places.length <= MAPPED_NODES) return places;
  const degree = new Map<number, number>();
  for (const ends of [from, to]) for (const end of ends) degree.set(end, (degree.get(end) ?? 0) + 1);
  return places
    .toSorted((a, b) => (degree.get(b) ?? 0) - (degree.get(a) ?? 0) || a - b)
    .slice(0, MAPPED_NODES)
    .toSorted((a, b) => a - b);
}

function partOf({ isCapability, from, to, weight }: GraphSnapshot, places: readonly number[]): GraphSnapshot {
  const placed = new Map(places.map((place, index) => [place, index]));
  const kept = Array.from(from.keys()).flatMap((index) => {
    const one = placed.get(from[index] ?? -1);
    const other = placed.get(to[index] ?? -1);
    return one === undefined || other === undefined ? [] : [[one, other, weight[index] ?? 0] as const];
  });
  return {
    isCapability: Uint8Array.from(places, (place) => isCapability[place] ?? 0),
    from: Uint32Array.from(kept, ([one]) => one),
    to: Uint32Array.from(kept, ([, other]) => other),
    weight: Float64Array.from(kept, ([, , value]) => value),
  };
}
