/**
 * The similarity of two short texts in what they ask for.
 *
 * PML may run something because of this without asking, so in doubt two texts are "not alike". Only the same words in
 * the same order, in any form, count as the same. A single word that is replaced, added, omitted or moved may change
 * the meaning of a long sentence (`delete` for `read`, `not`, `tomorrow`, `CSV to JSON`).
 *
 * @module
 */
import { DIRECTIONS, worthOf } from "./vocabulary.js";
import { allWords, foldText, WORD_CHARS } from "./words.js";

export interface Phrase {
  readonly folded: string;
  /** In order, including directions. */
  readonly keys: readonly string[];
  /** Without directions. */
  readonly content: ReadonlySet<string>;
  /** Relevant characters outside of words: symbols, and text that is not read as words. */
  readonly beside: string;
}

const PHRASE_WORDS = 100;
const ARROW = /->|→/gu;
/** Punctuation is ignored, but `C#` is not `C++`, `x < 5` not `x > 5`, and `$ to €` not `€ to $`. */
const SIGNS =
  /[\p{Sm}\p{Sc}%^]|(?![©®°])\p{So}|(?<=\p{L})#|(?<![\p{L}\p{N}])-(?=\p{N})|(?<=[\p{L}\p{N}] ?)[*/](?= ?[\p{L}\p{N}])/gu;
/** For texts with the same words in other forms. */
const SAME_WORDS = 0.99;
/** For texts that differ, however little. */
const NOT_THE_SAME = 0.8;
/** From this value on, two texts count as the same. */
export const NEARLY = 0.85;
/** Begins an intent, `to read a file`, and carries no information there. */
const INFINITIVE = "to";

export function phraseOf(text: string): Phrase {
  const all = allWords(text, PHRASE_WORDS).map(({ key }) => key);
  const keys = all[0] === INFINITIVE ? all.slice(1) : all;
  const folded = foldText(text);
  return {
    folded,
    keys,
    content: new Set(keys.filter((key) => !DIRECTIONS.has(key))),
    beside: [...signsOf(text), ...(all.length < PHRASE_WORDS ? longWordsOf(folded) : [folded])].join(" "),
  };
}

function signsOf(text: string): readonly string[] {
  return text.normalize("NFKC").replace(ARROW, " ").match(SIGNS) ?? [];
}

function longWordsOf(folded: string): readonly string[] {
  return folded.split(" ").filter((word) => word.length > WORD_CHARS);
}

/** Between 0 and 1; 1 if they differ only in case, accents and punctuation. */
export function alikeness(one: Phrase, other: Phrase): number {
  const isSameBeside = one.beside === other.beside;
  if (isSameBeside && one.folded === other.folded) return one.folded === "" ? 0 : 1;
  if (one.content.size === 0 || other.content.size === 0) return 0;
  if (isSameBeside && saysTheSame(one.keys, other.keys)) return SAME_WORDS;
  const shared = worth([...one.content].filter((key) => other.content.has(key)));
  // Squared: one more or less of five words is a fifth, and matters more than that.
  const share = ((2 * shared) / (worth(one.content) + worth(other.content))) ** 2;
  return NOT_THE_SAME * share;
}

/** Between two names `to` matters if both texts have it: it must then be at the same place. */
function saysTheSame(one: readonly string[], other: readonly string[]): boolean {
  const isLoose = one.includes(INFINITIVE) !== other.includes(INFINITIVE);
  const tight = (keys: readonly string[]) =>
    (isLoose ? keys.filter((key) => key !== INFINITIVE) : keys).join(" ");
  return tight(one) === tight(other);
}

function worth(keys: Iterable<string>): number {
  let sum = 0;
  for (const key of keys) sum += worthOf(key);
  return sum;
}
