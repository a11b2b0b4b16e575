/**
 * The stored results of capabilities, shared by all gateways of the store, and the log of why they were dropped.
 * `test/suites/cache-store.suite.ts` specifies an implementation.
 *
 * @module
 */
import type { Fqdn } from "../../registry/fqdn.js";
import type { Scope } from "../../registry/scope.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";

/** `manual`: a person requested it. `tool_called`: the call may have changed what other tools of its server read. */
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
  /** Results that this tool may have contributed to; with `tool_called`, those that were read from its server. */
  readonly tool?: ToolId;
  /** Its results, and those of its callers. */
  readonly capability?: Fqdn;
  /** `user@org`; default: the gateway itself. */
  readonly by?: string;
  /** Another gateway has dropped these before; this one drops what it wrote until it was notified. */
  readonly again?: boolean;
}

export interface LoggedInvalidation extends Invalidation {
  readonly id: string;
  readonly entries: number;
  readonly at: Date;
}

/** A tool that may have contributed to a result, in its form at that time; without a hash it may have changed since. */
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
  /** The remaining lifetime, by the store's clock. */
  readonly livesMs: number;
  /** The time since its run began. */
  readonly ageMs: number;
  /** The maximum of results of the capability; the oldest are dropped. */
  readonly maxEntries: number;
}

export interface StoredResult {
  readonly id: string;
  readonly text: string;
  readonly tools: readonly ToolPart[];
  readonly servers: readonly ServerName[];
  readonly capabilities: readonly Fqdn[];
  /** The remaining lifetime, by the store's clock. */
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
  /** Drops the result of this key, because a newer run has replaced it. */
  forget(key: StoredKey): Promise<void>;
  countHits(hits: ReadonlyMap<string, number>): Promise<void>;
  /**
   * Drops stored results and logs it, in one transaction. `inMemory` is the number of results that were dropped from
   * memory too. An automatic invalidation that dropped nothing is not logged, but other gateways are notified of each
   * call. Returns how many results were dropped in total.
   */
  invalidate(invalidation: Invalidation, inMemory: number): Promise<number>;
  /** Newest first. */
  log(most: number): Promise<readonly LoggedInvalidation[]>;
  /** The invalidations of other gateways, by their ids in the feed of changes. */
  droppedElsewhere(ids: readonly string[]): Promise<readonly Invalidation[]>;
  totals(): Promise<CacheTotals>;
  /** Deletes expired results, and log entries from before `loggedBefore`. */
  prune(loggedBefore: Date): Promise<void>;
}
