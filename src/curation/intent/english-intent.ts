/**
 * An intent in English, ready to be parsed: French is translated word by word, and phrases are replaced by the one word
 * that a name would use.
 *
 * @module
 */

import { wordSet } from "../../base/word-set.js";
import { englishOf, wordsInEnglish } from "../../discovery/french/english-of.js";
import { frenchVerb, lookUp } from "../../discovery/french/glossary.js";
import { maskText } from "../brief/mask-text.js";
import { rewrittenEnglish, rewrittenFrench } from "../lexicon/phrases.js";
import { verbOf } from "../lexicon/verbs.js";
import { TELLING } from "../lexicon/words.js";

/** The rest is ignored: the purpose comes early, or never. */
const TEXT_CHARS = 2_000;
const MARKS = /\p{M}+/gu;
const CONTROLS = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu;
const PLACEHOLDER = /[!#$]?\{+[\w. ]{0,40}\}+/g;

export interface EnglishIntent {
  readonly text: string;
  readonly isFrench: boolean;
  /** Its words that no glossary contains. */
  readonly strange: ReadonlySet<string>;
}

/** @param isMeant for a French word with several translations, whether the code is about this one */
export function englishIntent(
  intent: string,
  isMeant: (english: string) => boolean = () => false,
): EnglishIntent {
  const plain = withoutSecrets(
    intent.slice(0, TEXT_CHARS).replace(CONTROLS, " ").replace(/[’‘]/g, "'"),
  ).trim();
  // Without its accent, `à` would become the `a` of `la salle a changé`, which has no meaning.
  const french = plain
    .replace(/(?<=[\p{L}'’]\s+)a(?=\s+\p{L})/gu, "")
    .normalize("NFKD")
    .replace(MARKS, "")
    .replace(/œ/g, "oe");
  const isFrench = englishOf(plain) !== undefined || isShortFrench(french);
  const english = isFrench ? wordsInEnglish(withFrenchVerbs(rewrittenFrench(french)), { isMeant }) : plain;
  const text = withStates(rewrittenEnglish(english.replace(PLACEHOLDER, " ").replace(/→|⇒|->|=>/g, " to ")));
  return { text, isFrench, strange: isFrench ? strangeOf(french, isMeant) : new Set() };
}

/** Unknown words in lower case: proper names, which have a capital letter even inside a sentence, do not count. */
function strangeOf(french: string, isMeant: (english: string) => boolean): ReadonlySet<string> {
  const words = french.match(/(?<![\p{L}\p{N}])\p{Ll}[\p{L}\p{N}]{2,}/gu) ?? [];
  return new Set(
    words
      .map((word) => word.toLowerCase())
      .filter((word) => lookUp(word) === undefined && verbOf(word) === undefined && !isMeant(word)),
  );
}

/** Addresses, keys and account numbers must not become part of a name. */
function withoutSecrets(text: string): string {
  // The masking function reads no more than that at once.
  const pieces = text.match(/.{1,1000}(?:\s|$)/gsu) ?? [];
  return pieces
    .map((piece) => maskText(piece, TEXT_CHARS))
    .join(" ")
    .replace(/\[(?:url|mail|secret|path|number|value)\]/g, " ");
}

const NOT = /\b(?:not|never|non|no longer|nobody|no one)\s+(?:(?:yet|has|been|ever) )*([a-z]{3,})\b/gi;

/** `not reviewed yet` becomes `unreviewed`. */
function withStates(text: string): string {
  return text.replace(/n't\b/g, " not").replace(NOT, (all, word: string) => {
    // A French participle may have been translated as the verb itself.
    const state = ["un", "in"]
      .flatMap((not) => ["", "ed", "d"].map((end) => `${not}${word.toLowerCase()}${end}`))
      .find((one) => TELLING.has(one));
    return state === undefined ? all : ` ${state} `;
  });
}

const FRENCH_QUESTION = /^(?:combien|quel(?:le)?s?|est-ce|y a-t-il|qu'est-ce)\b/i;
const ARTICLE = /\b(?:le|la|les|un|une|des|du|de|aux|en)\b|\b[ld]'/i;

/** `Valider un IBAN`: too short to detect by function words, but it begins with a verb in the infinitive. */
function isShortFrench(text: string): boolean {
  if (FRENCH_QUESTION.test(text)) return true;
  const [, first = ""] = /^([a-z]+(?:er|ir|re|e))\b/i.exec(text.toLowerCase()) ?? [];
  return frenchVerb(first) !== undefined && ARTICLE.test(text) && verbOf(first) === undefined;
}

/** `mettre à jour`: the verb consists of all its words. */
const OPEN_VERBS = wordSet(
  "met mets mettre mettez remet remets remettre faire fais faites prendre prends passer tenir",
);

/** `Compte les lignes`: the first word of a clause is an imperative, even if it could also be a noun. */
function withFrenchVerbs(text: string): string {
  const first = /(^\s*|[.;:!?,(]\s*|\b(?:et|puis|ensuite)\s+)([a-zA-Z]{3,})(?! d'| de | du )/g;
  return text.replace(first, (all, before: string, word: string) => {
    const verb = OPEN_VERBS.has(word.toLowerCase()) ? undefined : frenchVerb(word.toLowerCase());
    return verb === undefined ? all : `${before}${verb}`;
  });
}
