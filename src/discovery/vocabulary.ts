/**
 * What single words are worth when an intent is compared: which say nothing, which mean the same, and which
 * say which way things go.
 *
 * @module
 */

const VOWEL = /[aeiouy]/;
/** Of words that have a stem. */
const SHORTEST = 4;
/** `embedded`: doubled for the ending alone. Double `l`, `s` and `z` belong to many words themselves. */
const DOUBLED = /([bdgmnprt])\1$/;

const ENGLISH =
  "a an the this that these those some of in on at by for with within as is are be been being am was were it its " +
  "their them they he she we you i me my your our us his her and or also please can could would should will shall " +
  "may might must want wants need needs help let do does did has have had how what which who whose when where why " +
  "there here s t ll ve re d m using via so if whether then than out up about just given specified provided certain " +
  "following named";
const FRENCH =
  "le la les l un une des du de d au aux et ou en dans sur pour par avec ce c cet cette ces mon ma mes ton ta tes " +
  "son sa ses leur leurs notre votre qui que qu quoi dont est sont etre il elle ils elles on nous vous je j tu y n " +
  "se s m t faut veux voudrais peux";

/** They say nothing about what is wanted. */
export const STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${FRENCH}`.split(" "));

/** Which way things go. They find nothing, but `from JSON to CSV` is not `to JSON from CSV`. */
export const DIRECTIONS: ReadonlySet<string> = new Set(
  "from to before after vers depuis avant apres".split(" "),
);

/** The first of each group stands for all of it. Only what may be exchanged for one another in every intent. */
const GROUPS = [
  "config configuration configure conf cfg",
  "directory dir folder",
  "repository repo",
  "database db",
  "image img picture photo",
  "message msg",
  "email mail",
  "document doc",
  "environment env",
  "parameter param",
  "get fetch retrieve obtain",
  "show display",
  "delete remove erase",
  "find search locate",
  "update modify edit change",
  "calculate compute",
  "create make",
  "summarize summarise summary",
  "javascript js",
  "typescript ts",
  "markdown md",
  "yaml yml",
  "website site",
  "last latest newest recent",
  "to into onto",
];

const SAME: ReadonlyMap<string, string> = new Map(
  GROUPS.flatMap((group) => {
    const [first = "", ...others] = group.split(" ");
    return others.map((word) => [stem(word), stem(first)] as const);
  }),
);

/** The stem under which a word and all that mean the same are kept. */
export function wordKey(word: string): string {
  const key = stem(word);
  return SAME.get(key) ?? key;
}

/** Words that most texts have, or could have: they find little. */
const WEAK = keysOf(
  "content contents data text value information info result current new single simple thing item contenu donnees",
);

/** What a word counts beside others. */
export function worthOf(key: string): number {
  return WEAK.has(key) ? 0.25 : 1;
}

function keysOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(wordKey));
}

// What is left of an English word without its endings, so that `files` and `file`, `parsing` and `parse` meet.
//
// Light on purpose: endings that make another word of it (`read`, `reader`) stay. French plurals fall off by the same
// rules.

/** Of a word in lower case without accents; what is no plain word stays as it is. */
export function stem(word: string): string {
  if (word.length < SHORTEST || !/^[a-z]+$/.test(word)) return word;
  return withoutLastVowel(withoutNoun(withoutTense(singular(word))));
}

function singular(word: string): string {
  if (/(?:ss|x|ch|sh|z)es$/.test(word)) return word.slice(0, -2);
  if (/[^aeiou]ies$/.test(word) && word.length > SHORTEST) return `${word.slice(0, -3)}y`;
  return /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  const ending = /(?:ing|[^e]ed)$/.exec(word)?.[0];
  if (ending === undefined) return word;
  const rest = word.slice(0, ending === "ing" ? -3 : -2);
  if (rest.length < 3 || !VOWEL.test(rest)) return word;
  return DOUBLED.test(rest) ? rest.slice(0, -1) : rest;
}

/** `translation` is to `translate` what `files` are to `file`; `action` and `station` are words of their own. */
function withoutNoun(word: string): string {
  return /[st]ion$/.test(word) && word.length >= 8 ? word.slice(0, -3) : word;
}

function withoutLastVowel(word: string): string {
  if (word.length <= 3) return word;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}i`;
  return word.endsWith("e") ? word.slice(0, -1) : word;
}
