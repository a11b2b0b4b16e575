/**
 * The ledger: the savings of runs from memory. A run from memory is a successful run of a capability whose code the
 * caller did not send, or a run that a cache answered. It is compared with the cold run: the run that created the same
 * version.
 *
 * Only requests of clients count. A capability that code calls adds to the run of that code, and does not count
 * separately.
 *
 * @module
 */
import type { DisplayName } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";
import type { Scope } from "./scope.js";

/**
 * Results and uncounted code are estimated as one token per this many characters: about right for English text, too
 * many for JSON.
 */
export const CHARS_PER_TOKEN = 5;

/** The stored data of a cold run. */
export interface ColdRun {
  /** How long its program took, without waiting before it. Absent if unknown. */
  readonly programMs?: number;
  /** Estimated tokens of results that were not part of its answer. */
  readonly resultTokens: number;
}

/** The ledger entry of a run from memory; the store knows the cold run. */
export interface RunSaving {
  readonly at: Date;
  /** How long its caller waited in total. Absent if unknown: then the run saved no time. */
  readonly durationMs?: number;
  /** The most tokens that were sent instead of the code. Absent if the code was sent: then it saved none. */
  readonly sentTokens?: number;
  /**
   * Estimated tokens of results that were not part of the answer. Absent if nothing ran: then those of the cold run
   * count.
   */
  readonly resultTokens?: number;
}

/** Sums of the ledger. */
export interface Saved {
  readonly runs: number;
  /** Tokens of code, counted by a tokenizer, minus what was sent instead. */
  readonly tokensMeasured: number;
  /** Tokens of results, and of code that is not counted yet. */
  readonly tokensEstimated: number;
  readonly ms: number;
}

export interface SavedByDay extends Saved {
  /** `2026-11-17`, UTC. */
  readonly day: string;
}

export interface SavedByCapability extends Saved {
  readonly name: DisplayName;
  readonly isDeleted: boolean;
}

/** A version whose code has saved something, and whose tokens are not counted yet. */
export interface UncountedCode {
  readonly fqdn: Fqdn;
  readonly version: number;
  /** The text that a client would have to send. */
  readonly text: string;
}

export interface CodeTokens extends Pick<UncountedCode, "fqdn" | "version"> {
  readonly tokens: number;
}

/**
 * The port to the storage of the ledger; `CapabilityStore` adds to it with the uses that it counts. All sums are of one
 * project, and of what the user may see there; deleted capabilities keep theirs. Implementations pass
 * `test/suites/savings-store.suite.ts`.
 */
export interface SavingsStore {
  /** From that day on; default: all days. */
  total(scope: Scope, since?: string): Promise<Saved>;
  /** Newest first; without days that were folded together. */
  byDay(scope: Scope): Promise<readonly SavedByDay[]>;
  /** Most tokens first, the first `most` of them. */
  byCapability(scope: Scope, most: number, since?: string): Promise<readonly SavedByCapability[]>;
  /** Of one capability, without a visibility check. */
  of(fqdn: Fqdn): Promise<Saved>;
  /** Some uncounted versions, optionally of one capability; empty if all code is counted. */
  uncounted(fqdn?: Fqdn): Promise<readonly UncountedCode[]>;
  keepCounts(counts: readonly CodeTokens[]): Promise<void>;
  /** Merges the days before this one, for each version; returns how many rows were merged. */
  fold(before: string): Promise<number>;
}
