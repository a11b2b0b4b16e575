/**
 * What an edge of the graph is worth: every constant and formula of it, in this one place.
 *
 * An edge weighs between 0 and 1. What analysis or schemas *state* gives it a base by its kind; *uses* lift it from
 * there towards 1, and time takes them back:
 *
 *     weight = base + (1 - base) · uses / (uses + HALFWAY_USES)
 *
 * so that a stated edge never weighs less than its base, and an edge that was only observed disappears when
 * it is no longer used.
 *
 * Uses are counted in periods of four weeks, and are worth half with each period that passes. Uses are halved
 * in steps, not continuously, so that every number is a sum of powers of two. Floating point adds these
 * without rounding, so the sums are the same to the last bit in every order of runs and every batching. With
 * four weeks, the work of one project or one month shows in the weights, and uses of half a year ago count a
 * hundredth.
 *
 * @module
 */
import type { ProvidesCoverage } from "../../registry/provides.js";
import type { EdgeKind } from "../../registry/tool-graph.js";

/**
 * What a statement is worth. `provides` is 0.7 by specification, and the others stand around it: code that calls
 * something cannot do without it (`dependency`), or has it inside (`contains`); that two calls follow one another in
 * some code may be chance (`sequence`).
 */
const BASES: Readonly<Record<EdgeKind, number>> = {
  dependency: 1,
  contains: 0.8,
  provides: 0.7,
  sequence: 0.5,
};

/** Of what the consumer needs: all, some, or nothing that it could not do without. */
const COVERAGE: Readonly<Record<ProvidesCoverage, number>> = { strict: 1, partial: 0.5, optional: 0.25 };

/** So many uses lift an edge half of the way to 1: two could be one person trying something twice. */
const HALFWAY_USES = 3;

const PERIOD_MS = 28 * 86_400_000;

/** Less than this of one use is noise: one use is forgotten after six periods, a hundred after twelve. */
export const FORGOTTEN_USES = 1 / 64;

/** The period a time is in, counted from 1970. */
export function periodOf(timeMs: number): number {
  return Math.floor(timeMs / PERIOD_MS);
}

/** What uses are worth in another period; uses of a later one are not worth more for that. */
export function usesIn(period: number, uses: number, counted: number): number {
  return period <= counted ? uses : uses * 2 ** (counted - period);
}

/** What both are worth together, in the later of their periods. */
export function addUses(one: Uses, other: Uses): Uses {
  const period = Math.max(one.period, other.period);
  return { period, uses: usesIn(period, one.uses, one.period) + usesIn(period, other.uses, other.period) };
}

export interface Uses {
  readonly uses: number;
  readonly period: number;
}

/** What a statement is worth before anybody has used the edge. */
export function baseOf(kind: EdgeKind, coverage: ProvidesCoverage = "strict"): number {
  return kind === "provides" ? BASES.provides * COVERAGE[coverage] : BASES[kind];
}

/** `base` is 0 where nothing states the edge. */
export function weightOf(base: number, uses: number): number {
  return base + (1 - base) * (uses / (uses + HALFWAY_USES));
}

/** How likely `uses` of all `total` uses after something make it come next, where few uses prove little. */
export function chanceOf(uses: number, total: number): number {
  return uses / (total + HALFWAY_USES);
}
