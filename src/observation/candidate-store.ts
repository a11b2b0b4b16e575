/**
 * The storage of programs that were learnt from single calls: counts, keyed hashes and decisions, never values.
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
  /** Hash of its calls, which identifies it. */
  readonly calls: string;
  /** The capability created from it. */
  readonly fqdn: string;
  readonly state: CandidateState;
  /** How often the calls were seen. */
  readonly support: number;
  readonly evidence: Json;
  readonly createdAt: Date;
}

/** One occurrence of calls with a flow, both as keyed hashes. */
export interface SeenFlow {
  readonly flow: string;
  readonly occurrence: string;
}

/** Both database implementations pass `test/suites/candidate-store.suite.ts`. */
export interface CandidateStore {
  /** Oldest first. */
  all(owner: Owner): Promise<readonly KeptCandidate[]>;
  /** Stores the candidate as offered; an earlier decision about it stays. False if it was already decided. */
  offer(owner: Owner, candidate: Omit<KeptCandidate, "state" | "createdAt">): Promise<boolean>;
  decide(owner: Owner, calls: string, state: "accepted" | "rejected"): Promise<void>;
  /** Withdraws a candidate that is still offered. */
  withdraw(owner: Owner, calls: string): Promise<void>;
  /** Adds new occurrences; returns how often all gateways together have seen each flow. */
  see(owner: Owner, seen: readonly SeenFlow[]): Promise<ReadonlyMap<string, number>>;
}
