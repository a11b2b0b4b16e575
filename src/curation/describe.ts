/**
 * What is said of a capability beside its name: a sentence for those who search, and a few tags.
 *
 * @module
 */
import type { CodeFacts } from "./code/code-facts.js";
import { type VerbKind, verbOf } from "./lexicon/verbs.js";

export interface Described {
  readonly verb: string;
  readonly objects: readonly string[];
  readonly variant: string | undefined;
  readonly servers: readonly string[];
  /** The part of an English intent that says what is done, as it was written; undefined where none does clearly. */
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
  const things = objects.length === 0 ? "what it is given" : objects.join(" ");
  const which = variant === undefined || objects.includes(variant) ? "" : ` (${variant})`;
  const where = servers.length === 0 ? "" : ` with ${listed(servers.slice(0, 3))}`;
  return ended(`${verb} ${things}${which}${where}`);
}

const SENTENCE = /[^.;!?\n]+(?:[.;!?](?!\s|$)[^.;!?\n]*)*/g;
const SENTENCES = 8;

/** Whoever tells a story does not begin with what is wanted. */
const STORY =
  /^(?:i|we|he|she|they|it|you|my|our|there|this|that|these|somebody|someone|nobody|people|everybody|if|when|because|since|as|for|and|or|but|same|no|not|on|in|at|from|with)\b/i;
const QUESTION =
  /^(?:which|what|who|whose|where|when|why|how|is|are|was|were|do|does|did|has|have|can|should|any)\b/i;
const SENTENCE_VERB =
  /\b(?:becomes?|goes?|go|is|are|was|were|wants?|needs?|should|must|has|have|will|can|gets?|says?)\b/i;
const PHRASE_CHARS = 100;

/**
 * The sentence of an English intent that says what the name says, without the courtesies: where it tells to do it, as
 * it is; a question as what is answered; a thing as what is done to it.
 */
export function saidOf(intent: string, verb: string): string | undefined {
  let left = SENTENCES;
  let other: string | undefined;
  for (const { 0: sentence, index } of intent.slice(0, INTENT_CHARS).matchAll(SENTENCE)) {
    if (left === 0) break;
    left -= 1;
    const plain = sentence
      .trim()
      .replace(POLITE, "")
      .replace(/[\s,]+please$/i, "")
      .trim();
    const found = verbOf((/^[a-z]+/i.exec(plain)?.[0] ?? "").toLowerCase());
    if (found?.form === "base" && (found.name === verb || found.base === verb)) return plain;
    other ??= otherwise(plain, intent[index + sentence.length] === "?", found?.form === "base", verb);
  }
  return other;
}

function otherwise(plain: string, isAsked: boolean, isTold: boolean, verb: string): string | undefined {
  if (plain.length < 4 || plain.length > PHRASE_CHARS || /^\W|[{}<>→]/.test(plain)) return undefined;
  if (QUESTION.test(plain)) return isAsked ? `Answers the question "${lowered(plain)}?"` : undefined;
  if (isTold) return plain;
  // `OPS-12: …`, `hunt - pages …` and the like are no phrases that a verb goes before.
  return STORY.test(plain) || isAsked || SENTENCE_VERB.test(plain) || /[:()]|\s[-–—]\s/.test(plain)
    ? undefined
    : `${verb} ${lowered(plain)}`;
}

/** `JSON` stays as it is. */
function lowered(text: string): string {
  return /^[A-Z][a-z]+(?:\s|$)/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

function ended(sentence: string): string {
  const first = sentence.charAt(0).toUpperCase() + sentence.slice(1).replace(/[\s.,;:!?]+$/, "");
  return `${first}.`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
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
