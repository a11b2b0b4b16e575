/**
 * How certain PML must be to decide without asking: interfaces of thresholds that learn from the outcomes of
 * decisions.
 *
 * @module
 */
import type { Scope } from "./scope.js";

/** `speculation`: running a capability found by intent. `suggestion`: showing related tools and capabilities. */
export type DecisionKind = "speculation" | "suggestion";

/** Each project has its own thresholds: failures in one project say little about another. */
export type ThresholdScope = Pick<Scope, "org" | "project">;

/** `undone`: it succeeded, but was not what the user wanted. */
export type DecisionOutcome = "success" | "failure" | "undone";

/** Thresholds, in the form for code that decides. */
export interface Thresholds {
  /** Synchronous, from memory: between 0 and 1. */
  of(kind: DecisionKind, scope: ThresholdScope): number;
  /** Resolves when the stored values are loaded or cannot be loaded; never rejects. */
  read(scope: ThresholdScope): Promise<void>;
  /** Records the outcome of a decision, in the background. */
  learn(kind: DecisionKind, scope: ThresholdScope, outcome: DecisionOutcome): void;
}

/** How far outcomes move a threshold, and its bounds. */
export interface ThresholdMove {
  readonly start: number;
  readonly by: number;
  readonly least: number;
  readonly most: number;
  readonly successes: number;
  readonly failures: number;
}

/** The port to the storage of thresholds. Passes `test/suites/threshold-store.suite.ts`. */
export interface ThresholdStore {
  /** All of a project; missing ones still have their start value. */
  load(scope: ThresholdScope): Promise<ReadonlyMap<DecisionKind, number>>;
  /** Moves the stored value and returns the new one: concurrent moves of several gateways add up. */
  move(kind: DecisionKind, scope: ThresholdScope, move: ThresholdMove): Promise<number>;
}
