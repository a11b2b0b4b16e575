/**
 * The steps of a request: `Read the report, then send it to Ann` has two.
 *
 * A clause is a step if it begins with a verb of work, or follows a word of order such as `then`. Other clauses only
 * describe the request: `my user id is 12345`. A file for the result is a step too, because writing it needs a tool
 * that the sentence does not name: `generate a report in notes/report.md`.
 *
 * @module
 */
import { wordSet } from "../base/word-set.js";
import { allWords, foldText } from "./words.js";

/** Each costs one embedding and one search. */
const STEPS = 6;
/** `delete it` is too short to search for. */
const STEP_WORDS = 2;
/** Characters after a comma that are read to detect a clause. */
const LOOKED_AHEAD = 200;

const VERBS = wordSet(
  "add allocate analyze analyse append apply archive arrange ask assess assign attach book build burn buy calculate call " +
    "cancel capture change chart check choose classify clean click clone close collect combine commit compare compile " +
    "compose compress compute configure connect convert copy count crawl create crop cross-reference decode decrypt define " +
    "delete deploy describe design detect determine diagnose disable display download draft draw edit email enable encode " +
    "encrypt estimate evaluate examine execute explain explore export extract fetch fill filter find fix format forward " +
    "gather generate geocode get give grab group highlight identify import index inform insert inspect install invite join " +
    "label launch learn list load locate log look make map mark measure merge message migrate monitor move notify obtain " +
    "open optimize order organize output parse pay perform pick ping place plan play plot post predict prepare print " +
    "process produce provide publish pull push put query rank read recommend record redeem refresh register remind remove " +
    "rename render reply report reschedule research reserve resize resolve restart restore retrieve return review rotate " +
    "run save scan schedule scrape screenshot search see select send set share show sign simulate sort split start stop " +
    "store submit subscribe suggest sum summarize summarise switch sync take tell test trace track train transcribe " +
    "transfer translate turn update upload validate verify view visit visualize watch write zip",
);
/**
 * With these verbs, a path in the clause is a file to create; other verbs, such as `read` and `move`, take an existing
 * one.
 */
const MAKING = wordSet(
  "generate create make write draft build produce prepare compile compose save store put provide design draw output record plan",
);
/** With these verbs, it is a file to create if the path is marked as the target: `summarize it into notes/a.md`. */
const TAKING = wordSet("summarize summarise report give analyze analyse list find run");
const SAVING = /\b(?:sav(?:e|ing)|writ(?:e|ing)|stor(?:e|ing)|export(?:ing)?|output)\b/i;
/** Past tense, unless the path is marked as a target: `the data stored in a.csv`. */
const SAVED = /\b(?:saved|written|stored|exported)\b/i;
const GOES_INTO = /^(?:into|to|as)$/i;
/** A clause with these only writes the file. */
const WRITING = /^(?:save|store|put|append)\b|^write\b.*\b(?:in)?to\s+\S+$/i;
/** A noun, although it begins with a verb. */
const THING = /^pull requests?\b/i;
/** Verbs that are often nouns: in a list they are, unless an object follows. */
const MAYBE_THING = wordSet(
  "build email index label log map message order place plan post process record report return review search sign store test",
);
const DONE_TO =
  /^\S+\s+(?:(?:an?|the|it|them|this|that|these|those|my|our|your|his|her|its|their|all|any|each|every|some|for|to|on|in|with|how|what|whether)\b|\p{Lu}|\d)/u;

const SENTENCE_END = /(?<=[.!?;])\s+(?=\P{Ll})|[\n。！？；]+/u;
const BULLET = /^[ \t]*[-*•][ \t]+(?=\p{L})/gmu;
const NUMBER = /(?:^|\s)(?:step\s+)?\d{1,2}[.):]\s+(?=\p{L})/giu;
const NUMBERED = [/(?:^|\s)1[.):]\s/u, /\s2[.):]\s/u];
/** Separators between two clauses. */
const JOIN =
  /\s*(?:->|→)\s*|(?<=[.!?;])\s+|,?\s+(?:and\s+)?(?:then|finally|lastly|afterwards?|after (?:that|which|this)|followed by)\b,?\s*|\s*,\s*(?:and\b\s*)?|\s+and\b\s*/giu;
const IN_ORDER =
  /^[\s,]*(?:and\s+)?(?:then|finally|lastly|afterwards?|after (?:that|which|this)|followed by|->|→)/i;
/** Words before the verb that carry no information. */
const LEAD_IN =
  /^["“']?(?:(?:and|then|also|next|finally|lastly|last|afterwards?|after (?:that|which|this)|followed by|additionally|furthermore|moreover|please|kindly|now|so|first(?:ly)?(?: of all)?|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|to|(?:can|could|would|will) (?:you|we)|i(?:'d| would| also| just){0,3} (?:like|want|need|wish)(?: you)?(?: also)? to|i need (?:your )?(?:help|assistance)(?: to| in| with)?|help(?: me)?(?: to)?|let me|let's|make sure to|you)\b[\s,:]*)+/i;
const EDGES = /^[\s,;.!?→>-]+|[\s,;.!?"”]+$/gu;
const QUESTION = /^(?:what|which|who|where|when|how)\b/i;
/** Text in quotes or brackets is not split. */
const WHOLE = /"[^"]{1,200}"|“[^”]{1,200}”|`[^`]{1,200}`|(?<!\p{L})'[^']{1,120}'(?!\p{L})|\([^()]{1,200}\)/gu;
const TARGET = /\b(in|into|at|to|as|on)\s+(?:(?:the|a)\s+)?(?:(?:file|path)\s+)?(\S{1,300})/gi;
const AROUND_PATH = /^[`'"“(]+|[`'"”),.;:!?]+$/gu;
const EXTENSION = /[\p{L}\p{N}_]\.([a-z][a-z0-9]{0,4})$/iu;

/** Empty if there is only one thing to do. `text` is English. */
export function stepsOf(text: string): readonly string[] {
  const clauses = clausesOf(text);
  const [only, ...others] = clauses;
  if (only === undefined || (others.length === 0 && WRITING.test(only.text))) return [];
  const steps = clauses.filter(isStep).map((clause) => clause.text);
  const written = clauses.flatMap(fileOf);
  const all = [...new Map([...steps, ...written].map((step) => [foldText(step), step])).values()];
  return all.length === 1 && written.length === 0 ? [] : all.slice(0, STEPS);
}

interface Clause {
  readonly text: string;
  /** Its first word. */
  readonly verb: string;
  /** A word before or after it shows that it is one of several. */
  readonly isOrdered: boolean;
  readonly isFirst: boolean;
  readonly isAlone: boolean;
}

function clausesOf(text: string): readonly Clause[] {
  const listed = text.replace(/[^\S\n]+/g, " ").replace(BULLET, "\nthen ");
  const lines = NUMBERED.every((one) => one.test(listed)) ? listed.replace(NUMBER, "\nthen ") : listed;
  return lines.split(SENTENCE_END).flatMap((sentence) => {
    const parts = partsOf(sentence);
    const isOrdered = parts.some((part) => IN_ORDER.test(part));
    return parts
      .map((part, index) => {
        const said = part.replace(EDGES, "").replace(LEAD_IN, "").replace(EDGES, "");
        return {
          text: said,
          verb: firstWord(said),
          isOrdered: IN_ORDER.test(part) || (isOrdered && index === 0),
          isFirst: index === 0,
          isAlone: parts.length === 1,
        };
      })
      .filter((clause) => clause.text !== "");
  });
}

/** Splits a sentence before each clause that begins with a verb or with a word of order. */
function partsOf(sentence: string): readonly string[] {
  const masked = sentence.replace(WHOLE, (quoted) => "_".repeat(quoted.length));
  const cuts = [0];
  for (const { 0: join, index } of masked.matchAll(JOIN)) {
    const rest = masked.slice(index + join.length, index + join.length + LOOKED_AHEAD).replace(LEAD_IN, "");
    const next = isThing(rest, IN_ORDER.test(join)) ? "" : firstWord(rest);
    if (index > 0 && next !== "" && (isVerb(next) || IN_ORDER.test(join))) cuts.push(index);
  }
  return cuts.map((from, at) => sentence.slice(from, cuts[at + 1]));
}

function isThing(rest: string, isOrdered: boolean): boolean {
  return THING.test(rest) || (!isOrdered && MAYBE_THING.has(firstWord(rest)) && !DONE_TO.test(rest));
}

function isStep({ text, verb, isOrdered, isFirst, isAlone }: Clause): boolean {
  if (allWords(text, STEP_WORDS).length < STEP_WORDS) return false;
  if (VERBS.has(verb) || isOrdered) return true;
  return isFirst ? !isAlone && QUESTION.test(text) : isVerb(verb);
}

/** The file that a clause creates, as a step. */
function fileOf({ text, verb }: Clause): readonly string[] {
  for (const { 1: by = "", 2: word = "", index } of text.matchAll(TARGET)) {
    const path = word.replace(AROUND_PATH, "");
    const kind = EXTENSION.exec(path)?.[1]?.toLowerCase();
    if (kind === undefined || path.includes("://")) continue;
    const isPath = /[/\\]/.test(path);
    const before = text.slice(0, index);
    const isInto = GOES_INTO.test(by);
    const isSaved = SAVING.test(before) || (isInto && SAVED.test(before));
    const isMade = isPath && (MAKING.has(verb) || (isInto && TAKING.has(verb)));
    if (isSaved || isMade) return [`write a ${kind} file`];
  }
  return [];
}

function isVerb(word: string): boolean {
  if (VERBS.has(word)) return true;
  if (!word.endsWith("ing")) return false;
  const stem = word.slice(0, -3);
  return VERBS.has(stem) || VERBS.has(`${stem}e`) || (/(.)\1$/.test(stem) && VERBS.has(stem.slice(0, -1)));
}

function firstWord(text: string): string {
  return /^[\p{L}-]+/u.exec(text)?.[0]?.toLowerCase() ?? "";
}
