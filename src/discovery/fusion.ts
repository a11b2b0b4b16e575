/**
 * Combines the results by words and by meaning into one order.
 *
 * Both scores are first brought to a scale that does not depend on the number of candidates. A cosine is measured in
 * standard deviations of the cosines of unrelated texts. The share of the query that words explain is divided by the
 * usual share of texts that have one of the words. Then both are added. A step of a task counts as much as the whole
 * task.
 *
 * @module
 */
import { FLOORS, fusedScore, lexicalScore, MOST } from "./calibration.js";
import type { Background } from "./embedder.js";
import { pastBonus, pastShare } from "./past-intents.js";
import type { Found } from "./word-index.js";

export interface NearParts<Key> {
  readonly text: string;
  readonly cosines: ReadonlyMap<Key, number>;
}

/** The similarities of candidates by their vectors. */
export interface Nearness<Key> {
  /** To the whole query. */
  readonly whole: ReadonlyMap<Key, number>;
  /** To its sentences, if it has several. */
  readonly parts: readonly NearParts<Key>[];
  readonly background: Background;
  /** The weight relative to the words, between 0 and 1. */
  readonly weight: number;
}

export interface Fused<Key> {
  readonly key: Key;
  /** Between 0 and 1; see `calibration.ts`. */
  readonly score: number;
  /** The sort key within one query; a difference of one point is clearly worse. */
  readonly rank: number;
  readonly reason: string;
}

/** How many deviations of a cosine equal one usual share of the query. */
const WORDS = 2;
/** Unrelated texts are hardly ever this far above the background. */
const NEAR = 3;
/** A sentence is given as the reason if it is nearer than the whole query by this much. */
const NAMED = 0.1;
const SHOWN_WORDS = 8;
const SHOWN_CHARS = 60;

/**
 * Best first. `usual` is that of the word search; `near` is absent until there are vectors. `bonus` is independent
 * knowledge about a key, in points of the rank; `past` is the similarity of the query to earlier intents that the key
 * was used for.
 */
export function fuse<Key>(
  found: readonly Found<Key>[],
  usual: number,
  near?: Nearness<Key>,
  bonus: (key: Key) => number = () => 0,
  past: ReadonlyMap<Key, number> = new Map(),
): readonly Fused<Key>[] {
  if (near === undefined)
    return falling(found.map((one) => byWordsAlone(one, bonus(one.key), past.get(one.key))).toSorted(byRank));
  const ranked = found
    .map((one) => {
      const words = usual === 0 ? 0 : (WORDS * one.share) / usual;
      const nearest = nearestOf(one.key, near);
      // Without a vector, the score by words replaces the similarity.
      const nearness = nearest?.nearness ?? words;
      const before = past.get(one.key) ?? 0;
      const fit = near.weight * nearness + (1 - near.weight) * words + pastBonus(before);
      return { key: one.key, one, part: nearest?.part, nearness, before, fit, rank: fit + bonus(one.key) };
    })
    .toSorted(byRank);
  const [best, next] = ranked;
  if (best === undefined) return [];
  const fit = best.fit;
  const lead = next === undefined ? Number.POSITIVE_INFINITY : best.rank - next.rank;
  const isTask = near.parts.length > 0;
  return ranked
    .map(({ key, one, part, nearness, before, rank }): Fused<Key> => {
      if (one.isSaid) return saidIt(one);
      const score = fusedScore({ fit, behind: best.rank - rank, lead, isTask });
      return { key, score, rank, reason: reasonOf(one, nearness, part, before) };
    })
    .toSorted(byRank);
}

/** The results for one step of a request, best first. */
export interface StepFound<F> {
  readonly text: string;
  readonly found: readonly F[];
}

/**
 * Merges the results for a request and for each of its steps, best first. A step raises a result at most half way to
 * its score there: a step is short, and says less than the request. A result belongs to the step that it matches best.
 */
export function mergeSteps<F extends Pick<Fused<unknown>, "key" | "score">>(
  whole: readonly F[],
  steps: readonly StepFound<F>[],
): readonly (F & { readonly step?: string })[] {
  const merged = new Map<unknown, F & { readonly step?: string }>(whole.map((one) => [one.key, one]));
  const nearest = new Map<unknown, number>();
  const before = new Map(whole.map(({ key, score }) => [key, score]));
  for (const { text, found } of steps)
    for (const one of found) {
      // Only the whole request can be the same text as a result.
      const score = Math.min(one.score, MOST);
      if (score <= (nearest.get(one.key) ?? 0)) continue;
      nearest.set(one.key, score);
      const alone = before.get(one.key) ?? 0;
      const better = score > alone ? { ...one, score: (alone + score) / 2 } : merged.get(one.key);
      if (better === undefined) continue;
      merged.set(one.key, score < FLOORS.fused.first ? better : { ...better, step: text });
    }
  return [...merged.values()].sort((a, b) => b.score - a.score);
}

/** The usual share over several indexes. */
export function usualShare(
  searches: readonly { readonly usual: number; readonly matching: number }[],
): number {
  const all = searches.reduce((sum, { matching }) => sum + matching, 0);
  const squares = searches.reduce((sum, { usual, matching }) => sum + matching * usual ** 2, 0);
  return all === 0 ? 0 : Math.sqrt(squares / all);
}

/** One point of the rank in terms of the score by words. */
const WORDS_POINT = 0.1;
/** Ranks above everything else. */
const SAID = 1_000;
const SAME = "nearly the same text";

const CALLED = "same name";
const BEFORE = "found for this intent before";

function saidIt<Key>({ key, said, isCalled }: Found<Key>): Fused<Key> {
  return { key, score: said, rank: SAID + said, reason: isCalled ? CALLED : SAME };
}

function byWordsAlone<Key>(one: Found<Key>, bonus: number, before = 0): Fused<Key> {
  if (one.isSaid) return saidIt(one);
  const score = Math.max(one.score, lexicalScore(pastShare(before)));
  const reason = reasonOf(one, 0, undefined, before);
  return { key: one.key, score, rank: score + WORDS_POINT * (bonus + pastBonus(before)), reason };
}

/** Raises scores so that no result scores less than one that is ranked after it. */
function falling<Key>(ordered: readonly Fused<Key>[]): readonly Fused<Key>[] {
  let score = 0;
  return ordered
    .toReversed()
    .map((one) => {
      score = Math.max(score, one.score);
      return { ...one, score };
    })
    .toReversed();
}

function nearestOf<Key>(key: Key, { whole, parts, background }: Nearness<Key>) {
  const cosine = whole.get(key);
  if (cosine === undefined) return undefined;
  let best = { cosine, text: "" };
  for (const { text, cosines } of parts) {
    const one = cosines.get(key) ?? cosine;
    if (one > best.cosine) best = { cosine: one, text };
  }
  return {
    nearness: ((cosine + best.cosine) / 2 - background.mean) / background.deviation,
    part: best.cosine - cosine >= NAMED ? best.text : undefined,
  };
}

function reasonOf<Key>(
  { words }: Found<Key>,
  nearness: number,
  part: string | undefined,
  before: number,
): string {
  const reasons: string[] = [];
  if (pastBonus(before) > 0) reasons.push(BEFORE);
  if (nearness >= NEAR) reasons.push(part === undefined ? "similar meaning" : `matches "${shortened(part)}"`);
  if (words.length > 0) reasons.push(`has ${words.slice(0, SHOWN_WORDS).join(", ")}`);
  return reasons.length === 0 ? "weak match" : reasons.join("; ");
}

function shortened(text: string): string {
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS - 1)}…`;
}

type Ordered = Pick<Fused<unknown>, "key" | "rank">;

function byRank(a: Ordered, b: Ordered): number {
  if (a.rank !== b.rank) return b.rank - a.rank;
  const [one, other] = [String(a.key), String(b.key)];
  return one < other ? -1 : one > other ? 1 : 0;
}
