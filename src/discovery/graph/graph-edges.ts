/**
 * Edges, as they are read out of what the graph holds of two nodes: several kinds between the same two, each with what
 * it weighs in a period.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { Provision } from "../../registry/provides.js";
import type { EdgeKind, GraphNode } from "../../registry/tool-graph.js";
import { baseOf, usesIn, weightOf } from "./edge-weights.js";
import { type NodeState, type PairState, provisionOf } from "./graph-state.js";

export interface GraphEdge {
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly kind: EdgeKind;
  /** Between 0 and 1. */
  readonly weight: number;
  /** Of `provides`: how much, of which schema into which, and which field goes where. */
  readonly provision?: Provision;
  readonly providerOutputSchema?: Json | undefined;
  readonly consumerInputSchema?: Json | undefined;
}

/** A node, and what the graph holds of it. */
export type End = readonly [GraphNode, Readonly<Pick<NodeState, "uses" | "schemas">>];

export function edgesOf(
  [from, giver]: End,
  [to, taker]: End,
  pair: Readonly<PairState>,
  period: number,
): readonly GraphEdge[] {
  const uses = usesIn(period, pair.uses.uses, pair.uses.period);
  const ownUses = usesIn(period, giver.uses.uses, giver.uses.period);
  const edges: GraphEdge[] = [];
  if (pair.calls)
    edges.push({ from, to, kind: "dependency", weight: weightOf(baseOf("dependency"), ownUses) });
  if (pair.contains)
    edges.push({ from, to, kind: "contains", weight: weightOf(baseOf("contains"), ownUses) });
  if (pair.stated > 0 || uses > 0) {
    const base = pair.stated > 0 ? baseOf("sequence") : 0;
    edges.push({ from, to, kind: "sequence", weight: weightOf(base, uses) });
  }
  const provision = provisionOf(pair);
  if (provision !== undefined)
    edges.push({
      from,
      to,
      kind: "provides",
      weight: weightOf(baseOf("provides", provision.coverage), uses),
      provision,
      providerOutputSchema: giver.schemas.outputSchema,
      consumerInputSchema: taker.schemas.inputSchema,
    });
  return edges;
}

/** As if each edge were a chance by itself: several edges make two nodes nearer, and none brings them beyond 1. */
export function weightTogether(edges: readonly GraphEdge[]): number {
  return 1 - edges.reduce((rest, { weight }) => rest * (1 - weight), 1);
}
