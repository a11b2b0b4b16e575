/**
 * French words with their English translations, written for this project: what people do with files, data, the web,
 * programs, mail, calendars, maps, money, health, pictures and the like.
 *
 * Verbs are in the infinitive, nouns in the singular, without accents; `_` joins words of one entry. `lemmasOf` finds
 * the other forms.
 *
 * @module
 */

import { stem } from "../vocabulary.js";
import { MORE_THINGS, SMALL_WORDS, THINGS } from "./things.js";
import { ACTIONS, TRADE_WORDS, WORK_WORDS } from "./work-words.js";

// The glossary forms of a French word: `fichier` for `fichiers`, `chercher` for `cherchez`.
//
// A wrong guess is harmless: it is usually not in the glossary.

/** Endings of words, and their replacements in the glossary; in the order in which they are tried. */
const ENDINGS: readonly (readonly [endings: string, instead: string])[] = [
  ["s x", ""],
  ["e es ez ons ent ee ees ant ais ait aient era erai erez erons eront erait", "er"],
  ["ie ies ient", "yer"],
  ["e es", ""],
  ["aux", "al"],
  ["elle elles", "el"],
  ["ive ives", "if"],
  ["euse euses", "eux"],
  ["euse euses", "eur"],
  ["iere ieres", "ier"],
  ["enne ennes", "en"],
  ["geons geant geait", "ger"],
  ["i is it ie ies issez issons issent issant issait ira irez iront", "ir"],
  ["s d ds t ts ez ons ent u ue us ues ra rez ront ant", "re"],
  ["s d ds ez ons ent u ue us ues", "dre"],
  ["s t ts tez tons tent", "tre"],
];
/** The minimum length before an ending. */
const SHORTEST = 2;

/** For a word in lower case without accents: itself first, then the words that it may be a form of. */
export function lemmasOf(word: string): readonly string[] {
  const lemmas = [word];
  for (const [endings, instead] of ENDINGS)
    for (const ending of endings.split(" "))
      if (word.endsWith(ending) && word.length >= SHORTEST + ending.length)
        lemmas.push(`${word.slice(0, -ending.length)}${instead}`);
  return lemmas;
}

/** Function words, only in this exact form: `danse` is not a form of `dans`. */
const FIXED = entriesOf(SMALL_WORDS);
const VERBS = new Map([...entriesOf(TRADE_WORDS), ...entriesOf(WORK_WORDS), ...entriesOf(ACTIONS)]);
const FORMED = new Map([
  ...entriesOf(TRADE_WORDS),
  ...entriesOf(WORK_WORDS),
  ...entriesOf(MORE_THINGS),
  ...entriesOf(ACTIONS),
  ...entriesOf(THINGS),
]);

/** The translation of a French word in any form, or of several words of one entry. */
export function lookUp(french: string): string | undefined {
  const fixed = FIXED.get(french);
  if (fixed !== undefined) return fixed;
  for (const lemma of lemmasOf(french)) {
    const english = FORMED.get(lemma);
    if (english !== undefined) return english;
  }
  return undefined;
}

/** Whether it is a function word. */
export function isSmallWord(french: string): boolean {
  return FIXED.has(french);
}

/** The translation of a French verb in any of its forms, even if it could also be a noun: `compte` is `count`. */
export function frenchVerb(french: string): string | undefined {
  return VERBS.get(infinitiveOf(french) ?? "");
}

/** The infinitive of a known French verb. */
export function infinitiveOf(french: string): string | undefined {
  return lemmasOf(french).find((lemma) => /(?:er|ir|re)$/.test(lemma) && VERBS.has(lemma));
}

/** Whether this exact form is in the glossary. */
export function isEntry(french: string): boolean {
  return FIXED.has(french) || FORMED.has(french);
}

const ENGLISH: ReadonlySet<string> = new Set(
  [...FORMED.values(), ...FIXED.values()].flatMap((english) => english.toLowerCase().split(" ").map(stem)),
);

/** Whether it is an English word of the glossary in any form; other words may be misspelt. */
export function isEnglishWord(word: string): boolean {
  return ENGLISH.has(stem(word));
}

/** The number of words in the longest entry. */
export const GLOSSARY_WORDS = [...FIXED.keys(), ...FORMED.keys()].reduce(
  (most, french) => Math.max(most, french.split(" ").length),
  1,
);

function entriesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .trim()
      .split(/\s+/u)
      .map((entry) => {
        const [french = "", english = ""] = entry.split(":");
        return [french.replaceAll("_", " "), english.replaceAll("_", " ")] as const;
      }),
  );
}
