/**
 * What is left of an English word without its endings, so that `files` and `file`, `parsing` and `parse` meet.
 *
 * Light on purpose: endings that make another word of it (`read`, `reader`) stay. French plurals fall off by the same
 * rules.
 *
 * @module
 */

const VOWEL = /[aeiouy]/;
const SHORTEST = 4;
/** `embedded`: doubled for the ending alone. Double `l`, `s` and `z` belong to many words themselves. */
const DOUBLED = /([bdgmnprt])\1$/;

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
