/**
 * French words and what they are in English, written for this project: what people do with files, data, the web,
 * programs, mail, calendars, maps, money, health, pictures and the like.
 *
 * Verbs stand in the infinitive, nouns in the singular, without accents; `_` joins words that belong together.
 * `lemmasOf` finds the other forms.
 *
 * @module
 */

import { stem } from "../vocabulary.js";
import { MORE_THINGS, SMALL_WORDS, THINGS } from "./things.js";
import { ACTIONS, TRADE_WORDS, WORK_WORDS } from "./work-words.js";

// Under which forms a French word may stand in a glossary: `fichiers` under `fichier`, `cherchez` under `chercher`.
//
// A wrong guess is no harm: it stands in no glossary, as a rule.

/** What a word may end in, and what stands there in the glossary instead; in the order in which they are tried. */
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
/** Of what is left before an ending. */
const SHORTEST = 2;

/** Of a word in lower case without accents: itself first, then what it may be a form of. */
export function lemmasOf(word: string): readonly string[] {
  const lemmas = [word];
  for (const [endings, instead] of ENDINGS)
    for (const ending of endings.split(" "))
      if (word.endsWith(ending) && word.length >= SHORTEST + ending.length)
        lemmas.push(`${word.slice(0, -ending.length)}${instead}`);
  return lemmas;
}

/** What holds a sentence together, as it stands: `danse` is no form of `dans`. */
const FIXED = entriesOf(SMALL_WORDS);
const VERBS = new Map([...entriesOf(TRADE_WORDS), ...entriesOf(WORK_WORDS), ...entriesOf(ACTIONS)]);
const FORMED = new Map([
  ...entriesOf(TRADE_WORDS),
  ...entriesOf(WORK_WORDS),
  ...entriesOf(MORE_THINGS),
  ...entriesOf(ACTIONS),
  ...entriesOf(THINGS),
]);

/** The English of a French word in any form, or of several words that belong together. */
export function lookUp(french: string): string | undefined {
  const fixed = FIXED.get(french);
  if (fixed !== undefined) return fixed;
  for (const lemma of lemmasOf(french)) {
    const english = FORMED.get(lemma);
    if (english !== undefined) return english;
  }
  return undefined;
}

/** It holds a sentence together, and is no thing. */
export function isSmallWord(french: string): boolean {
  return FIXED.has(french);
}

/** The English of a French verb in any of its forms, where it could be the form of a noun as well: `compte` is `count`. */
export function frenchVerb(french: string): string | undefined {
  return VERBS.get(infinitiveOf(french) ?? "");
}

/** The infinitive of a French verb that is known here. */
export function infinitiveOf(french: string): string | undefined {
  return lemmasOf(french).find((lemma) => /(?:er|ir|re)$/.test(lemma) && VERBS.has(lemma));
}

/** It stands in the glossary as it is written. */
export function isEntry(french: string): boolean {
  return FIXED.has(french) || FORMED.has(french);
}

const ENGLISH: ReadonlySet<string> = new Set(
  [...FORMED.values(), ...FIXED.values()].flatMap((english) => english.toLowerCase().split(" ").map(stem)),
);

/** An English word of the glossary in any of its forms: what is none may be misspelt. */
export function isEnglishWord(word: string): boolean {
  return ENGLISH.has(stem(word));
}

/** Words of the longest entry. */
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
