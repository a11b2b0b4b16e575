/**
 * Which clause of an intent says what is to be done; the others say how, why, when, and what about it.
 *
 * @module
 */
import { wordKey } from "../../discovery/vocabulary.js";
import type { Deed } from "../code/deeds.js";
import { isBrowsing } from "../code/main-deed.js";
import { EFFECTS } from "../code/steps.js";
import { FILLERS, nameWord } from "../lexicon/words.js";
import type { Clause } from "./clauses.js";
import { NOUN_VERBS, nounVerb } from "./implied-verb.js";

const MOODS = { command: 3, request: 3, question: 2.6, passive: 2.6, noun: 1.2, story: 0 } as const;
/** One logs in to do something. */
const BEFORE_IT = /^(?:login|open|go|connect|try|start)$/;
/** One waits, looks and uses on the way to it. */
const BESIDE_IT = /^(?:wait|watch|look|consult|use|skip|ignore|stop|keep|complain|retry)$/;
const PLACES = /^(?:by|into|in|per|to|with|from|as|on|at|if|when|until|once|after|before|for|via|using)$/;
const FOLLOWS = 1.2;

export function mainClause(
  clauses: readonly Clause[],
  deeds: readonly Deed[],
  deed: Deed | undefined,
  codeKeys: ReadonlySet<string>,
): Clause | undefined {
  let best: Clause | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const [index, clause] of clauses.entries()) {
    const worth =
      worthOf(clause, index, deed, codeKeys) + placeOf(clause, clauses.slice(0, index), deeds, deed);
    if (worth > most) {
      best = clause;
      most = worth;
    }
  }
  return best;
}

function worthOf(
  clause: Clause,
  index: number,
  deed: Deed | undefined,
  codeKeys: ReadonlySet<string>,
): number {
  const { verb } = clause;
  let worth = MOODS[clause.mood] as number;
  if (clause.isAside) worth -= 1.6;
  // In a browser, what comes last is what it is for.
  worth += Math.min(index, 4) * (deed !== undefined && isBrowsing(deed) ? 0.1 : -0.25);
  const content = clause.words.filter((word) => !FILLERS.has(word));
  if (content.length === 0) return -5;
  worth += Math.min(1.5, content.filter((word) => codeKeys.has(wordKey(nameWord(word)))).length * 0.5);
  if (verb !== undefined && deed !== undefined) {
    if (verb.name === deed.verb || verb.base === deed.verb) worth += 1.5;
    else if (EFFECTS.has(deed.kind) && verb.kind === deed.kind && deed.step === undefined) worth += 1;
  }
  if (verb?.isVague === true) worth -= 0.6;
  if (verb !== undefined && verb.name !== deed?.verb) {
    if (BESIDE_IT.test(verb.name) || BESIDE_IT.test(verb.base)) worth -= 1.8;
    else if (BEFORE_IT.test(verb.name)) worth -= 0.9;
  }
  if (clause.mood === "noun" && !clause.isAside && nounVerb(clause) !== undefined) worth += 0.8;
  return worth;
}

/** What a clause is beside those before it: a step of its own, or what becomes of the one before. */
function placeOf(
  { verb, words, objectAt, mood }: Clause,
  before: readonly Clause[],
  deeds: readonly Deed[],
  deed: Deed | undefined,
): number {
  if (verb === undefined || (mood !== "command" && mood !== "request")) return 0;
  const isDeed = verb.name === deed?.verb || verb.base === deed?.verb;
  let worth = 0;
  const isDone = deeds.some(
    (one) =>
      one.kind !== "ask" && one.step === undefined && (one.verb === verb.name || one.verb === verb.base),
  );
  if (!isDeed && isDone) worth += FOLLOWS;
  if (before.length === 0 || isDeed) return worth;
  // `the next three dates, skipping holidays`
  if (verb.form === "ing") worth -= 2 * FOLLOWS;
  const rest = words.slice(objectAt).filter((word) => !/ly$/.test(word));
  const [next] = rest;
  // `split by type`, `embed locally`: it has no object of its own.
  if (next === undefined || PLACES.test(next))
    worth -= /^(?:by|per)$/.test(next ?? "") ? 2 * FOLLOWS : FOLLOWS;
  // `summarize the tickets, put the summary into a page`
  const things = rest.filter((word) => !FILLERS.has(word)).slice(0, 2);
  if (
    before.some(
      (one) => one.verb !== undefined && things.some((word) => NOUN_VERBS.get(word) === one.verb?.name),
    )
  )
    worth -= FOLLOWS;
  return worth;
}
