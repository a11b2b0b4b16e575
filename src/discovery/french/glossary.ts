/**
 * French words and what they are in English, written for this project: what people do with files, data, the web,
 * programs, mail, calendars, maps, money, health, pictures and the like.
 *
 * Verbs stand in the infinitive, nouns in the singular, without accents; `_` joins words that belong together.
 * `lemmas-of.ts` finds the other forms.
 *
 * @module
 */
import { ACTIONS } from "./actions.js";
import { lemmasOf } from "./lemmas-of.js";
import { MORE_THINGS } from "./more-things.js";
import { SMALL_WORDS } from "./small-words.js";
import { THINGS } from "./things.js";
import { TRADE_WORDS } from "./trade-words.js";
import { WORK_WORDS } from "./work-words.js";

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

/** The English of a French word, whatever its form, or of several that belong together. */
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
  for (const lemma of lemmasOf(french)) {
    const english = /(?:er|ir|re)$/.test(lemma) ? VERBS.get(lemma) : undefined;
    if (english !== undefined) return english;
  }
  return undefined;
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
