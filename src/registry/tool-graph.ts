/**
 * The ports around the graph of tools and capabilities: its inputs, its store, and its answers.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Fqdn } from "./fqdn.js";
import type { Provision } from "./provides.js";
import type { ToolId } from "./tool-id.js";

/** Ids of tools contain a colon, FQDNs do not: so the string itself tells them apart. */
export type GraphNode = ToolId | Fqdn;

export type EdgeKind = "dependency" | "contains" | "sequence" | "provides";

export function isToolNode(node: GraphNode): node is ToolId {
  return node.includes(":");
}

export interface ProvidesLink extends Provision {
  readonly from: GraphNode;
  readonly to: GraphNode;
}

/** What a capability's code shows about its callees. */
export interface CodeLinks {
  /** The second node may be called right after the first; both may be equal. */
  readonly sequences: readonly (readonly [GraphNode, GraphNode])[];
  readonly provides: readonly ProvidesLink[];
}

/** Which tools could feed which, according to their schemas. */
export interface SchemaLinks {
  put(tool: ToolId, inputSchema: Json | undefined, outputSchema: Json | undefined): void;
  remove(tool: ToolId): void;
  /** The current links of tools whose links may have changed since the last call; removed tools have none. */
  takeChanged(): readonly ToolId[];
  linksFrom(tool: ToolId): readonly ProvidesLink[];
}

/**
 * How often one node was used right after another. Old uses count less: the value of `uses` halves with every period
 * after `period`.
 */
export interface ObservedSequence {
  readonly from: GraphNode;
  readonly to: GraphNode;
  readonly uses: number;
  readonly period: number;
}

/** The port to the storage of observed sequences. Passes `test/suites/graph-store.suite.ts`. */
export interface GraphStore {
  /** Adds to the stored values; concurrent additions of several gateways add up. */
  add(observed: readonly ObservedSequence[]): Promise<void>;
  /** The strongest `most`, and a mark of the time of reading. */
  load(most: number): Promise<GraphPage>;
  /** The current state of entries changed since the mark; some may be repeated. */
  since(mark: Date, most: number): Promise<GraphPage>;
  /** The stored structures of the newest code of these capabilities. */
  structures(fqdns: readonly Fqdn[]): Promise<ReadonlyMap<Fqdn, Json>>;
  /** Deletes entries with a value below `least` in this period; returns how many. */
  prune(period: number, least: number): Promise<number>;
}

export interface GraphPage {
  readonly observed: readonly ObservedSequence[];
  readonly mark: Date;
}

/** A suggestion: what is often used together with the given context. */
export interface GraphSuggestion {
  /**
   * `next`: often follows. `takes`: can take a given result. `related`: used together with the same nodes. `group`:
   * same community.
   */
  readonly why: "next" | "takes" | "related" | "group";
  readonly node: GraphNode;
  /** The node of the context that it belongs to. */
  readonly with: GraphNode;
  /** Between 0 and 1. */
  readonly confidence: number;
  /** Which fields of the result of `with` it can take. */
  readonly provision?: Provision;
}

export interface SuggestOptions {
  /** Whether it may be shown. Asked before the list is cut, so that hidden entries do not displace visible ones. */
  readonly accepts: (node: GraphNode) => boolean;
  /** Whether it is destructive: then it is suggested only if it was really used after the context. */
  readonly isDestructive?: (node: GraphNode) => boolean;
  /** The success of a capability so far, between 0 and 1. */
  readonly reliability: (node: GraphNode) => number;
  /** Suggestions below this confidence are omitted. */
  readonly threshold: number;
  readonly most: number;
}

/** The port to the source of suggestions. */
export interface Suggester {
  /** For recently used nodes, the latest last. Highest confidence first, without duplicates. */
  suggest(context: readonly GraphNode[], options: SuggestOptions): Promise<readonly GraphSuggestion[]>;
}
