/**
 * What is kept of programs that were learnt from plain calls: counts, keyed hashes and decisions, never values.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";

/** The user who made the calls. */
export interface Owner {
  readonly org: string;
  readonly project: string;
  readonly user: string;
}

export type CandidateState = "offered" | "accepted" | "rejected";

export interface KeptCandidate {
  /** Hash of the calls that it makes: by this it is known again. */
  readonly calls: string;
  /** The capability that it became. */
  readonly fqdn: string;
  readonly state: CandidateState;
  /** How often the calls were seen. */
  readonly support: number;
  readonly evidence: Json;
  readonly createdAt: Date;
}

/** One time that calls were made with a flow, both as keyed hashes. */
export interface SeenFlow {
  readonly flow: string;
  readonly occurrence: string;
}

/** Both implementations of the database pass `test/suites/candidate-store.suite.ts`. */
export interface CandidateStore {
  /** Oldest first. */
  all(owner: Owner): Promise<readonly KeptCandidate[]>;
  /** Stores the candidate as offered; an earlier decision about it stays. False where it was decided. */
  offer(owner: Owner, candidate: Omit<KeptCandidate, "state" | "createdAt">): Promise<boolean>;
  decide(owner: Owner, calls: string, state: "accepted" | "rejected"): Promise<void>;
  /** Withdraws a candidate that is still offered. */
  withdraw(owner: Owner, calls: string): Promise<void>;
  /** Adds new occurrences; answers how often all gateways together have seen each flow. */
  see(owner: Owner, seen: readonly SeenFlow[]): Promise<ReadonlyMap<string, number>>;
}
