/**
 * The weight of single words in comparing intents: which carry no information, which are synonyms, and which give a
 * direction.
 *
 * @module
 */

const VOWEL = /[aeiouy]/;
/** The minimum length of words that are stemmed. */
const SHORTEST = 4;
/** `embedded`: doubled only for the ending. Double `l`, `s` and `z` belong to many words themselves. */
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

/** Words without information about the request. */
export const STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${FRENCH}`.split(" "));

/** Directions. They find nothing, but `from JSON to CSV` is not `to JSON from CSV`. */
export const DIRECTIONS: ReadonlySet<string> = new Set(
  "from to before after vers depuis avant apres".split(" "),
);

/** The first of each group represents all of it. Only words that can replace one another in every intent. */
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

/** The common key of a word and its synonyms. */
export function wordKey(word: string): string {
  const key = stem(word);
  return SAME.get(key) ?? key;
}

/** Words that most texts have, or could have: they find little. */
const WEAK = keysOf(
  "content contents data text value information info result current new single simple thing item contenu donnees",
);

/** The weight of a word relative to others. */
export function worthOf(key: string): number {
  return WEAK.has(key) ? 0.25 : 1;
}

function keysOf(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(wordKey));
}

// Removes the endings of an English word, so that `files` and `file`, `parsing` and `parse` become equal.
//
// Light on purpose: endings that make another word (`read`, `reader`) stay. The same rules remove French plurals.

/** For a word in lower case without accents; anything else stays unchanged. */
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

/** Treats `translation` as a form of `translate`; `action` and `station` are words of their own. */
function withoutNoun(word: string): string {
  return /[st]ion$/.test(word) && word.length >= 8 ? word.slice(0, -3) : word;
}

function withoutLastVowel(word: string): string {
  if (word.length <= 3) return word;
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}i`;
  return word.endsWith("e") ? word.slice(0, -1) : word;
}
