/**
 * The ledger: what runs from memory saved. A run from memory is a successful run of a capability whose code the caller did
 * not send, or a run that a cache answered. It is compared with the cold run: the run that created the same version.
 *
 * Only what a client asked for counts. A capability that code calls adds to the run of that code, and is no run of its own.
 *
 * @module
 */
import type { DisplayName } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";
import type { Scope } from "./scope.js";

/** Results and uncounted code are estimated as one token for this many characters: English text has about so many, JSON fewer. */
export const CHARS_PER_TOKEN = 5;

/** What is kept of a cold run. */
export interface ColdRun {
  /** How long its program took, without waiting before it. Absent if unknown. */
  readonly programMs?: number;
  /** Estimated, of results that were not part of its answer. */
  readonly resultTokens: number;
}

/** What a run from memory adds to the ledger; the store knows the cold run. */
export interface RunSaving {
  readonly at: Date;
  /** How long its caller waited in all. Absent if unknown: then the run saved no time. */
  readonly durationMs?: number;
  /** What was sent in place of the code, at most. Left out where the code was sent: then it saved none. */
  readonly sentTokens?: number;
  /** Estimated, of results that were not part of the answer. Left out where nothing ran: then those of the cold run count. */
  readonly resultTokens?: number;
}

/** Sums of the ledger. */
export interface Saved {
  readonly runs: number;
  /** Of code, counted by a tokenizer, without what was sent in its place. */
  readonly tokensMeasured: number;
  /** Of results, and of code that is not counted yet. */
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
  /** What a client would have to send. */
  readonly text: string;
}

export interface CodeTokens extends Pick<UncountedCode, "fqdn" | "version"> {
  readonly tokens: number;
}

/**
 * Where the ledger is kept; `CapabilityStore` adds to it with the uses that it counts. All sums are of one project, and of
 * what the user may see there; deleted capabilities keep theirs. Implementations pass `test/suites/savings-store.suite.ts`.
 */
export interface SavingsStore {
  /** Of the day and all later ones; of all days, where none is given. */
  total(scope: Scope, since?: string): Promise<Saved>;
  /** Newest first; days that were folded together are left out. */
  byDay(scope: Scope): Promise<readonly SavedByDay[]>;
  /** Most tokens first, the first `most` of them. */
  byCapability(scope: Scope, most: number, since?: string): Promise<readonly SavedByCapability[]>;
  /** Of one capability, without a check of its visibility. */
  of(fqdn: Fqdn): Promise<Saved>;
  /** Some of those that there are, or of one capability; empty where all code is counted. */
  uncounted(fqdn?: Fqdn): Promise<readonly UncountedCode[]>;
  keepCounts(counts: readonly CodeTokens[]): Promise<void>;
  /** Adds days before this one together, for each version; answers how many rows those were. */
  fold(before: string): Promise<number>;
}
