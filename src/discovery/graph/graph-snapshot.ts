/**
 * The graph at one moment, as plain numbers: computations over the whole graph may take seconds, and then run
 * in another thread.
 *
 * Nodes are in the order of their ids and edges in the order of their nodes, so that the same graph gives the
 * same snapshot in every order of insertion.
 *
 * @module
 */
import { type GraphNode, isToolNode } from "../../registry/tool-graph.js";
import type { ToolGraph } from "./tool-graph.js";

/** Can be passed to another thread unchanged. */
export interface GraphSnapshot {
  /** For each node whether it is a capability. */
  readonly isCapability: Uint8Array;
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly weight: Float64Array;
}

export interface NamedSnapshot {
  readonly nodes: readonly GraphNode[];
  readonly snapshot: GraphSnapshot;
}

/** Takes a few milliseconds. */
const AT_ONCE = 1_000;

/** Yields to other work in between. A concurrent change may be missing here; it is in the next snapshot. */
export async function takeSnapshot(graph: ToolGraph, period: number): Promise<NamedSnapshot> {
  const nodes = graph.nodes();
  const places = new Map(nodes.map((node, index) => [node, index]));
  const from: number[] = [];
  const to: number[] = [];
  const weight: number[] = [];
  for (const [index, node] of nodes.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
    for (const [other, value] of graph.weightsFrom(node, period)) {
      const place = places.get(other);
      if (place === undefined || place === index) continue;
      from.push(index);
      to.push(place);
      weight.push(value);
    }
  }
  return {
    nodes,
    snapshot: {
      isCapability: Uint8Array.from(nodes, (node) => Number(!isToolNode(node))),
      from: Uint32Array.from(from),
      to: Uint32Array.from(to),
      weight: Float64Array.from(weight),
    },
  };
}
