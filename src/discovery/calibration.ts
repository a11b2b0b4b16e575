/**
 * The meaning of a score between 0 and 1: about the share of results with this score that are right. The constants were
 * fitted to public data sets. Their form was chosen by its results on the set that was left out of the fit.
 * `docs/internal/retrieval.md` has the calibration error.
 *
 * Running something without asking needs more certainty. Only a text that says the same as the intent in nearly the
 * same words is certain enough. Every other score stays below the lowest threshold of speculation.
 *
 * @module
 */

/** Scores above this are compressed: their order stays, and they never reach {@link MOST}. */
const BENT = 0.72;
export const MOST = 0.8;

/** The logit of a text that explains no word of the query, and the increase if it explains all of them. */
const BY_WORDS = { none: -3, share: 6.4 };
/**
 * The logit of a text that fits no better than others, and the weights that are added per point: how much better the
 * best result fits; how far this result is behind the best one (less for a task with several steps, which has several
 * answers); how far the best result leads.
 */
const FUSED = { none: -3.04, fit: 0.49, behind: -1.68, behindInTask: -1.02, lead: 1.83 };
/**
 * Among about a hundred tools the best one fits this well by chance, so a lead counts only as far as the fit
 * exceeds this.
 */
const BY_CHANCE = 2.5;
const MOST_LEAD = 1.5;

/**
 * Chosen on the labelled sets: recall among the first five falls by at most 0.2 points, and for seven in ten intents
 * without a matching tool nothing is found. By words alone, nothing is found for such an intent only if it shares no
 * word with a tool.
 */
export const FLOORS = {
  words: { first: 0.055, each: 0.055 },
  fused: { first: 0.08, each: 0.005 },
} as const;

/**
 * The score if only the words are known: by the share of the query that they explain. Other results do not
 * matter.
 */
export function lexicalScore(share: number): number {
  return share === 0 ? 0 : unsure(BY_WORDS.none + BY_WORDS.share * share);
}

/** All in points of the rank. */
export interface Standing {
  /** How well the best result fits. */
  readonly fit: number;
  /** How far this result is behind the best one. */
  readonly behind: number;
  /** How far the second result is behind the best one. */
  readonly lead: number;
  /** The query has several steps. */
  readonly isTask: boolean;
}

/** The score, from how well the best result fits, and how far this one is behind it. */
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
