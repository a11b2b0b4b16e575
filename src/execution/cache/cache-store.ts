/**
 * The stored results of capabilities, shared by all gateways of the store, and the log of why they were dropped.
 * `test/suites/cache-store.suite.ts` specifies an implementation.
 *
 * @module
 */
import type { Fqdn } from "../../registry/fqdn.js";
import type { Scope } from "../../registry/scope.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";

/** `manual`: a person asked for it. `tool_called`: it may have changed what other tools of its server read. */
export type InvalidationTrigger =
  | "tool_schema_change"
  | "tool_removed"
  | "tool_called"
  | "repeated_failures"
  | "new_version"
  | "policy_change"
  | "capability_deleted"
  | "manual";

/** The results to drop: all of them, unless a tool or a capability is named. */
export interface Invalidation {
  readonly trigger: InvalidationTrigger;
  /** Results that this tool may have had a part in; with `tool_called`, those that are read from its server. */
  readonly tool?: ToolId;
  /** Its results, and those of what called it. */
  readonly capability?: Fqdn;
  /** `user@org`; the gateway itself when left out. */
  readonly by?: string;
  /** Another gateway has dropped these before; this one drops what it wrote until it got that news. */
  readonly again?: boolean;
}

export interface LoggedInvalidation extends Invalidation {
  readonly id: string;
  readonly entries: number;
  readonly at: Date;
}

/** A tool that may have had a part in a result, as it was then; without a hash it may have changed since. */
export interface ToolPart {
  readonly id: ToolId;
  readonly hash: string | null;
}

export interface StoredKey {
  /** The pattern's UUID. */
  readonly capabilityId: string;
  readonly scope: Scope;
  readonly paramsHash: string;
}

export interface NewStoredResult extends StoredKey {
  readonly version: number;
  /** JSON. */
  readonly text: string;
  readonly tools: readonly ToolPart[];
  /** A call to one of these servers that may change something makes the result stale. */
  readonly servers: readonly ServerName[];
  readonly capabilities: readonly Fqdn[];
  /** From now on, by the store's clock. */
  readonly livesMs: number;
  /** Since its run began. */
  readonly ageMs: number;
  /** Results of the capability that are kept; the oldest make room. */
  readonly maxEntries: number;
}

export interface StoredResult {
  readonly id: string;
  readonly text: string;
  readonly tools: readonly ToolPart[];
  readonly servers: readonly ServerName[];
  readonly capabilities: readonly Fqdn[];
  /** How much longer it may be used, by the store's clock. */
  readonly livesMs: number;
}

export interface CacheTotals {
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
}

export interface CapabilityCacheStore {
  find(key: StoredKey): Promise<StoredResult | undefined>;
  /**
   * A result replaces an older one of the same key. Results of deleted capabilities are skipped, and so are
   * results that any gateway has dropped since their run began.
   */
  keep(results: readonly NewStoredResult[]): Promise<void>;
  /** Drops the result of this key, which a newer run has made old. */
  forget(key: StoredKey): Promise<void>;
  countHits(hits: ReadonlyMap<string, number>): Promise<void>;
  /**
   * Drops stored results and logs it, in one transaction. `inMemory` were dropped beside them. An automatic
   * invalidation that dropped nothing is not logged, but other gateways are told of each call. Answers how many
   * results were dropped in all.
   */
  invalidate(invalidation: Invalidation, inMemory: number): Promise<number>;
  /** Newest first. */
  log(most: number): Promise<readonly LoggedInvalidation[]>;
  /** What other gateways have dropped, by what the feed of changes calls it. */
  droppedElsewhere(ids: readonly string[]): Promise<readonly Invalidation[]>;
  totals(): Promise<CacheTotals>;
  /** Forgets results whose time is over, and what was logged before. */
  prune(loggedBefore: Date): Promise<void>;
}
