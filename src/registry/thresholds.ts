/**
 * How certain PML must be to decide without asking: interfaces of thresholds that learn from the outcomes of
 * decisions.
 *
 * @module
 */
import type { Scope } from "./scope.js";

/** `speculation`: running a capability found by intent. `suggestion`: showing related tools and capabilities. */
export type DecisionKind = "speculation" | "suggestion";

/** Thresholds are those of a project: what fails in one says little about another. */
export type ThresholdScope = Pick<Scope, "org" | "project">;

/** `undone`: it succeeded, but was not what the user wanted. */
export type DecisionOutcome = "success" | "failure" | "undone";

/** Thresholds, as the code that decides uses them. */
export interface Thresholds {
  /** At once, from what is known here: between 0 and 1. */
  of(kind: DecisionKind, scope: ThresholdScope): number;
  /** Resolves when what was learnt before is known here, or cannot be; never rejects. */
  read(scope: ThresholdScope): Promise<void>;
  /** Records the outcome of a decision, in the background. */
  learn(kind: DecisionKind, scope: ThresholdScope, outcome: DecisionOutcome): void;
}

/** By how much a threshold moves for what came of decisions, and between which bounds it stays. */
export interface ThresholdMove {
  readonly start: number;
  readonly by: number;
  readonly least: number;
  readonly most: number;
  readonly successes: number;
  readonly failures: number;
}

/** Where thresholds are kept. Passes `test/suites/threshold-store.suite.ts`. */
export interface ThresholdStore {
  /** All of a project; those that still have their start value are missing. */
  load(scope: ThresholdScope): Promise<ReadonlyMap<DecisionKind, number>>;
  /** Moves it from where it is by then, and answers where it is now: what several gateways do at once adds up. */
  move(kind: DecisionKind, scope: ThresholdScope, move: ThresholdMove): Promise<number>;
}
