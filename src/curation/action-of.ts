/**
 * The action of a name, `verb_object`: what the intent says, held against what the code does.
 *
 * @module
 */
import { stem } from "../discovery/stem.js";
import { wordKey } from "../discovery/vocabulary.js";
import type { CodeFacts } from "./code/code-facts.js";
import { codeObjects, codeStates, queriedStates } from "./code/code-objects.js";
import type { Deed } from "./code/deeds.js";
import { codeVerb, interacts, mainDeed } from "./code/main-deed.js";
import { nameWords } from "./code/name-words.js";
import { EFFECTS } from "./code/steps.js";
import { type Clause, clausesOf } from "./intent/clauses.js";
import { nounVerb } from "./intent/implied-verb.js";
import { mainClause } from "./intent/main-clause.js";
import { type ObjectClues, rankedObjects } from "./intent/objects.js";
import { verbOf } from "./lexicon/verbs.js";
import { EMPTY_WORDS, FILLERS, nameWord, TELLING, WEAK_NOUNS } from "./lexicon/words.js";
import { type VerbFound, verbFrom } from "./verb-from.js";
import { GENERIC, OBJECTS, withThing } from "./with-thing.js";

export interface ActionFound {
  readonly verb: string;
  readonly objects: readonly string[];
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
  readonly servers: readonly string[];
  /** Words of the intent that may be no English. */
  readonly strange: ReadonlySet<string>;
}

export function actionOf(clues: ActionClues): ActionFound {
  const { deeds, facts, codeKeys } = clues;
  const deed = mainDeed(deeds);
  const clauses = clausesOf(clues.intent);
  const main = mainClause(clauses, deeds, deed, codeKeys);
  const trust = trustOf(clauses, main, codeKeys, deeds, deed, facts);
  const fromCode = codeVerb(facts, deeds, deed);
  const fallback = codeObjects(facts, deeds, deed, clues.parameters);
  const deedKeys = new Set(deeds.flatMap(({ objects }) => objects.map(stem)));
  const serverKeys = new Set(clues.servers.flatMap(nameWords).map(stem));
  if (main === undefined || trust === 0)
    return {
      verb: fromCode,
      objects: tidied(
        withOwn(
          [],
          untrustedObjects(fallback, clauses, main, {
            codeKeys,
            serverKeys,
            deedKeys,
            strange: clues.strange,
            verb: fromCode,
            onlyCode: false,
          }),
          fromCode,
          facts,
        ),
        fromCode,
      ),
      reason: `the intent says nothing of the code, which is to ${fromCode}`,
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
  const verb = verbFrom(main, clues, deed, fromCode);
  const ranked = rankedObjects(clauses, main, {
    codeKeys,
    serverKeys,
    deedKeys,
    strange: clues.strange,
    verb: verb.verb,
    onlyCode: verb.contradicts,
  });
  const own =
    verb.isOfCode && deed !== undefined && EFFECTS.has(deed.kind)
      ? deed.objects.filter((word) => !GENERIC.has(word) && !WEAK_NOUNS.has(word))
      : [];
  const said = verb.contradicts ? united(ranked, fallback) : withMore(ranked, fallback, codeKeys, verb);
  const objects = withThing(
    tidied(withOwn(own, withPeople(main, said, facts), verb.verb, facts), verb.verb),
    { deed, deeds, facts, fallback, codeKeys, serverKeys, verb: verb.verb },
  );
  const evidence: Evidence = {
    from: verb.from,
    trust,
    contradicts: verb.contradicts,
    hasEffect: deed !== undefined && EFFECTS.has(deed.kind) && deed.step === undefined,
    clauses: clauses.length,
    demands: clauses.filter((clause) => clause.mood === "command" || clause.mood === "request").length,
    isKnownVerb: main.verb?.isKnown !== false,
  };
  return { verb: verb.verb, objects, reason: verb.reason, evidence };
}

/** Code that names nothing at all leaves no choice but to believe what was said. */
function untrustedObjects(
  fallback: readonly string[],
  clauses: readonly Clause[],
  main: Clause | undefined,
  clues: ObjectClues,
): readonly string[] {
  const saysNothing = fallback.every((word) => GENERIC.has(word) || WEAK_NOUNS.has(word));
  if (fallback.length > 0 && !saysNothing) return fallback;
  const said = main === undefined ? [] : rankedObjects(clauses, main, clues).slice(0, 2);
  const words = [...said.filter((word) => !EMPTY_WORDS.has(word)), ...fallback].slice(0, OBJECTS);
  return words.length > 0 ? words : ["result"];
}

const WHEN =
  /^(?:yesterday|today|tomorrow|tonight|(?:last|next)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|day|week|month|year|morning|evening|afternoon|time|times)$/;

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
    (word) => !EMPTY_WORDS.has(word) && !WHEN.test(word) && verbOf(word)?.isVague !== true,
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
    return (
      methods.has("digest") ||
      methods.has("charCodeAt") ||
      methods.has("createHash") ||
      methods.has("<<") ||
      methods.has("codePointAt")
    );
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
  if (does) return verb.kind === deed.kind || (verb.kind === "make" && WRITING.test(deed.verb));
  return !EFFECTS.has(verb.kind) || (verb.kind === "tell" && deeds.some(({ kind }) => kind === "make"));
}

const WRITING = /^(?:write|update|save|edit|set|put|upload|replace)$/;

/** Where the intent is not believed, what the code says comes with what both say. */
function united(ranked: readonly string[], fallback: readonly string[]): readonly string[] {
  const keys = new Set(fallback.map(stem));
  const more = ranked.filter((word) => !keys.has(stem(word)));
  const telling = more.filter((word) => TELLING.has(word));
  return [...telling, ...more.filter((word) => !TELLING.has(word)).slice(0, 1), ...fallback].slice(
    0,
    OBJECTS,
  );
}

/** The code's verb goes with the code's own thing, and what the intent says of it. */
function withOwn(
  own: readonly string[],
  objects: readonly string[],
  verb: string,
  facts: CodeFacts,
): readonly string[] {
  const keys = new Set(objects.map(stem));
  const missing = own.filter((word) => !keys.has(stem(word))).slice(0, 1);
  const all = [...missing, ...objects].slice(0, OBJECTS);
  return STATED.test(verb) ? withStates(all, facts) : all;
}

/** What is done to some of the things, where a variable says to which. */
const STATED = /^(?:find|list|show|get|count|search|delete|remove|archive|close|restart|remind|check)$/;

/** No word twice, none that hangs in the air. */
function tidied(objects: readonly string[], verb: string): readonly string[] {
  const keys = new Set([stem(verb)]);
  const kept = objects.filter((word) => {
    const isNew = !keys.has(stem(word));
    keys.add(stem(word));
    return isNew;
  });
  const whole = kept.at(-1) === "missing" ? [...kept.slice(0, -1)] : kept;
  return whole.length > 0 ? whole : ["result"];
}

const PEOPLE =
  /^(?:people|persons?|users?|members?|authors?|owners?|assignees?|reviewers?|contributors?|customers?|employees?|attendees?|participants?|collaborators?|maintainers?|subscribers?|approvers?|contacts?|players?|students?|patients?|drivers?|candidates?|guests?|admins?|senders?|recipients?|volunteers?|tenants?|donors?)$/;

/** Who asks `who` asks for people. */
function withPeople(
  { words, mood }: Clause,
  objects: readonly string[],
  facts: CodeFacts,
): readonly string[] {
  if (mood !== "question" || !/^who(?:se|m|s)?$/.test(words[0] ?? "")) return objects;
  if (objects.some((word) => PEOPLE.test(word))) return objects;
  const people = [...facts.declared, ...facts.returned, ...facts.names]
    .flatMap(nameWords)
    .find((word) => PEOPLE.test(word));
  if (people === undefined) return objects;
  const [weakest] = objects.slice(-1);
  const kept = objects.length > 2 || GENERIC.has(weakest ?? "") ? objects.slice(0, -1) : objects;
  return [...kept, people];
}

/** What variables are called says which of the things are meant. */
function withStates(objects: readonly string[], facts: CodeFacts): readonly string[] {
  // What a query asks for is never in doubt.
  const [asked] = queriedStates(facts);
  if (asked !== undefined) return [...new Set([asked, ...objects])].slice(0, OBJECTS);
  if (objects.some((word) => TELLING.has(word))) return objects;
  const [state] = codeStates(facts);
  return state === undefined || objects.some((word) => stem(word) === stem(state))
    ? objects
    : [state, ...objects].slice(0, OBJECTS);
}

/** One word that the code does not have is little: its own word for the thing stands beside it. */
function withMore(
  ranked: readonly string[],
  fallback: readonly string[],
  codeKeys: ReadonlySet<string>,
  { verb, contradicts }: VerbFound,
): readonly string[] {
  const [only, ...others] = ranked;
  if (only === undefined) return fallback.length > 0 ? fallback : ["result"];
  if (others.length > 0) return ranked;
  if (
    !contradicts &&
    codeKeys.has(wordKey(only)) &&
    !WEAK_NOUNS.has(only) &&
    !/^(?:find|list|get|check)$/.test(verb)
  )
    return ranked;
  const more = fallback.find((word) => stem(word) !== stem(only) && word !== verb && !WEAK_NOUNS.has(word));
  return more === undefined ? ranked : [only, more];
}
