/**
 * What a score between 0 and 1 means: about how often what has it is what was looked for. The constants were fitted to
 * public data sets, and their form chosen by how well it did on the one that was left out; `docs/internal/retrieval.md`
 * says how far off they are.
 *
 * Whoever runs something without asking wants more than that. Only what says the same as the intent in nearly the same
 * words is as sure, so nothing else reaches the least threshold that speculation ever has, however well it fits.
 *
 * @module
 */

/** From here on scores are pressed together, so that the order stays and {@link MOST} is never reached. */
const BENT = 0.72;
export const MOST = 0.8;

/** Of what explains nothing, and what one share of the query adds. */
const BY_WORDS = { none: -3, share: 6.4 };
/**
 * Of what fits no better than any text; for each point that the best fits better; for each point behind the best, of
 * one thing to do and of a task with several steps, which has several answers; and for each point that the best leads.
 */
const FUSED = { none: -3.04, fit: 0.49, behind: -1.68, behindInTask: -1.02, lead: 1.83 };
/** Among some hundred tools the best fits that well by chance: where there are few, to lead by less says nothing. */
const BY_CHANCE = 2.5;
const MOST_LEAD = 1.5;

/**
 * Chosen on the labelled sets: recall among the first five falls by 0.2 points at most, and seven in ten intents that no
 * tool serves find nothing. By words alone such an intent finds nothing already where it shares no word with a tool.
 */
export const FLOORS = {
  words: { first: 0.055, each: 0.055 },
  fused: { first: 0.08, each: 0.005 },
} as const;

/** By the share of the query that its words explain, where nothing else is known. It does not depend on the others. */
export function lexicalScore(share: number): number {
  return share === 0 ? 0 : unsure(BY_WORDS.none + BY_WORDS.share * share);
}

/** All of it in points of the rank. */
export interface Standing {
  /** How well the best one fits. */
  readonly fit: number;
  /** How far this one is behind the best. */
  readonly behind: number;
  /** How far the next is behind the best one. */
  readonly lead: number;
  /** The query has several steps. */
  readonly isTask: boolean;
}

/** By how well the best one fits, and where this one stands beside it. */
export function fusedScore({ fit, behind, lead, isTask }: Standing): number {
  const led = behind > 0 ? 0 : Math.max(0, Math.min(lead, fit - BY_CHANCE, MOST_LEAD));
  const fallen = (isTask ? FUSED.behindInTask : FUSED.behind) * behind;
  return unsure(FUSED.none + FUSED.fit * fit + fallen + FUSED.lead * led);
}

function unsure(logit: number): number {
  const likely = 1 / (1 + Math.exp(-logit));
  const room = MOST - BENT;
  return likely <= BENT ? likely : BENT + room * (1 - Math.exp((BENT - likely) / room));
}
