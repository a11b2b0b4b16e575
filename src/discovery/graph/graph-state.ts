/**
 * The data of a node, and of all edges from one node to another.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { Provision } from "../../registry/provides.js";
import type { EdgeKind, GraphNode } from "../../registry/tool-graph.js";
import { baseOf, type Uses, usesIn, weightOf } from "./edge-weights.js";

export interface ToolSchemas {
  readonly inputSchema?: Json | undefined;
  readonly outputSchema?: Json | undefined;
}

export interface NodeState {
  isPresent: boolean;
  /** Only for a capability. */
  uses: Uses;
  schemas: ToolSchemas;
  /** The number of neighbours by sequence and data flow, without containment. */
  after: number;
  before: number;
}

export interface PairState {
  /** How many capabilities state that the second follows the first. */
  stated: number;
  contains: boolean;
  calls: boolean;
  uses: Uses;
  /** By source: a capability, or {@link BY_SCHEMA}. */
  provisions: Map<string, Provision> | undefined;
}

export interface GraphBounds {
  readonly nodes: number;
  /** The limit for sequence and data flow pairs of one node, in each direction. */
  readonly pairsOfNode: number;
  /** The limit for tools and capabilities in one capability. */
  readonly contents: number;
}

/** A node and its edges take about two kilobytes. */
export const BOUNDS: GraphBounds = { nodes: 200_000, pairsOfNode: 64, contents: 64 };

export const NEVER: Uses = { uses: 0, period: 0 };

/** The source for schemas, which sorts before every name. */
export const BY_SCHEMA = "";

export function newNode(): NodeState {
  return { isPresent: false, uses: NEVER, schemas: {}, after: 0, before: 0 };
}

export function newPair(): PairState {
  return { stated: 0, contains: false, calls: false, uses: NEVER, provisions: undefined };
}

/** Whether the second was used after the first, or code that ran states it. */
export function isFollowed({ stated, uses }: PairState): boolean {
  return stated > 0 || uses.uses > 0;
}

/** Whether one follows the other, or could provide its input. */
export function isFlow(pair: PairState): boolean {
  return isFollowed(pair) || pair.provisions !== undefined;
}

export function provide(pair: PairState, source: string, provision: Provision): void {
  pair.provisions ??= new Map();
  pair.provisions.set(source, provision);
}

export function unprovide(pair: PairState, source: string): void {
  pair.provisions?.delete(source);
  if (pair.provisions?.size === 0) pair.provisions = undefined;
}

/** The provision from schemas; otherwise from one of the capabilities, always the same one. */
function provisionOf({ provisions }: PairState): Provision | undefined {
  let first: string | undefined;
  for (const source of provisions?.keys() ?? []) if (first === undefined || source < first) first = source;
  return first === undefined ? undefined : provisions?.get(first);
}

export interface GraphEdge {
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly kind: EdgeKind;
  /** Between 0 and 1. */
  readonly weight: number;
  /** For `provides`: the coverage, the schemas, and which field goes where. */
  readonly provision?: Provision;
  readonly providerOutputSchema?: Json | undefined;
  readonly consumerInputSchema?: Json | undefined;
}

/** A node with its data. */
export type End = readonly [GraphNode, Readonly<Pick<NodeState, "uses" | "schemas">>];

/** The edges between two nodes, computed from their data: several kinds, each with its weight in a period. */
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

/**
 * Combines weights like independent probabilities: several edges bring two nodes nearer, and the sum never exceeds 1.
 */
export function weightTogether(edges: readonly GraphEdge[]): number {
  return 1 - edges.reduce((rest, { weight }) => rest * (1 - weight), 1);
}
