/**
 * How thresholds learn: every number of it in this one place.
 *
 * A failure raises by five times what a success lowers by, so that a threshold rests where about five of six decisions
 * are right: what was done without being asked for costs more than what was asked for once more. Bounds keep a row of
 * good luck from making everything certain, and a row of bad luck from ending it for ever.
 *
 * @module
 */
import type { DecisionKind, DecisionOutcome, ThresholdMove } from "../../registry/thresholds.js";

interface Policy {
  readonly start: number;
  readonly least: number;
  readonly most: number;
  readonly raise: number;
  readonly lower: number;
}

const POLICIES: Readonly<Record<DecisionKind, Policy>> = {
  // 0.85 by specification. What differs in a word scores 0.8 at most (`phrase.ts`, `calibration.ts`), and is never
  // sure. The same words in other forms score 0.99: at the upper bound only the very same text is sure.
  speculation: { start: 0.85, least: 0.81, most: 0.995, raise: 0.02, lower: 0.004 },
  // A suggestion costs a line of text: one of three may be wrong. Most that are shown are not taken up, good or not.
  suggestion: { start: 0.35, least: 0.2, most: 0.8, raise: 0.002, lower: 0.01 },
};

export function startOf(kind: DecisionKind): number {
  return POLICIES[kind].start;
}

/** What was undone had been taken for a success before: that is taken back as well. */
export function moveAfter(kind: DecisionKind, outcome: DecisionOutcome): ThresholdMove {
  const { start, least, most, raise, lower } = POLICIES[kind];
  const by = { success: -lower, failure: raise, undone: raise + lower }[outcome];
  const successes = { success: 1, failure: 0, undone: -1 }[outcome];
  return { start, by, least, most, successes, failures: Number(outcome !== "success") };
}

export function bothMoves(one: ThresholdMove, other: ThresholdMove): ThresholdMove {
  return {
    ...one,
    by: one.by + other.by,
    successes: one.successes + other.successes,
    failures: one.failures + other.failures,
  };
}

/** Where a threshold is then. The store does the same. */
export function moved(from: number | undefined, { start, by, least, most }: ThresholdMove): number {
  return Math.min(most, Math.max(least, (from ?? start) + by));
}
