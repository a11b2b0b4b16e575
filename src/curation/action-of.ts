/**
 * The verb of a name, and how much speaks for it: what the intent says, held against what the code does.
 *
 * @module
 */
import { wordKey } from "../discovery/vocabulary.js";
import type { CodeFacts } from "./code/code-facts.js";
import type { Deed } from "./code/deeds.js";
import { codeVerb, interacts, mainDeed } from "./code/main-deed.js";
import { EFFECTS } from "./code/steps.js";
import { type Clause, clausesOf } from "./intent/clauses.js";
import { nounVerb } from "./intent/implied-verb.js";
import { mainClause } from "./intent/main-clause.js";
import { verbOf } from "./lexicon/verbs.js";
import { EMPTY_WORDS, FILLERS, nameWord, WEAK_NOUNS, wordSet } from "./lexicon/words.js";
import { verbFrom } from "./verb-from.js";

export interface ActionFound {
  readonly verb: string;
  readonly reason: string;
  readonly evidence: Evidence;
}

/** What speaks for an action, and against it. */
export interface Evidence {
  /** Where the verb is from. */
  readonly from: "intent" | "question" | "noun" | "code";
  /** 0 to 1: how much the intent is about this code at all. */
  readonly trust: number;
  /** The intent wants what the code does not do. */
  readonly contradicts: boolean;
  /** The main call of the code changes something. */
  readonly hasEffect: boolean;
  /** Clauses of the intent. */
  readonly clauses: number;
  /** Clauses that say to do something. */
  readonly demands: number;
  readonly isKnownVerb: boolean;
}

export interface ActionClues {
  /** English. */
  readonly intent: string;
  readonly facts: CodeFacts;
  readonly deeds: readonly Deed[];
  readonly parameters: readonly string[];
  /** Of words of the code. */
  readonly codeKeys: ReadonlySet<string>;
}

export function actionOf(clues: ActionClues): ActionFound {
  const { deeds, facts, codeKeys } = clues;
  const deed = mainDeed(deeds);
  const clauses = clausesOf(clues.intent);
  const main = mainClause(clauses, deeds, deed, codeKeys);
  const trust = trustOf(clauses, main, codeKeys, deeds, deed, facts);
  const fromCode = codeVerb(facts, deeds, deed);
  if (main === undefined || trust === 0)
    return {
      verb: fromCode,
      reason: `the intent does not match the code, whose verb is ${fromCode}`,
      evidence: {
        from: "code",
        trust: 0,
        contradicts: true,
        hasEffect: false,
        clauses: clauses.length,
        demands: 0,
        isKnownVerb: true,
      },
    };
  const { verb, reason, from, contradicts } = verbFrom(main, clues, deed, fromCode);
  const evidence: Evidence = {
    from,
    trust,
    contradicts,
    hasEffect: deed !== undefined && EFFECTS.has(deed.kind) && deed.step === undefined,
    clauses: clauses.length,
    demands: clauses.filter((clause) => clause.mood === "command" || clause.mood === "request").length,
    isKnownVerb: main.verb?.isKnown !== false,
  };
  return { verb, reason, evidence };
}

const WHEN = wordSet(`
yesterday today tomorrow tonight last next monday tuesday wednesday thursday friday saturday sunday
day week month year morning evening afternoon time times`);

/** 0 where the intent is about something else, or about nothing; 1 where it names what the code names. */
function trustOf(
  clauses: readonly Clause[],
  main: Clause | undefined,
  codeKeys: ReadonlySet<string>,
  deeds: readonly Deed[],
  deed: Deed | undefined,
  facts: CodeFacts,
): number {
  const words = new Set(
    clauses.flatMap((clause) => clause.words).filter((word) => !FILLERS.has(word) && !/^\d+$/.test(word)),
  );
  const telling = [...words].filter(
    (word) => !EMPTY_WORDS.has(word) && !WHEN.has(word) && verbOf(word)?.isVague !== true,
  );
  if (main === undefined || telling.length === 0) return 0;
  const nouns = [...words].filter((word) => word !== main.verb?.base && verbOf(word)?.isVague !== true);
  const shared = nouns.filter((word) => codeKeys.has(wordKey(nameWord(word))));
  const strong = shared.filter((word) => !WEAK_NOUNS.has(word));
  if (deed === undefined && !isPossible(main, facts)) return 0;
  if (strong.length > 1) return 1;
  if (strong.length === 1) return 0.9;
  if (main.verb !== undefined && !main.verb.isVague && codeKeys.has(wordKey(main.verb.base))) return 0.8;
  if (shared.length > 0) return 0.6;
  const says =
    (main.verb !== undefined && !main.verb.isVague) ||
    main.mood === "question" ||
    nounVerb(main) !== undefined;
  if (deed !== undefined && !says && telling.length > 1 && !EFFECTS.has(deed.kind)) return 0.35;
  if (!says)
    return deed === undefined &&
      nouns.filter((word) => !WEAK_NOUNS.has(word) && !EMPTY_WORDS.has(word)).length > 0
      ? 0.5
      : 0;
  if (deed === undefined) return isPossible(main, facts) ? 0.7 : 0;
  if (nouns.every((word) => EMPTY_WORDS.has(word)) && !(main.mood === "question" && telling.length > 0))
    return 0;
  return agrees(main, deeds, deed) ? 0.4 : 0;
}

/** Code that calls no tools tells nobody and starts nothing, and cannot sort without sorting. */
function isPossible({ verb }: Clause, { methods, names }: CodeFacts): boolean {
  if (verb === undefined) return true;
  if (verb.kind === "tell" || verb.kind === "run") return verb.name === "report" || verb.name === "simulate";
  if (verb.name === "sort")
    return methods.has("sort") || methods.has("toSorted") || names.some((name) => /sort|order/i.test(name));
  if (verb.name === "hash")
    return ["digest", "charCodeAt", "createHash", "<<", "codePointAt"].some((method) => methods.has(method));
  return true;
}

/** Whether what the intent wants done can be what the code does, though no word is the same. */
function agrees(clause: Clause, deeds: readonly Deed[], deed: Deed): boolean {
  const { verb, mood } = clause;
  const does = EFFECTS.has(deed.kind) && deed.step === undefined;
  if (verb === undefined || verb.isVague)
    return !does && (mood === "question" || nounVerb(clause) !== undefined);
  if (verb.name === deed.verb || verb.base === deed.verb || deeds.some(interacts)) return true;
  // What is made of a text is written back.
  if (does) return verb.kind === deed.kind || (verb.kind === "make" && WRITING.has(deed.verb));
  return !EFFECTS.has(verb.kind) || (verb.kind === "tell" && deeds.some(({ kind }) => kind === "make"));
}

const WRITING = wordSet("write update save edit set put upload replace");
