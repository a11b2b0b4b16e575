/**
 * The ports around the graph of tools and capabilities: its inputs, its store, and its answers.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Fqdn } from "./fqdn.js";
import type { Provision } from "./provides.js";
import type { ToolId } from "./tool-id.js";

/** Ids of tools have a colon, FQDNs have none: one string says which it is. */
export type GraphNode = ToolId | Fqdn;

export type EdgeKind = "dependency" | "contains" | "sequence" | "provides";

export function isToolNode(node: GraphNode): node is ToolId {
  return node.includes(":");
}

export interface ProvidesLink extends Provision {
  readonly from: GraphNode;
  readonly to: GraphNode;
}

/** What the code of a capability says about what it calls. */
export interface CodeLinks {
  /** The second may be called right after the first; both may be the same. */
  readonly sequences: readonly (readonly [GraphNode, GraphNode])[];
  readonly provides: readonly ProvidesLink[];
}

/** Which tools could feed which, by their schemas. */
export interface SchemaLinks {
  put(tool: ToolId, inputSchema: Json | undefined, outputSchema: Json | undefined): void;
  remove(tool: ToolId): void;
  /** Those whose links may have changed since this was last asked, as they are now; gone ones have none. */
  takeChanged(): readonly ToolId[];
  linksFrom(tool: ToolId): readonly ProvidesLink[];
}

/**
 * How often one thing was used right after another. Old uses count less: `uses` is worth half as much with every
 * period that passes after `period`.
 */
export interface ObservedSequence {
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly uses: number;
  readonly period: number;
}

/** Where observed sequences are kept. Passes `test/suites/graph-store.suite.ts`. */
export interface GraphStore {
  /** Adds to what is kept; what several gateways add at once adds up. */
  add(observed: readonly ObservedSequence[]): Promise<void>;
  /** The strongest `most`, and a mark of when this was. */
  load(most: number): Promise<GraphPage>;
  /** The current state of entries changed since the mark; some may be repeated. */
  since(mark: Date, most: number): Promise<GraphPage>;
  /** What analysis has found in the newest code of these, as it was kept. */
  structures(fqdns: readonly Fqdn[]): Promise<ReadonlyMap<Fqdn, Json>>;
  /** Forgets what is worth less than `least` in this period; answers how many that were. */
  prune(period: number, least: number): Promise<number>;
}

export interface GraphPage {
  readonly observed: readonly ObservedSequence[];
  readonly mark: Date;
}

/** A suggestion: what is often used together with the given context. */
export interface GraphSuggestion {
  /** `next`: often follows. `takes`: can take what was given. `related`: used together with the same. `group`: of one community. */
  readonly why: "next" | "takes" | "related" | "group";
  readonly node: GraphNode;
  /** What of the context it goes with. */
  readonly with: GraphNode;
  /** Between 0 and 1. */
  readonly confidence: number;
  /** Which fields of the result of `with` it can take. */
  readonly provision?: Provision;
}

export interface SuggestOptions {
  /** Whether it may be shown. Asked before the list is cut, so that hidden entries do not displace visible ones. */
  readonly accepts: (node: GraphNode) => boolean;
  /** Whether it destroys something: then it is suggested only where it was really used after what was used. */
  readonly isDestructive?: (node: GraphNode) => boolean;
  /** How well a capability has done so far, between 0 and 1. */
  readonly reliability: (node: GraphNode) => number;
  /** Less sure ones are left out. */
  readonly threshold: number;
  readonly most: number;
}

/** The port to the source of suggestions. */
export interface Suggester {
  /** For what was just used, the last thing last. Surest first, each once. */
  suggest(context: readonly GraphNode[], options: SuggestOptions): Promise<readonly GraphSuggestion[]>;
}
