/**
 * The clauses of an intent, each with how it asks for something, if it does.
 *
 * @module
 */

import { type FoundVerb, VERB_PHRASES, verbNamed, verbOf } from "../lexicon/verbs.js";
import { FILLERS, TELLING } from "../lexicon/words.js";

/** How a clause says what is wanted. */
type Mood = "command" | "request" | "question" | "passive" | "noun" | "story";

export interface Clause {
  readonly mood: Mood;
  /** In lower case; `.env` is `env`. */
  readonly words: readonly string[];
  /** What is to be done, where it says so. */
  readonly verb: FoundVerb | undefined;
  /** Where what it is done to begins in the words. */
  readonly objectAt: number;
  /** `if`, `because`, `before`: it says when or why, not what. */
  readonly isAside: boolean;
  /** `print job: …`: it says what all the rest is about. */
  readonly isTitle: boolean;
}

const CLAUSES = 24;
const CLAUSE_WORDS = 60;
const TITLE_WORDS = 6;
const BREAKS = /[;!()[\]—–…"“”«»\n]+|[.?:](?=\s|$)|\?|(?<=\s)-+(?=\s)|,(?=\s|$)/g;
const WORD = /[\p{L}\p{N}]+(?:['’_/.-][\p{L}\p{N}]+)*/gu;
const POLITE = new Set(
  "please pls kindly just then also now and or so but first next finally ok okay well hey hi hello again simply quickly always only etc same bulk mass auto".split(
    " ",
  ),
);
const ASIDES = new Set(
  "if because since before after while when whenever so until unless although though as for except by without instead given once whereas where from in on at with using inside among out".split(
    " ",
  ),
);
const SUBJECTS = new Set("i im ive we he she they it you our my somebody someone nobody".split(" "));
/** After these, `to` says what is wanted. */
const WISHES =
  /^(?:need|needs|needed|want|wants|wanted|like|love|wish|have|has|had|trying|try|way|ways|able|script|tool|function|helper|code|something|going|supposed|how|asks?|asked|job|task|time|goal|idea|point|plan|order|us|me|you|it|is|are|possible|easy|nice|good|great|command|routine|snippet)$/;
const MODALS = new Set("can could would will should shall must may let lets".split(" "));
const BE = new Set("be is are was were been being get gets got".split(" "));
const ASKS = new Set(
  "which what who whom whose where when why how is are was were do does did has have can could will would should am".split(
    " ",
  ),
);

const ASKS_FOR = new Set("which what who whom whose where when why how do does did are".split(" "));

export function clausesOf(text: string): readonly Clause[] {
  const clauses: Clause[] = [];
  let start = 0;
  const add = (end: number, mark: string) => {
    for (const part of atConjunctions(wordsOf(text.slice(start, end)))) {
      if (part.length > 0 && clauses.length < CLAUSES) clauses.push(clauseOf(part, mark));
    }
  };
  for (const match of text.matchAll(BREAKS)) {
    if (match[0] === "," && isEnumeration(text.slice(start, match.index), text.slice(match.index + 1)))
      continue;
    add(match.index, match[0]);
    start = match.index + match[0].length;
  }
  add(text.length, "");
  return clauses;
}

/** `names, dates and amounts of a contract`: a comma between things of one kind ends nothing. */
function isEnumeration(before: string, after: string): boolean {
  const [next = "", then = ""] = after.slice(0, 120).split(/[,.;:?!()]/, 2);
  const words = wordsOf(next);
  const joins = (some: readonly string[]) =>
    some
      .slice(0, 4)
      .some(
        (word, index) => (word === "and" || word === "or") && verbOf(some[index + 1] ?? "")?.form !== "base",
      );
  const isItem = joins(words) || (words.length <= 2 && joins(wordsOf(then)));
  const [first = ""] = words;
  const isThing =
    first === "and" || first === "or" || (verbOf(first)?.form !== "base" && !FILLERS.has(first));
  return (
    isItem &&
    isThing &&
    wordsOf(before.slice(-80))
      .slice(-2)
      .some((word) => !FILLERS.has(word))
  );
}

function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  for (const [written] of text.matchAll(WORD)) {
    if (words.length >= CLAUSE_WORDS) break;
    if (/^[A-Z]{2,}-\d+$/.test(written)) continue;
    const isFile = /^[\w-]+\.[a-z]{1,5}$/i.test(written) && !/^(?:e\.g|i\.e)/.test(written);
    const [stem = written, ending = ""] = isFile ? written.split(".") : [written];
    const parts = stem
      .toLowerCase()
      .replace(/['’]s$/, "")
      .replace(/['’]/g, "")
      .split(/[-_/.]+/)
      .filter((word) => word !== "");
    const [first = "", second = ""] = parts;
    if (parts.length > 1 && written.includes("-") && isCompound(first, second)) parts[0] = `${THING}${first}`;
    words.push(...parts);
    if (isFile && ending.length > 1) words.push(ending.toLowerCase());
  }
  return words;
}

/** Before a word that is no verb here, whatever it is elsewhere. */
const THING = "~";

/** `round-robin` and `read-only` tell nobody to do anything, `cherry-pick` does. */
function isCompound(first: string, second: string): boolean {
  if (verbOf(first)?.form !== "base" || VERB_PHRASES.has(`${first} ${second}`)) return false;
  return (
    verbOf(second)?.form !== "base" ||
    /^(?:source|time|date|file|level|code|size|point|list|page)$/.test(second)
  );
}

function plain(words: readonly string[]): readonly string[] {
  return words.map((word) => (word.startsWith(THING) ? word.slice(1) : word));
}

/** `find the pods and collect their logs` is two things to do. */
function atConjunctions(words: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [[]];
  for (const [index, word] of words.entries()) {
    const next = words[index + 1];
    const verb = next === undefined ? undefined : verbOf(next);
    const follows = words[index + 2];
    const isBreak =
      (word === "and" || word === "then" || word === "but") &&
      verb?.form === "base" &&
      follows !== undefined &&
      (FILLERS.has(follows) || verbOf(follows) === undefined) &&
      index > 1;
    const isAside =
      index > 1 &&
      (word === "because" ||
        word === "if" ||
        word === "so" ||
        word === "while" ||
        word === "before" ||
        word === "unless" ||
        word === "whenever");
    if (isBreak) parts.push([]);
    else if (isAside) parts.push([word]);
    else parts.at(-1)?.push(word);
  }
  return parts;
}

function clauseOf(words: readonly string[], mark: string): Clause {
  let at = 0;
  while (at < words.length - 1 && POLITE.has(words[at] ?? "")) at += 1;
  const first = words[at] ?? "";
  // What is not to be done is not what it does.
  const isForbidden =
    /^(?:dont|never|not|no|without|do)$/.test(first) && (first !== "do" || words[at + 1] === "not");
  const isAside = isForbidden || (ASIDES.has(first) && !(first === "where" && mark.includes("?")));
  const made = (mood: Mood, verb: FoundVerb | undefined, objectAt: number): Clause => ({
    mood,
    words: plain(words),
    verb,
    objectAt,
    isAside,
    isTitle: mood === "noun" && mark.startsWith(":") && words.length <= TITLE_WORDS,
  });
  if (isForbidden) return made("story", undefined, at);
  const command = verbAt(words, at);
  if (
    command !== undefined &&
    // `Checks whether they match`: as one says what a function does.
    (command.verb.form === "base" ||
      (command.verb.form === "third" &&
        SAID_OF.test(words[at + 1] ?? "") &&
        // `alerts that fire` are alerts.
        (words[at + 1] !== "that" || command.verb.kind === "check"))) &&
    !isQuestion(words, at, mark) &&
    isCommand(words, at, command)
  )
    return made("command", command.verb, command.end);
  if (isUnknownCommand(words, at) && !isQuestion(words, at, mark) && !isAside)
    return made(
      "command",
      { name: first, kind: "make", isVague: false, isKnown: false, form: "base", base: first },
      at + 1,
    );
  for (let index = at; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const before = words[index - 1] ?? "";
    const found = verbAt(words, index);
    if (found === undefined || found.verb.form !== "base") continue;
    const subject = words[index - 1] ?? "";
    const isWished = before === "to" && (WISHES.test(words[index - 2] ?? "") || index - at <= 3);
    const isAsked =
      (subject === "you" || subject === "we" || subject === "us" || subject === "please") &&
      (MODALS.has(words[index - 2] ?? "") || subject === "please" || subject === "us") &&
      !(subject !== "you" && (words[index - 2] === "should" || (mark.includes("?") && subject === "we")));
    const isLet = before === "me" && words[index - 2] === "help";
    if ((isWished || isAsked || isLet) && word !== "be") return made("request", found.verb, found.end);
  }
  if (isQuestion(words, at, mark)) return made("question", undefined, at);
  const later = laterVerb(words, at);
  if (later !== undefined) return made(later.mood, later.verb, later.objectAt);
  const isStory =
    SUBJECTS.has(first) ||
    words.slice(at, at + 3).some(
      (word, index) =>
        SUBJECTS.has(word) &&
        word !== "it" &&
        word !== "my" &&
        word !== "our" &&
        // `mails I sent` are mails.
        !/[^s]s$/.test(words[at + index - 1] ?? ""),
    );
  return made(
    isStory && !words.some((word) => WISHES.test(word) && /^(?:need|want|like|love)/.test(word))
      ? "story"
      : "noun",
    undefined,
    at,
  );
}

/** What is to be done where it is said in passing: `the logs need rotating`, `a script for renaming`, `all of it archived`. */
function laterVerb(
  words: readonly string[],
  at: number,
): { readonly mood: Mood; readonly verb: FoundVerb; readonly objectAt: number } | undefined {
  for (let index = at; index < words.length; index += 1) {
    const found = verbAt(words, index);
    if (found === undefined || found.verb.isVague) continue;
    const { verb, end } = found;
    const before = words[index - 1] ?? "";
    const next = words[end];
    if (verb.form === "ing") {
      if (index === at && (DETERMINERS.has(next ?? "") || /[^s]s$/.test(next ?? "")))
        return { mood: "command", verb, objectAt: end };
      if (/^(?:for|of|by)$/.test(before) && WISHES.test(words[index - 2] ?? ""))
        return { mood: "request", verb, objectAt: end };
      if (/^(?:needs?|wants?|requires?|needed)$/.test(before)) return { mood: "passive", verb, objectAt: at };
    }
    // `from cart to order` is a way, and nothing to do.
    const isRange = next === undefined && words.slice(at, index).includes("from");
    if (verb.form === "base" && before === "to" && index - at > 1 && !isRange)
      return { mood: "request", verb, objectAt: end };
    if (verb.form === "base" && /^(?:i|we|you|they|he|she|somebody|someone)$/.test(before) && index - at > 0)
      return { mood: "story", verb, objectAt: end };
    if (
      verb.form === "base" &&
      ASIDES.has(words[at] ?? "") &&
      index - at > 1 &&
      !FILLERS.has(before) &&
      DETERMINERS.has(next ?? "")
    )
      return { mood: "command", verb, objectAt: end };
    const isPast =
      verb.form === "past" ||
      (verb.form === "base" && /^(?:sent|split|cut|set|put|read|reset)$/.test(words[index] ?? ""));
    if (!isPast) continue;
    const isWanted = before === "be" || (BE.has(before) && MODALS.has(words[index - 2] ?? ""));
    const isLast = next === undefined || /^(?:to|by|in|into|with|as|from|at|on|before|every|per)$/.test(next);
    const isAsked = words
      .slice(at, index)
      .some((word) => /^(?:need|needs|want|wants|like|have|get|should|must)$/.test(word));
    if (isWanted || (isAsked && isLast && index > at + 1)) return { mood: "passive", verb, objectAt: at };
  }
  return undefined;
}

function isQuestion(words: readonly string[], at: number, mark: string): boolean {
  const first = words[at] ?? "";
  // `the image is huge?!` asks for nothing.
  if (mark.includes("?") && words.some((word, index) => (index <= at + 1 ? ASKS : ASKS_FOR).has(word)))
    return !MODALS.has(first) || words[at + 1] !== "you";
  if (mark.includes("?") && /^(?:any|anything|anyone)$/.test(first)) return true;
  if (
    /^(?:is|are|does|did|has|have|was|were|do)$/.test(first) &&
    /^(?:it|the|this|that|these|those|there|we|our|my|any|all|a|an|i|they|some)$/.test(words[at + 1] ?? "")
  )
    return true;
  return /^(?:which|what|who|where|how|whose|when)$/.test(first) && words[at + 1] !== "to";
}

/** Things first of all; they are told to be done only where somebody says to what: `rate this`, but `rate limits`. */
const THINGS = new Set(
  (
    "rate page file text time index process queue call record note score log plan match sample cache map order mail email message " +
    "profile cluster batch bundle package patch stamp star pin link mirror seed change release table picture value sort paint water feed play " +
    "snapshot digest thumbnail histogram graph chart book bill invoice total average median file back screenshot template bench request " +
    "cherry comment report mock design control permit access estimate score test study group star step trash review track credit debit shift claim quote lease exchange empty home heat mix plant stream vote fire slice dose park harvest pledge welcome alert post reply answer archive"
  ).split(" "),
);
const DETERMINERS = new Set(
  "the a an all my our your this that these those every each any both some it them me us one two only up out down into what which how if whether for new".split(
    " ",
  ),
);

const SAID_OF = /^(?:the|a|an|all|every|each|whether|if|that|how)$/;

/** Of these, verbs at least as much as things. */
const DOING =
  /^(?:sort|group|track|report|review|release|cache|log|test|score|record|order|match|sample|map|link|chart|graph|estimate|archive|alert|post|reply|answer|batch|bundle|mirror|seed|pin|star|stamp|mock|comment|invoice|book|change)$/;

/** `test results`, `log lines`. */
const RESULTS = /^(?:test|log|record|order|sample|score|change|release|report|estimate|chart|graph)$/;

/** `backup of the database`, `test results`: words that are verbs as well are things here. */
function isCommand(words: readonly string[], at: number, { end, verb }: VerbAt): boolean {
  const next = words[end] ?? "";
  if (next.startsWith("request") && /^(?:merge|pull|feature|change|review)$/.test(verb.base)) return false;
  if (next === "of" || next === "is" || next === "are" || (next === "for" && THINGS.has(verb.base)))
    return false;
  if (!THINGS.has(verb.base) || end > at + 1) return true;
  if (DETERMINERS.has(next)) return true;
  const isMeant = DOING.test(verb.base) && words.length > 3;
  return (
    isMeant &&
    ((/[^s]s$/.test(next) && !RESULTS.test(verb.base)) ||
      words.slice(end + 1, end + 7).some((word) => /^(?:by|into|to|from|with|as)$/.test(word)))
  );
}

/** `Proofread the draft`: whatever it means, it is told to be done to something. */
function isUnknownCommand(words: readonly string[], at: number): boolean {
  const first = words[at] ?? "";
  const next = words[at + 1] ?? "";
  return (
    verbOf(first) === undefined &&
    /^[a-z]{3,14}$/.test(first) &&
    !/(?:s|ed|ing|ly|tion|ness|ment|ity)$/.test(first) &&
    !FILLERS.has(first) &&
    !TELLING.has(first) &&
    /^(?:the|a|an|all|my|our|this|these|those|every|each)$/.test(next) &&
    words.length > at + 2
  );
}

interface VerbAt {
  readonly verb: FoundVerb;
  /** Of the word after it. */
  readonly end: number;
}

const PHRASE_WORDS = 5;

function verbAt(words: readonly string[], index: number): VerbAt | undefined {
  const first = words[index];
  if (first === undefined) return undefined;
  const verb = verbOf(first);
  const base = verb?.base ?? first;
  for (let length = Math.min(PHRASE_WORDS, words.length - index); length > 1; length -= 1) {
    const name = VERB_PHRASES.get([base, ...words.slice(index + 1, index + length)].join(" "));
    const named = name === undefined ? undefined : verbNamed(name);
    if (name !== undefined)
      return {
        verb: {
          name,
          kind: named?.kind ?? "change",
          isVague: /^(?:get|show)$/.test(name),
          isKnown: true,
          form: verb?.form ?? "base",
          base,
        },
        end: index + length,
      };
  }
  if (verb === undefined) return undefined;
  // `throw the sessions out`: the small word may come later.
  for (const [distance, small] of words.slice(index + 2, index + 8).entries()) {
    const name = VERB_PHRASES.get(`${base} ${small}`);
    const named = name === undefined ? undefined : verbNamed(name);
    if (name !== undefined && /^(?:out|up|away|down|off|into|know)$/.test(small) && distance >= 0)
      return { verb: { ...verb, name, kind: named?.kind ?? verb.kind, isVague: false }, end: index + 1 };
  }
  return { verb, end: index + 1 };
}
