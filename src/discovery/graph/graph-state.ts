/**
 * What the graph holds of a node, and of all edges from one node to another.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { Provision } from "../../registry/provides.js";
import type { Uses } from "./edge-weights.js";

export interface ToolSchemas {
  readonly inputSchema?: Json | undefined;
  readonly outputSchema?: Json | undefined;
}

export interface NodeState {
  isPresent: boolean;
  /** Of a capability. */
  uses: Uses;
  schemas: ToolSchemas;
  /** Neighbours by what follows and feeds, without what contains. */
  after: number;
  before: number;
}

export interface PairState {
  /** How many capabilities say that the second follows the first. */
  stated: number;
  contains: boolean;
  calls: boolean;
  uses: Uses;
  /** By source: a capability, or {@link BY_SCHEMA}. */
  provisions: Map<string, Provision> | undefined;
}

export interface GraphBounds {
  readonly nodes: number;
  /** Of what follows and feeds one node, and of what it follows and is fed by. */
  readonly pairsOfNode: number;
  /** Tools and capabilities of one capability. */
  readonly contents: number;
}

/** A node and its edges take some two kilobytes. */
export const BOUNDS: GraphBounds = { nodes: 200_000, pairsOfNode: 64, contents: 64 };

export const NEVER: Uses = { uses: 0, period: 0 };

/** Schemas say so: it stands before every name. */
export const BY_SCHEMA = "";

export function newNode(): NodeState {
  return { isPresent: false, uses: NEVER, schemas: {}, after: 0, before: 0 };
}

export function newPair(): PairState {
  return { stated: 0, contains: false, calls: false, uses: NEVER, provisions: undefined };
}

/** Whether the second was used after the first, or code that ran says so. */
export function isFollowed({ stated, uses }: PairState): boolean {
  return stated > 0 || uses.uses > 0;
}

/** Whether one follows the other, or could feed it. */
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

/** What schemas say; else, of several capabilities, always the same. */
export function provisionOf({ provisions }: PairState): Provision | undefined {
  let first: string | undefined;
  for (const source of provisions?.keys() ?? []) if (first === undefined || source < first) first = source;
  return first === undefined ? undefined : provisions?.get(first);
}
