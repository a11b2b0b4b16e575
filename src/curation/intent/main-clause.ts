/**
 * Finds the clause of an intent that says what to do; the others say how, why, when, and with what.
 *
 * @module
 */

import { wordSet } from "../../base/word-set.js";
import { wordKey } from "../../discovery/vocabulary.js";
import { type Deed, EFFECTS, isBrowsing } from "../code/deeds.js";
import { NOUN_VERBS } from "../lexicon/verbs.js";
import { FILLERS, nameWord } from "../lexicon/words.js";
import type { Clause } from "./clauses.js";

const MOODS = { command: 3, request: 3, question: 2.6, passive: 2.6, noun: 1.2, story: 0 } as const;
const PLACES = wordSet("by into in per to with from as on at if when until once after before for via using");

export function mainClause(
  clauses: readonly Clause[],
  deeds: readonly Deed[],
  deed: Deed | undefined,
  codeKeys: ReadonlySet<string>,
): Clause | undefined {
  let best: Clause | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const [index, clause] of clauses.entries()) {
    const worth = worthOf(clause, index, deed, codeKeys) + verbWorth(clause, index, deeds, deed);
    if (worth > most) {
      best = clause;
      most = worth;
    }
  }
  return best;
}

function worthOf(
  { mood, words, isAside }: Clause,
  index: number,
  deed: Deed | undefined,
  codeKeys: ReadonlySet<string>,
): number {
  const content = words.filter((word) => !FILLERS.has(word));
  if (content.length === 0) return -5;
  const known = content.filter((word) => codeKeys.has(wordKey(nameWord(word)))).length;
  const isThing = mood === "noun" && !isAside && content.some((word) => NOUN_VERBS.has(word));
  // In a browser, the last action is the purpose.
  const late = Math.min(index, 4) * (deed !== undefined && isBrowsing(deed) ? 0.1 : -0.25);
  return MOODS[mood] + late + Math.min(1.5, known * 0.5) + (isAside ? -1.6 : 0) + (isThing ? 0.8 : 0);
}

function verbWorth(
  { verb, words, objectAt }: Clause,
  index: number,
  deeds: readonly Deed[],
  deed: Deed | undefined,
): number {
  if (verb === undefined) return 0;
  const isOf = (one: Deed) => one.verb === verb.name || one.verb === verb.base;
  const vague = verb.isVague ? -0.6 : 0;
  if (deed !== undefined && isOf(deed)) return 1.5 + vague;
  const isKind = deed !== undefined && deed.step === undefined && EFFECTS.has(deed.kind);
  let worth = vague + (isKind && verb.kind === deed.kind ? 1 : 0);
  if (deeds.some((one) => one.kind !== "ask" && one.step === undefined && isOf(one))) worth += 1.2;
  // `measure the uploads, split by kind`: this verb has no object of its own.
  const next = words[objectAt] ?? "";
  return index > 0 && (next === "" || PLACES.has(next) || verb.form === "ing") ? worth - 2 : worth;
}
