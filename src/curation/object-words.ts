/**
 * The words after the verb of a name: the most likely ones of the naming model, in the order of a name.
 *
 * @module
 */

import { wordSet } from "../base/word-set.js";
import { stem } from "../discovery/vocabulary.js";
import { ALSO_THINGS, verbOf } from "./lexicon/verbs.js";
import {
  EMPTY_WORDS,
  FILLERS,
  nameWord,
  SYNONYMS,
  singularOf,
  TELLING,
  WEAK_NOUNS,
} from "./lexicon/words.js";
import type { ScoredWord } from "./object-model.js";

const MOST = 3;
/** The minimum probability of a second and a third word after a certain first one. */
const SECOND = 0.05;
const THIRD = 0.08;
const SURE = 0.5;
/** The minimum probability of an implied state; below, it is more often wrong than right. */
const IMPLIED = 0.95;
/** The factor for weak words. */
const WEAK = 0.5;
const EMPTY = 0.3;
/** `price of products` becomes `product_price`. */
const TURNING = wordSet("of for");

/** Words of tools and code that say how, not what; and abbreviations in variables. */
const HOW = wordSet(`
command commands cmd tool tools api call script sql info batch bulk html raw markdown advanced basic core web service action method
function statement expression body property properties type exec element elements session default current multiple single
count counts sum query test stdout stderr txt
res arr obj tmp str num cnt idx val vals buf err msg msgs ctx req resp cfg opts opt params param fns acc cur prev elem elems evt ret len
ext desc attr attrs btn el ref refs src dst dest conf meta init util utils helper pos neg fmt jql gql regex regexp dom px uid uuid guid
sha iso utc ymd iid pid sid nid rec recs`);

export interface ObjectClues {
  readonly verb: string;
  /** Words of the intent, in order. */
  readonly intent: readonly string[];
  /** Words of servers, which the namespace already contains. */
  readonly servers: readonly string[];
  /** The first words of tool names: `list` of `list_hives`. */
  readonly toolVerbs: ReadonlySet<string>;
  /** Words of the intent that may not be English. */
  readonly strange: ReadonlySet<string>;
}

export function objectWords(scored: readonly ScoredWord[], clues: ObjectClues): readonly string[] {
  const never = new Set([...clues.servers, clues.verb].map(stem));
  const fit = scored
    .filter((one) => one.verb !== clues.verb && !never.has(stem(one.word)) && isThing(one))
    .filter(({ word, isSaid }) => isSaid || !(clues.toolVerbs.has(word) || HOW.has(word)))
    .map((one) => ({ ...one, worth: one.probability * shareOf(one, clues.strange) }))
    .sort((a, b) => b.worth - a.worth)
    .filter((one, _, all) => one.isSaid || !all.some((other) => other.isSaid && areSame(one, other)));
  const isAlone = (fit[0]?.worth ?? 0) >= SURE && (fit[1]?.worth ?? 0) < SECOND;
  const likely = fit
    .slice(0, isAlone ? 1 : MOST)
    .filter(({ worth }, index) => index < MOST - 1 || worth >= THIRD);
  const stated = fit.find((one) => one.isSaid && TELLING.has(one.word));
  const chosen = stated === undefined || likely.some(isState) ? likely : [...likely, stated];
  const words = inOrder(chosen, clues.intent).map(({ word }) => nameWord(word));
  return words.length > 0 ? [...new Set(words)] : ["result"];
}

/** Not a number or a part of a key. */
function isThing({ word, implied = 1 }: ScoredWord): boolean {
  return implied >= IMPLIED && !FILLERS.has(word) && /^[a-z]{2,}[0-9]{0,2}$/.test(word);
}

function shareOf({ word, isSaid }: ScoredWord, strange: ReadonlySet<string>): number {
  if (TELLING.has(word)) return 1;
  if (strange.has(word) || isOnlyDone(word) || (isSaid && EMPTY_WORDS.has(word))) return EMPTY;
  return WEAK_NOUNS.has(word) ? WEAK : 1;
}

/** `remembers`, `fetch`: words that are never nouns. */
function isOnlyDone(word: string): boolean {
  const verb = verbOf(word);
  return verb !== undefined && (verb.isVague || !ALSO_THINGS.has(verb.base));
}

function areSame(one: ScoredWord, other: ScoredWord): boolean {
  return SYNONYMS.some((same) => same.has(one.key) && same.has(other.key));
}

/** `stale_branches`, but `epics_missing_estimate`. */
function isState({ word }: ScoredWord): boolean {
  return TELLING.has(word) && word !== "missing";
}

/** States first, then words of the intent in its order, then those that only the code has. */
function inOrder(words: readonly ScoredWord[], intent: readonly string[]): readonly ScoredWord[] {
  const keys = intent.map(singularOf);
  const place = ({ key }: ScoredWord) => keys.indexOf(key);
  const things = words.filter((one) => !isState(one));
  const said = things.filter(({ isSaid }) => isSaid).sort((a, b) => place(a) - place(b));
  const phrases: ScoredWord[][] = [[]];
  for (const [index, one] of said.entries()) {
    const before = said[index - 1];
    const between = before === undefined ? [] : intent.slice(place(before) + 1, place(one));
    if (between.some((word) => TURNING.has(word))) phrases.unshift([]);
    phrases[0]?.push(one);
  }
  const unsaid = things.filter(({ isSaid }) => !isSaid).sort((a, b) => a.at - b.at);
  return [...words.filter(isState), ...phrases.flat(), ...unsaid];
}
