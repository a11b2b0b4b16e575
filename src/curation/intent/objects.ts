/**
 * What is it done to: the words of an intent that belong into a name, in the order of a name.
 *
 * @module
 */
import { stem } from "../../discovery/stem.js";
import { wordKey } from "../../discovery/vocabulary.js";
import { type FoundVerb, ONLY_DONE, verbOf } from "../lexicon/verbs.js";
import { FILLERS, nameWord, TELLING, WEAK_NOUNS } from "../lexicon/words.js";
import type { Clause } from "./clauses.js";
import { NOUN_VERBS } from "./implied-verb.js";

/** Words of objects in a name. */
const MOST = 4;
const LEAST_WORTH = 0.45;
const PREPOSITIONS: Readonly<Record<string, number>> = {
  of: 1,
  for: 0.65,
  in: 0.5,
  inside: 0.5,
  from: 0.55,
  on: 0.5,
  at: 0.4,
  by: 0.55,
  per: 0.6,
  with: 0.55,
  without: 0.7,
  to: 0.6,
  into: 0.7,
  as: 0.6,
  that: 0.6,
  which: 0.6,
  who: 0.6,
  whose: 0.6,
  where: 0.5,
  between: 0.5,
  under: 0.4,
  over: 0.4,
  during: 0.3,
  since: 0.2,
  until: 0.2,
  before: 0.25,
  after: 0.25,
  than: 0.3,
  about: 0.7,
  via: 0.4,
  through: 0.4,
  against: 0.5,
  across: 0.4,
  within: 0.3,
  and: 0.9,
  or: 0.7,
  around: 0.4,
  using: 0.3,
  given: 0.3,
};

interface Candidate {
  readonly word: string;
  readonly worth: number;
  readonly order: number;
}

export interface ObjectClues {
  /** Of words that the code has. */
  readonly codeKeys: ReadonlySet<string>;
  /** Of words of servers: the namespace says them already. */
  readonly serverKeys: ReadonlySet<string>;
  readonly verb: string;
  /** Words that no glossary knew: they may be no English. */
  readonly strange: ReadonlySet<string>;
  /** Of what the calls are done to, by their tools' names. */
  readonly deedKeys: ReadonlySet<string>;
  /** The intent is not believed but where the code says so too. */
  readonly onlyCode: boolean;
}

export function rankedObjects(
  clauses: readonly Clause[],
  main: Clause,
  clues: ObjectClues,
): readonly string[] {
  const { codeKeys, verb, onlyCode } = clues;
  const found = new Map<string, Candidate>();
  const consider = (clause: Clause, share: number, from: number, base: number) => {
    for (const candidate of candidatesOf(clause.words.slice(from), share, base, clues)) {
      const key = stem(candidate.word);
      if (key === stem(verb) || candidate.word === verb || isVerbsNoun(candidate.word, verb)) continue;
      if (onlyCode && !codeKeys.has(wordKey(candidate.word)) && !TELLING.has(candidate.word)) continue;
      const known = found.get(key);
      if (known === undefined || known.worth < candidate.worth) found.set(key, candidate);
    }
  };
  // `give each of them a name`: what it is done to was said before.
  const isPronoun =
    /^(?:(?:every|each|all|any|some|both|one|of|the|me|us) )*(?:them|it|these|those|they|one|ones|this|that)\b/.test(
      main.words.slice(main.objectAt, main.objectAt + 5).join(" "),
    );
  consider(main, isPronoun ? 0.7 : 1, main.objectAt, 0);
  if (main.mood === "command" || main.mood === "request")
    consider({ ...main, words: main.words.slice(0, main.objectAt) }, 0.3, 0, 100);
  // `just list them`: the same.
  const isBare = found.size === 0;
  let base = 200;
  for (const [index, clause] of clauses.entries()) {
    base += 100;
    if (clause === main) continue;
    const isBefore = (isPronoun && index < clauses.indexOf(main)) || (isBare && !clause.isAside);
    const share = isBefore
      ? 0.9
      : clause.isTitle
        ? 1
        : clause.isAside || clause.mood === "story"
          ? 0.35
          : 0.5;
    consider(clause, share, clause.mood === "command" ? clause.objectAt : 0, clause.isTitle ? -100 : base);
  }
  const chosen = [...found.values()]
    .sort((a, b) => b.worth - a.worth || a.order - b.order)
    .filter(
      ({ worth }, index) =>
        worth >= (index === 0 ? 0.2 : index === 1 ? LEAST_WORTH : index === 2 ? 0.6 : 1.0),
    )
    .slice(0, MOST);
  return withoutEcho(chosen)
    .sort((a, b) => Number(isFirst(b.word)) - Number(isFirst(a.word)) || a.order - b.order)
    .map(({ word }) => word);
}

/** `slow` beside `slowest` says nothing more, nor do three states of one thing. */
function withoutEcho(chosen: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const one of chosen) {
    const states = kept.filter(({ word }) => isFirst(word));
    if (isFirst(one.word) && (states.length > 1 || states.some(({ word }) => alike(word, one.word))))
      continue;
    kept.push(one);
  }
  return kept;
}

function alike(left: string, right: string): boolean {
  return left.slice(0, 4) === right.slice(0, 4);
}

/** `summary` is what comes of summarizing, and need not be said; what is computed, planned or found must be. */
function isVerbsNoun(word: string, verb: string): boolean {
  return NOUN_VERBS.get(word) === verb && ACTS.test(word);
}

const ACTS =
  /^(?:pars|convers|convert|format|generat|valid|check|verif|compar|summar|recap|digest|count|total|sum$|rank|list|overview|extract|translat|clean|search|lookup|detect|report|calculat|stat|diff|migrat|sync|dedup|remov|delet|creat|updat|merg|sort|group|split|encod|decod|hash|scrap|monitor|find|read|writ|load|build|render|breakdown|number|captur|transcri|classif|renam|mask|redact|anonym|compress|paginat|round|normal|flatten|chunk|slugif|pivot|rollup|aggregat|tally|estimat|audit|backup|export|import)/;

/** Things of their own where a tool is for them, and little more than nothing elsewhere. */
const THINGS_TOO =
  /^(?:issue|meeting|board|project|record|client|team|company|department|case|question|deck|server|job|app|application|system|person|people|script|story|problem|machine|program|function|version)s?$/;

/** What these are done to comes after `from`. */
const TAKING = /^(?:extract|parse|scrape|read|collect|remove|strip|import)$/;

function candidatesOf(
  words: readonly string[],
  share: number,
  base: number,
  { codeKeys, serverKeys, deedKeys, strange, verb: name }: ObjectClues,
): readonly Candidate[] {
  const candidates: Candidate[] = [];
  let weight = 1;
  let segment = 0;
  let order = 0;
  let start = 0;
  for (const [index, written] of words.entries()) {
    const preposition = Object.hasOwn(PREPOSITIONS, written) ? PREPOSITIONS[written] : undefined;
    if (preposition !== undefined) {
      weight = (written === "from" && TAKING.test(name) ? 0.95 : preposition) * (segment > 2 ? 0.7 : 1);
      // `to check that it works` is what it is for.
      if (/^(?:to|for)$/.test(written) && isPurpose(words, index)) weight *= 0.5;
      segment += 1;
      // `the folder of the project` is the project folder.
      if (written === "of") order = start - 50;
      else start = index * 4;
      continue;
    }
    if (
      FILLERS.has(written) ||
      /^\d+$/.test(written) ||
      written.length < 2 ||
      !/^[a-z][a-z0-9]*$/.test(written)
    )
      continue;
    const word = nameWord(written);
    const key = stem(word);
    const next = words[index + 1];
    const before = words[index - 1] ?? "";
    const isHead = next === undefined || FILLERS.has(next) || Object.hasOwn(PREPOSITIONS, next);
    const isUnit = TIMES.test(written) && UNITS.test(name) && segment === 0;
    const isWeak = WEAK_NOUNS.has(written) && !isUnit && !(THINGS_TOO.test(written) && deedKeys.has(key));
    // `largest files`: the state says which, and still of what.
    const isStated = isWeak && isHead && TELLING.has(nameWord(before)) && !TIMES.test(written);
    let worth = isStated ? 0.8 : isWeak ? 0.35 : TELLING.has(word) ? (share < 0.6 ? 1 : 1.5) : 1;
    const verb = verbOf(written);
    const isRequest = /^requests?$/.test(next ?? "") || (/^requests?$/.test(written) && index > 0);
    // `the deal` is a thing, though one may deal with it.
    if (verb?.isVague === true && !isRequest && !(index > 0 && TALKED_OF.test(written))) continue;
    // `read and parse the file`: the second verb is no thing.
    if (index === 1 && words[0] === "and" && verb?.form === "base") continue;
    // `roughly`, `what is eating the disk`
    if (/[a-z]{3}ly$/.test(written) && !LY.test(written) && !codeKeys.has(wordKey(word))) continue;
    if (/[a-z]{2}ing$/.test(written) && /^(?:the|a|an|my|our|up|it|them)$/.test(next ?? "")) continue;
    // `working days`, but `I keep mixing them up`.
    if (verb !== undefined && !isNounToo(written, verb) && verb.form !== "base" && !TELLING.has(word))
      worth *= codeKeys.has(wordKey(word))
        ? 0.6
        : !isHead && !verbOf(next ?? "") && verb.form !== "third"
          ? 0.8
          : 0.3;
    else if (verb?.form === "base" && !isNounToo(written, verb)) worth *= 0.5;
    if (strange.has(written)) worth *= 0.4;
    worth *= weight;
    if (isHead) worth += 0.15;
    if (codeKeys.has(wordKey(word))) worth += isWeak ? 0.3 : 0.4;
    if (serverKeys.has(key)) worth -= 1.2;
    candidates.push({ word, worth: worth * share, order: base + order + index });
  }
  return candidates;
}

/** One may do them, and have them. */
const TALKED_OF = /^(?:deal|call|request|change|control|process|show|support|leave|care)(?:s|es)?$/;
const LY =
  /^(?:daily|weekly|monthly|quarterly|yearly|hourly|nightly|family|assembly|anomaly|supply|reply|july|italy|early|elderly|friendly|poly|ally|fly|bully)$/;
/** What hours and days may be done to. */
const UNITS = /^(?:convert|format|parse|count|compute|round|add)$/;
const TIMES = /^(?:day|week|month|year|hour|minute|second|morning|evening|afternoon)s?$/;

function isPurpose(words: readonly string[], index: number): boolean {
  const verb = verbOf(words[index + 1] ?? "");
  return (
    verb?.form === "base" &&
    (verb.kind === "check" || words[index] === "to") &&
    words[index + 2] !== undefined
  );
}

/** `stale_branches`, but `epics_missing_estimate`. */
function isFirst(word: string): boolean {
  return TELLING.has(word) && word !== "missing";
}

/** `orders`, `reports`, `commits`: what is done, and what comes of it. `speaks` and `remembers` are no things. */
function isNounToo(word: string, { form, base }: FoundVerb): boolean {
  return form === "third" || form === "base" ? !ONLY_DONE.has(base) : /s$/.test(word);
}
