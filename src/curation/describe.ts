/**
 * What is said of a capability beside its name: a sentence for those who search, and a few tags.
 *
 * Whoever said clearly what is wanted keeps their own words; else the sentence is made of the words of the name.
 *
 * @module
 */
import { stem } from "../discovery/vocabulary.js";
import type { CodeFacts } from "./code/code-facts.js";
import { type VerbKind, verbOf } from "./lexicon/verbs.js";
import { TELLING } from "./lexicon/words.js";
import { placeOf } from "./server-names.js";

export interface Described {
  readonly verb: string;
  readonly objects: readonly string[];
  readonly variant: string | undefined;
  readonly servers: readonly string[];
  /** The part of an English intent that says what is done, as a sentence; undefined where none does clearly. */
  readonly said: string | undefined;
}

const SENTENCE_CHARS = 160;
const INTENT_CHARS = 2_000;
const POLITE =
  /^(?:(?:please|pls|kindly|just|now|then|also|and|so|hey|hi|hello|ok|okay)[\s,]+|(?:can|could|would|will) you (?:please )?|(?:i|we) (?:need|want|would like|'d like) (?:you )?to )+/i;
/** Keys, tokens, long numbers, addresses of mail. */
const NOT_TO_BE_SAID =
  /\S{40,}|\b[A-Za-z0-9+/_-]{24,}\b|\d{9,}|\S+@\S+\.\S+|\b(?:password|token|secret|api[_ -]?key)\s*[:=]/i;
const FORMATS = ["json", "csv", "yaml", "xml", "html", "markdown", "pdf", "sql", "toml", "tsv"];
const KIND_TAGS: Readonly<Record<VerbKind, string>> = {
  ask: "read",
  compute: "compute",
  check: "check",
  make: "transform",
  change: "write",
  remove: "delete",
  tell: "notify",
  run: "run",
};

export function descriptionOf({ verb, objects, variant, servers, said }: Described): string {
  const plain = said?.replace(/\s+/g, " ").trim() ?? "";
  if (
    plain.length >= 12 &&
    plain.length <= SENTENCE_CHARS &&
    !NOT_TO_BE_SAID.test(plain) &&
    /^[A-Za-z]/.test(plain)
  )
    return ended(plain);
  const which = variant === undefined || objects.includes(variant) ? "" : ` (${variant})`;
  return ended(`${thirdPerson(verb)} ${thingsOf(objects)}${which}${placeOf(servers)}`);
}

/** `the unpaid invoices and amount`: what comes after several of a kind is something else. */
function thingsOf(objects: readonly string[]): string {
  const parts: string[][] = [[]];
  for (const word of objects) {
    const last = parts.at(-1)?.at(-1);
    const isNew = last !== undefined && !TELLING.has(last) && /[^s]s$/.test(last);
    if (isNew) parts.push([word]);
    else parts.at(-1)?.push(word);
  }
  const some = parts.map((part) => part.join(" ")).filter((part) => part !== "");
  if (some.length === 0) return "what it is given";
  return `the ${some.length < 2 ? some.join("") : `${some.slice(0, -1).join(", ")} and ${some.at(-1) ?? ""}`}`;
}

/** `backup` is said in two words. */
const SPLIT: ReadonlyMap<string, string> = new Map(
  "setup=sets up|backup=backs up|lookup=looks up|rollback=rolls back|login=logs in to|logout=logs out of|checkout=checks out|cherry=picks|batch=batches"
    .split("|")
    .map((entry) => entry.split("=") as [string, string]),
);

function thirdPerson(verb: string): string {
  const split = SPLIT.get(verb);
  if (split !== undefined) return split;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
}

const SENTENCE = /[^.;!?\n]+(?:[.;!?](?!\s|$)[^.;!?\n]*)*/g;
const SENTENCES = 8;

/** Whoever tells a story does not begin with what is wanted. */
const STORY =
  /^(?:i|we|he|she|they|it|you|my|our|there|this|that|these|somebody|someone|nobody|people|everybody|if|when|because|since|as|for|and|or|but|same|no|not|on|in|at|from|with|before|after)\b/i;
const QUESTION =
  /^(?:which|what|what's|who|whose|where|when|why|how|is|are|was|were|do|does|did|has|have|can|should|any|am)\b/i;
const SENTENCE_VERB =
  /\b(?:becomes?|goes?|go|is|are|was|were|wants?|needs?|should|must|has|have|will|can|gets?|says?)\b/i;
/** They begin like what is told to be done. */
const THINGS =
  /^(?:pull|merge|change|feature|test|log|order|release|report) [a-z]+s?\b(?! (?:the|a|an|all|my|our))/i;
const PHRASE_CHARS = 100;
const THING_WORDS = 14;

/**
 * The sentence of an English intent that says what the name says, without the courtesies: where it tells to do it or asks
 * for it, as it is; a thing as what is done to it. It must name something that the name has.
 */
export function saidOf(intent: string, verb: string, objects: readonly string[]): string | undefined {
  const keys = new Set(objects.map(stem));
  let left = SENTENCES;
  let best: { readonly text: string; readonly worth: number } | undefined;
  for (const { 0: sentence, index } of intent.slice(0, INTENT_CHARS).matchAll(SENTENCE)) {
    if (left === 0) break;
    left -= 1;
    const plain = sentence
      .trim()
      .replace(POLITE, "")
      .replace(/[\s,]+please$/i, "")
      .replace(/^((?:get|find|give|show|tell|list|fetch|bring|send) )me /i, "$1")
      .trim();
    const words = new Set(
      plain
        .toLowerCase()
        .match(/[a-z0-9]+/g)
        ?.map(stem),
    );
    const shared = [...keys].filter((key) => words.has(key)).length;
    const said =
      shared === 0 ? undefined : sentenceOf(plain, intent[index + sentence.length] === "?", verb, shared);
    if (said !== undefined && said.worth + shared * 0.3 > (best?.worth ?? 0))
      best = { text: said.text, worth: said.worth + shared * 0.3 };
  }
  return best?.text;
}

function sentenceOf(
  plain: string,
  isAsked: boolean,
  verb: string,
  shared: number,
): { readonly text: string; readonly worth: number } | undefined {
  const found = THINGS.test(plain) ? undefined : verbOf((/^[a-z]+/i.exec(plain)?.[0] ?? "").toLowerCase());
  const isTold = found?.form === "base";
  if (isTold && (found.name === verb || found.base === verb)) return { text: plain, worth: 3 };
  if (plain.length < 4 || plain.length > PHRASE_CHARS || /^\W|[{}<>→]/.test(plain)) return undefined;
  if (/[$€£]|\b(?:them|doesn't|don't)\b/i.test(plain)) return undefined;
  if (QUESTION.test(plain)) return isAsked ? { text: `${plain}?`, worth: 2.5 } : undefined;
  if (isTold) return shared > 1 || found.isVague ? { text: plain, worth: 1.5 } : undefined;
  // `OPS-12: …`, `hunt - pages …` and the like are no phrases that a verb goes before, nor are sentences.
  if (STORY.test(plain) || SENTENCE_VERB.test(plain) || /[:()=]|\s[-–—]\s/.test(plain)) return undefined;
  const words = plain.split(/\s+/);
  if (words.length > THING_WORDS || /^(?:this|it|there|here)$/i.test(words[1] ?? "")) return undefined;
  if (/^(?:the|an?)$/i.test(words[0] ?? "") && words.length > THING_WORDS / 2) return undefined;
  return { text: `${thirdPerson(verb)} ${lowered(plain)}`, worth: 2 };
}

/** `JSON` stays as it is. */
function lowered(text: string): string {
  return /^[A-Z](?:[a-z]+)?(?:\s|$)/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

function ended(sentence: string): string {
  const first = sentence.charAt(0).toUpperCase() + sentence.slice(1).replace(/[\s.,;:!?]+$/, "");
  return `${first}${sentence.endsWith("?") ? "?" : "."}`;
}

export function tagsOf(
  namespace: string,
  kind: VerbKind,
  facts: CodeFacts,
  intent: string,
): readonly string[] {
  const text = `${intent} ${facts.texts.slice(0, 20).join(" ")} ${facts.calls
    .flatMap(({ texts }) => texts.map(([, one]) => one))
    .slice(0, 20)
    .join(" ")}`.toLowerCase();
  const formats = FORMATS.filter(
    (format) =>
      new RegExp(`(?:^|[^a-z])${format}(?:$|[^a-z])`).test(text) ||
      (format === "json" && facts.methods.has("JSON.parse")),
  );
  return [...new Set([namespace, KIND_TAGS[kind], ...formats.slice(0, 2)])];
}
