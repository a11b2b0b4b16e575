/**
 * Thresholds that learn, in memory in front of the store.
 *
 * A decision uses the values in memory; without a store, thresholds keep their start values. Only speculation waits
 * until they were read once. Every change is made in the store, relative to the stored value, so that several gateways
 * learn together. The changes of other gateways are read again periodically. Changes during a write are written
 * together right after it.
 *
 * @module
 */

import { keepNewest } from "../../base/keep-newest.js";
import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import type {
  DecisionKind,
  DecisionOutcome,
  ThresholdMove,
  ThresholdScope,
  ThresholdStore,
  Thresholds,
} from "../../registry/thresholds.js";

const PROJECTS = 1_000;
/** How old other gateways' changes may be. */
const READ_AGAIN_MS = 60_000;

interface Known {
  readonly values: Map<DecisionKind, number>;
  /** Changes that the store does not have yet. */
  readonly waiting: Map<DecisionKind, ThresholdMove>;
  readAt: number;
  /** Resolves when the first read has ended or failed. */
  read: Promise<void>;
}

export class AdaptiveThresholds implements Thresholds {
  readonly #store: ThresholdStore;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #known = new Map<string, Known>();
  /** Sequential, so that a read is never older than an earlier change. */
  #working: Promise<void> = Promise.resolve();

  constructor(store: ThresholdStore, log: Log, now: () => number = Date.now) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
  }

  of(kind: DecisionKind, scope: ThresholdScope): number {
    // A value stored by an earlier version may be out of bounds.
    const { start, least, most } = POLICIES[kind];
    return Math.min(most, Math.max(least, this.#upToDate(scope).values.get(kind) ?? start));
  }

  read(scope: ThresholdScope): Promise<void> {
    return this.#upToDate(scope).read;
  }

  learn(kind: DecisionKind, scope: ThresholdScope, outcome: DecisionOutcome): void {
    const { values, waiting } = this.#of(scope);
    const move = moveAfter(kind, outcome);
    // Until the store has returned its value.
    values.set(kind, moved(values.get(kind), move));
    const before = waiting.get(kind);
    waiting.set(kind, before === undefined ? move : bothMoves(before, move));
    if (before !== undefined) return;
    this.#then("thresholds.not_written", async () => {
      const all = waiting.get(kind);
      waiting.delete(kind);
      if (all === undefined) return;
      const value = await this.#store.move(kind, scope, all);
      const since = waiting.get(kind);
      values.set(kind, since === undefined ? value : moved(value, since));
    });
  }

  /** Resolves when all changes are written or have failed. */
  settled(): Promise<void> {
    return this.#working;
  }

  #upToDate(scope: ThresholdScope): Known {
    const known = this.#of(scope);
    if (this.#now() - known.readAt < READ_AGAIN_MS) return known;
    const isFirst = known.readAt === Number.NEGATIVE_INFINITY;
    known.readAt = this.#now();
    this.#then("thresholds.not_read", async () => {
      for (const [each, value] of await this.#store.load(scope)) {
        const since = known.waiting.get(each);
        known.values.set(each, since === undefined ? value : moved(value, since));
      }
    });
    if (isFirst) known.read = this.#working;
    return known;
  }

  #of({ org, project }: ThresholdScope): Known {
    const key = JSON.stringify([org, project]);
    const known = this.#known.get(key) ?? {
      values: new Map(),
      waiting: new Map(),
      readAt: Number.NEGATIVE_INFINITY,
      read: Promise.resolve(),
    };
    keepNewest(this.#known, key, known, PROJECTS);
    return known;
  }

  #then(failed: string, work: () => Promise<void>): void {
    this.#working = this.#working.then(work).catch((error: unknown) => {
      this.#log.warn(failed, { message: messageOf(error) });
    });
  }
}

// How thresholds learn: every number of it in this one place.
//
// A failure raises a threshold five times as much as a success lowers it, so it settles where about five of
// six decisions are right: an unwanted run costs more than a missed one. The bounds keep a series of
// successes from allowing everything, and a series of failures from ending it for ever.

interface Policy {
  readonly start: number;
  readonly least: number;
  readonly most: number;
  readonly raise: number;
  readonly lower: number;
}

const POLICIES: Readonly<Record<DecisionKind, Policy>> = {
  // For the certainty of `certainty/certainty.ts`. An intent that says the same in other words has 0.97 there, so it
  // runs even at the upper bound; with one word on only one side it has 0.5, so it does not run even at the lower
  // bound.
  speculation: { start: 0.85, least: 0.81, most: 0.96, raise: 0.02, lower: 0.004 },
  // A suggestion costs a line of text, so one of three may be wrong. Most suggestions are not used, good or not.
  suggestion: { start: 0.35, least: 0.2, most: 0.8, raise: 0.002, lower: 0.01 },
};

export function startOf(kind: DecisionKind): number {
  return POLICIES[kind].start;
}

/** An undone run was counted as a success before, which is also reverted. */
export function moveAfter(kind: DecisionKind, outcome: DecisionOutcome): ThresholdMove {
  const { start, least, most, raise, lower } = POLICIES[kind];
  const by = { success: -lower, failure: raise, undone: raise + lower }[outcome];
  const successes = { success: 1, failure: 0, undone: -1 }[outcome];
  return { start, by, least, most, successes, failures: Number(outcome !== "success") };
}

function bothMoves(one: ThresholdMove, other: ThresholdMove): ThresholdMove {
  return {
    ...one,
    by: one.by + other.by,
    successes: one.successes + other.successes,
    failures: one.failures + other.failures,
  };
}

/** The threshold after a move. The store does the same. */
export function moved(from: number | undefined, { start, by, least, most }: ThresholdMove): number {
  return Math.min(most, Math.max(least, (from ?? start) + by));
}
