/**
 * Chooses the verb of a name, with its evidence: the words of the intent, compared with what the code does.
 *
 * @module
 */

import { wordSet } from "../base/word-set.js";
import { wordKey } from "../discovery/vocabulary.js";
import type { CodeFacts } from "./code/code-facts.js";
import { type Deed, EFFECTS } from "./code/deeds.js";
import { codeVerb, interacts, mainDeed } from "./code/main-deed.js";
import { type Clause, clausesOf } from "./intent/clauses.js";
import { mainClause } from "./intent/main-clause.js";
import { verbOf } from "./lexicon/verbs.js";
import { EMPTY_WORDS, FILLERS, nameWord, WEAK_NOUNS } from "./lexicon/words.js";
import { nounVerb, verbFrom } from "./verb-from.js";

export interface ActionFound {
  readonly verb: string;
  readonly reason: string;
  readonly evidence: Evidence;
}

/** The evidence for and against an action. */
export interface Evidence {
  /** The source of the verb. */
  readonly from: "intent" | "question" | "noun" | "code";
  /** How much the intent is about this code at all. */
  readonly trust: Trust;
  /** The intent requests something that the code does not do. */
  readonly contradicts: boolean;
  /** The main call of the code changes something. */
  readonly hasEffect: boolean;
  /** Clauses of the intent. */
  readonly clauses: number;
  /** Clauses with a request. */
  readonly demands: number;
}

/** `full` if intent and code name the same things; `none` if the intent names other things, or nothing. */
type Trust = "none" | "some" | "full";

export interface ActionClues {
  /** The intent in English. */
  readonly intent: string;
  readonly facts: CodeFacts;
  readonly deeds: readonly Deed[];
  /** Keys of the code's words. */
  readonly codeKeys: ReadonlySet<string>;
}

export function actionOf(clues: ActionClues): ActionFound {
  const { deeds, facts, codeKeys } = clues;
  const deed = mainDeed(deeds);
  const clauses = clausesOf(clues.intent);
  const main = mainClause(clauses, deeds, deed, codeKeys);
  const trust = main === undefined ? "none" : trustOf(clauses, main, clues, deed);
  const fromCode = codeVerb(facts, deeds, deed);
  const { verb, reason, from, contradicts } =
    main === undefined || trust === "none"
      ? {
          verb: fromCode,
          reason: `the intent does not match the code, whose verb is ${fromCode}`,
          from: "code" as const,
          contradicts: true,
        }
      : verbFrom(main, clues, deed, fromCode);
  const evidence: Evidence = {
    from,
    trust,
    contradicts,
    hasEffect: deed !== undefined && EFFECTS.has(deed.kind) && deed.step === undefined,
    clauses: clauses.length,
    demands: clauses.filter(({ mood }) => mood === "command" || mood === "request").length,
  };
  return { verb, reason, evidence };
}

const WHEN = wordSet(`
yesterday today tomorrow tonight last next monday tuesday wednesday thursday friday saturday sunday
day week month year morning evening afternoon time times`);

function trustOf(
  clauses: readonly Clause[],
  main: Clause,
  { codeKeys, deeds }: ActionClues,
  deed: Deed | undefined,
): Trust {
  const words = new Set(
    clauses
      .flatMap((clause) => clause.words)
      .filter((word) => !FILLERS.has(word) && !/^\d+$/.test(word) && verbOf(word)?.isVague !== true),
  );
  const telling = [...words].filter((word) => !EMPTY_WORDS.has(word) && !WHEN.has(word));
  if (telling.length === 0) return "none";
  const isShared = (word: string) => word !== main.verb?.base && codeKeys.has(wordKey(nameWord(word)));
  if ([...words].some((word) => isShared(word) && !WEAK_NOUNS.has(word))) return "full";
  const { verb } = main;
  if ([...words].some(isShared)) return "some";
  if (verb !== undefined && !verb.isVague && codeKeys.has(wordKey(verb.base))) return "some";
  const isThing = main.mood === "noun" && telling.length > 1 && deed !== undefined && !EFFECTS.has(deed.kind);
  return deed === undefined || isThing || agrees(main, deeds, deed) ? "some" : "none";
}

/** Whether the code can do what the intent requests, although they share no word. */
function agrees(clause: Clause, deeds: readonly Deed[], deed: Deed): boolean {
  const { verb, mood } = clause;
  const does = EFFECTS.has(deed.kind) && deed.step === undefined;
  if (verb === undefined || verb.isVague)
    return !does && (mood === "question" || nounVerb(clause) !== undefined);
  if (verb.name === deed.verb || verb.base === deed.verb || deeds.some(interacts)) return true;
  // A changed text is written back.
  if (does) return verb.kind === deed.kind || (verb.kind === "make" && deed.kind === "change");
  return !EFFECTS.has(verb.kind) || (verb.kind === "tell" && deeds.some(({ kind }) => kind === "make"));
}
