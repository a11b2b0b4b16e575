/**
 * The clauses of an intent, each with the form of its request, if it has one.
 *
 * @module
 */

import { wordSet } from "../../base/word-set.js";
import { ALSO_THINGS, type FoundVerb, VERB_PHRASES, verbNamed, verbOf } from "../lexicon/verbs.js";
import { FILLERS } from "../lexicon/words.js";

/** The grammatical form of a request. */
type Mood = "command" | "request" | "question" | "passive" | "noun" | "story";

export interface Clause {
  readonly mood: Mood;
  /** In lower case; `.env` becomes `env`. */
  readonly words: readonly string[];
  /** The requested action, if there is one. */
  readonly verb: FoundVerb | undefined;
  /** Index of the first word of the object. */
  readonly objectAt: number;
  /** `if`, `because`, `before`: it says when or why, not what. */
  readonly isAside: boolean;
}

const CLAUSES = 24;
const CLAUSE_WORDS = 60;
const BREAK = /[;!()[\]—–…"“”«»\n]+|[.?:](?=\s|$)|\?|(?<=\s)-+(?=\s)|,(?=\s|$)/g;
const WORD = /[\p{L}\p{N}]+(?:['’_/.-][\p{L}\p{N}]+)*/gu;
const POLITE = wordSet(`
please pls kindly just then also now and or so but first next finally ok okay well hey hi hello again simply quickly always only
etc same bulk mass auto`);
const ASIDES = wordSet(`
if because since before after while when whenever so until unless although though as for except by without instead given once
whereas where from in on at with using inside among out`);
/** Words that begin an aside even in the middle of a sentence. */
const INNER_ASIDES = wordSet("because if so while before unless whenever");
const SUBJECTS = wordSet("i im ive we he she they it you our my somebody someone nobody");
/** After these, `to` introduces the wish. */
const WISHES = wordSet(`
need needs needed want wants wanted like love wish have has had trying try way ways able script tool function helper code
something going supposed how ask asks asked job task time goal idea point plan order us me you it is are possible easy nice good
great command routine snippet`);
const MODALS = wordSet("can could would will should shall must may let lets");
const ASKS = wordSet(
  "which what who whom whose where when why how is are was were do does did has have can could will would should am",
);
const ASKS_FOR = wordSet("which what who whom whose where when why how do does did are");
const ASKS_FIRST = wordSet("which what who where how whose when");
const ASKS_WHETHER = wordSet("is are does did has have was were do");
const DETERMINERS = wordSet(`
the a an all my our your this that these those every each any both some it them me us one two only up out down into what which
how if whether for new there we they i`);
/** Prepositions of targets and criteria: `order the rows by age` is a command. */
const PLACES = wordSet("by into to from with as");

export function clausesOf(text: string): readonly Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  const add = (end: number, mark: string): void => {
    for (const words of atConjunctions(wordsOf(text.slice(start, end))))
      if (words.length > 0 && clauses.length < CLAUSES) clauses.push(clauseOf(words, mark.includes("?")));
    start = end + mark.length;
  };
  for (const { index, 0: mark } of text.matchAll(BREAK)) add(index, mark);
  add(text.length, "");
  return clauses;
}

function wordsOf(text: string): readonly string[] {
  const written = [...text.matchAll(WORD)].map(([word]) => word);
  return written
    .filter((word) => !/^[A-Z]{2,}-\d+$/.test(word))
    .slice(0, CLAUSE_WORDS)
    .flatMap((word) =>
      word
        .toLowerCase()
        .replace(/['’]s$/, "")
        .replace(/['’]/g, "")
        .split(/[-_/.]+/),
    )
    .filter((word) => word !== "");
}

/** `find the pods and collect their logs` has two actions. */
function atConjunctions(words: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  for (const [index, word] of words.entries()) {
    const [next = "", follows] = words.slice(index + 1);
    const isJoint = word === "and" || word === "then" || word === "but";
    const isTold = follows !== undefined && (FILLERS.has(follows) || verbOf(follows) === undefined);
    if (index > 1 && isJoint && verbOf(next)?.form === "base" && isTold) parts.push([]);
    else if (index > 1 && INNER_ASIDES.has(word)) parts.push([word]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}

function clauseOf(words: readonly string[], isAsked: boolean): Clause {
  let at = 0;
  while (at < words.length - 1 && POLITE.has(words[at] ?? "")) at += 1;
  const [first = "", second = ""] = words.slice(at);
  // A forbidden action is not the purpose.
  const isForbidden = /^(?:dont|never|not|no|without)$/.test(first) || (first === "do" && second === "not");
  const isAside = isForbidden || (ASIDES.has(first) && !(first === "where" && isAsked));
  const made = (mood: Mood, verb?: FoundVerb, objectAt = at): Clause => ({
    mood,
    words,
    verb,
    objectAt,
    isAside,
  });
  if (isForbidden) return made("story");
  const isQuestion = asks(words, at, isAsked);
  const command = verbAt(words, at);
  if (command !== undefined && !isQuestion && isCommand(words, at, command))
    return made("command", command.verb, command.end);
  const request = requestIn(words, at, isAsked);
  if (request !== undefined) return made("request", request.verb, request.end);
  if (isQuestion) return made("question");
  const later = laterVerb(words, at);
  if (later !== undefined) return made(later.mood, later.verb, later.end);
  // `mails I sent` means mails.
  const isStory = words
    .slice(at, at + 3)
    .some(
      (word, index) => SUBJECTS.has(word) && (index === 0 || !/[^s]s$/.test(words[at + index - 1] ?? "")),
    );
  return made(isStory && !words.some((word) => /^(?:need|want|like|love)/.test(word)) ? "story" : "noun");
}

interface VerbAt {
  readonly verb: FoundVerb;
  /** The index after the word. */
  readonly end: number;
}

/** `I need you to rename them`, `could you rename them`. */
function requestIn(words: readonly string[], at: number, isAsked: boolean): VerbAt | undefined {
  for (let index = at; index < words.length; index += 1) {
    const found = verbAt(words, index);
    if (found?.verb.form !== "base") continue;
    const last = words[index - 1] ?? "";
    const before = words[index - 2] ?? "";
    const isWished = last === "to" && (WISHES.has(before) || index - at <= 3);
    const isTold =
      last === "please" ||
      last === "us" ||
      (last === "you" && MODALS.has(before)) ||
      (last === "we" && MODALS.has(before) && before !== "should" && !isAsked) ||
      (last === "me" && before === "help");
    if (isWished || isTold) return found;
  }
  return undefined;
}

/** Indirect requests: `the logs need rotating`, `a script for renaming`, `all of it archived`. */
function laterVerb(words: readonly string[], at: number): (VerbAt & { readonly mood: Mood }) | undefined {
  for (let index = at; index < words.length; index += 1) {
    const found = verbAt(words, index);
    if (found === undefined || found.verb.isVague) continue;
    const { verb, end } = found;
    const before = words[index - 1] ?? "";
    const next = words[end] ?? "";
    if (verb.form === "ing" && index === at && (DETERMINERS.has(next) || /[^s]s$/.test(next)))
      return { mood: "command", ...found };
    if (verb.form === "ing" && before === "for" && WISHES.has(words[index - 2] ?? ""))
      return { mood: "request", ...found };
    if (verb.form === "ing" && /^(?:needs?|wants?)$/.test(before)) return { mood: "passive", verb, end: at };
    const isWanted = before === "be" || words.slice(at, index).some((word) => /^(?:want|need)s?$/.test(word));
    if (verb.form === "past" && isWanted && (next === "" || before === "be"))
      return { mood: "passive", verb, end: at };
  }
  return undefined;
}

function asks(words: readonly string[], at: number, isAsked: boolean): boolean {
  const [first = "", second = ""] = words.slice(at);
  // `the image is huge?!` requests nothing.
  if (isAsked && words.some((word, index) => (index <= at + 1 ? ASKS : ASKS_FOR).has(word)))
    return !MODALS.has(first) || second !== "you";
  if (isAsked && /^any/.test(first)) return true;
  if (ASKS_WHETHER.has(first)) return DETERMINERS.has(second);
  return ASKS_FIRST.has(first) && second !== "to";
}

/** `backup of the database`, `test results`: words that can also be verbs are nouns here. */
function isCommand(words: readonly string[], at: number, { end, verb }: VerbAt): boolean {
  const next = words[end] ?? "";
  // `Checks whether they match`: the usual form of a function's description.
  if (verb.form === "third") return /^(?:the|a|an|all|every|each|whether|if)$/.test(next);
  if (verb.form !== "base" || next.startsWith("request")) return false;
  if (next === "of" || next === "is" || next === "are" || (next === "for" && ALSO_THINGS.has(verb.base)))
    return false;
  if (!ALSO_THINGS.has(verb.base) || end > at + 1 || DETERMINERS.has(next)) return true;
  return (
    words.length > 3 && verb.kind !== "tell" && words.slice(end + 1, end + 7).some((word) => PLACES.has(word))
  );
}

const PHRASE_WORDS = 5;
/** Particles that may come later: `throw the sessions out`. */
const PARTICLES = wordSet("out up away down off into know");

function verbAt(words: readonly string[], index: number): VerbAt | undefined {
  const first = words[index];
  if (first === undefined) return undefined;
  const verb = verbOf(first);
  const base = verb?.base ?? first;
  for (let length = Math.min(PHRASE_WORDS, words.length - index); length > 1; length -= 1) {
    const name = VERB_PHRASES.get([base, ...words.slice(index + 1, index + length)].join(" "));
    if (name !== undefined) return { verb: phraseVerb(name, base, verb), end: index + length };
  }
  if (verb === undefined) return undefined;
  const particle = words.slice(index + 2, index + 8).find((word) => PARTICLES.has(word));
  const name = particle === undefined ? undefined : VERB_PHRASES.get(`${base} ${particle}`);
  return { verb: name === undefined ? verb : phraseVerb(name, base, verb), end: index + 1 };
}

function phraseVerb(name: string, base: string, verb: FoundVerb | undefined): FoundVerb {
  const kind = verbNamed(name)?.kind ?? verb?.kind ?? "change";
  return { name, kind, isVague: name === "get" || name === "show", form: verb?.form ?? "base", base };
}
