/**
 * The weights of edges: every constant and formula of them, in this one place.
 *
 * An edge weighs between 0 and 1. An edge that analysis or schemas *state* has a base weight by its kind; *uses* raise
 * it towards 1, and time reduces it again:
 *
 *     weight = base + (1 - base) · uses / (uses + HALFWAY_USES)
 *
 * so that a stated edge never weighs less than its base, and an edge that was only observed disappears when it is no
 * longer used.
 *
 * Uses are counted in periods of four weeks, and are worth half with each period that passes. Uses are halved in steps,
 * not continuously, so that every number is a sum of powers of two. Floating point adds these without rounding, so the
 * sums are the same to the last bit in every order of runs and every batching. With four weeks, the work of one project
 * or one month shows in the weights, and uses of half a year ago count a hundredth.
 *
 * @module
 */
import type { ProvidesCoverage } from "../../registry/provides.js";
import type { EdgeKind } from "../../registry/tool-graph.js";

/**
 * The base weights of stated edges. `provides` is 0.7 by specification, and the others are relative to it: code cannot
 * work without its callees (`dependency`), or contains them (`contains`); that two calls follow one another in some
 * code may be chance (`sequence`).
 */
const BASES: Readonly<Record<EdgeKind, number>> = {
  dependency: 1,
  contains: 0.8,
  provides: 0.7,
  sequence: 0.5,
};

/** How much of the consumer's required input is covered: all, some, or none. */
const COVERAGE: Readonly<Record<ProvidesCoverage, number>> = { strict: 1, partial: 0.5, optional: 0.25 };

/** With this many uses, an edge gets half of the way to 1: two could be one person trying something twice. */
const HALFWAY_USES = 3;

const PERIOD_MS = 28 * 86_400_000;

/** Less than this of one use is noise: one use is forgotten after six periods, a hundred after twelve. */
export const FORGOTTEN_USES = 1 / 64;

/** The period of a time, counted from 1970. */
export function periodOf(timeMs: number): number {
  return Math.floor(timeMs / PERIOD_MS);
}

/** The value of uses in another period; uses of a later period do not gain value. */
export function usesIn(period: number, uses: number, counted: number): number {
  return period <= counted ? uses : uses * 2 ** (counted - period);
}

/** The sum of both, in the later of their periods. */
export function addUses(one: Uses, other: Uses): Uses {
  const period = Math.max(one.period, other.period);
  return { period, uses: usesIn(period, one.uses, one.period) + usesIn(period, other.uses, other.period) };
}

export interface Uses {
  readonly uses: number;
  readonly period: number;
}

/** The weight of a stated edge before its first use. */
export function baseOf(kind: EdgeKind, coverage: ProvidesCoverage = "strict"): number {
  return kind === "provides" ? BASES.provides * COVERAGE[coverage] : BASES[kind];
}

/** `base` is 0 if the edge is not stated. */
export function weightOf(base: number, uses: number): number {
  return base + (1 - base) * (uses / (uses + HALFWAY_USES));
}

/** The probability of a successor with `uses` of `total` uses; a low total reduces it. */
export function chanceOf(uses: number, total: number): number {
  return uses / (total + HALFWAY_USES);
}
