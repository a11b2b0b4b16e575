/**
 * Splits texts into words: prose as well as `camelCase`, `snake_case` and `kebab-case` names.
 *
 * Texts are untrusted. Only the beginning of a huge one is read, and a text without words gives none.
 *
 * @module
 */
import { DIRECTIONS, STOP_WORDS, wordKey } from "./vocabulary.js";

export interface Word {
  /** As written, in lower case and without accents. */
  readonly text: string;
  /** Equal for all forms of the word. */
  readonly key: string;
}

/** The maximum of characters read from one text. */
const TEXT_CHARS = 8_000;
/** A longer run of letters is not a searchable word: Base64, a hash, an attack. */
export const WORD_CHARS = 40;

const MARKS = /\p{M}+/gu;
const NOT = /n['’]t\b/g;
/** Single words with a capital inside, which others write without. */
const ONE_WORD =
  /GitHub|GitLab|JavaScript|TypeScript|PostgreSQL|MySQL|SQLite|GraphQL|MongoDB|OpenAI|YouTube|LinkedIn|WhatsApp|PayPal/g;
const HUMP = /(\p{Ll}|\p{N})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu;
const WORD = /\p{L}+\p{N}*|\p{N}+/gu;
/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;
/** A word of these next to one of another script: `GitHub仓库`. */
const SCRIPT_RUNS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/gu;
/** Most texts only contain ASCII, and rules for ASCII alone are several times as fast. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
const ASCII = /^[\x00-\x7f]*$/;
const ASCII_HUMP = /([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g;
const ASCII_WORD = /[a-z]+[0-9]*|[0-9]+/g;
const BETWEEN_WORDS = /[_\-.:/#\s]+/g;

/** In order, without words that carry no information; `most` of them. */
export function wordsOf(text: string, most: number): readonly Word[] {
  return allWords(text, most).filter(({ key }) => !DIRECTIONS.has(key));
}

/** Like {@link wordsOf}, including direction words. */
export function allWords(text: string, most: number): readonly Word[] {
  const words: Word[] = [];
  for (const word of pieces(text)) {
    if (words.length === most) break;
    if (STOP_WORDS.has(word) || word.length > WORD_CHARS) continue;
    words.push({ text: word, key: wordKey(word) });
  }
  return words;
}

/** A text without case, accents and everything between its words. */
export function foldText(text: string): string {
  return [...pieces(text)].join(" ");
}

/** A name in spoken form: `readJSONFile` becomes `read JSON File`. */
export function spokenName(name: string): string {
  return name
    .slice(0, TEXT_CHARS)
    .replace(ONE_WORD, (one) => one.charAt(0) + one.slice(1).toLowerCase())
    .replace(HUMP, "$1$2 ")
    .replace(BETWEEN_WORDS, " ")
    .trim();
}

function* pieces(text: string): Iterable<string> {
  const read = text.slice(0, TEXT_CHARS);
  if (ASCII.test(read)) {
    yield* asciiPieces(read);
    return;
  }
  const plain = read
    .normalize("NFKD")
    .replace(MARKS, "")
    .replace(NOT, " not")
    .replace(ONE_WORD, (name) => name.toLowerCase())
    .replace(HUMP, "$1$2 ")
    .toLowerCase();
  for (const [word] of plain.matchAll(WORD)) {
    if (!UNSPACED.test(word)) yield word;
    else for (const [run] of word.matchAll(SCRIPT_RUNS)) yield* UNSPACED.test(run) ? pairs(run) : [run];
  }
}

/** The same result as for any text. */
function* asciiPieces(text: string): Iterable<string> {
  const plain = text
    .replace(NOT, " not")
    .replace(ONE_WORD, (name) => name.toLowerCase())
    .replace(ASCII_HUMP, "$1$2 ")
    .toLowerCase();
  for (const [word] of plain.matchAll(ASCII_WORD)) yield word;
}

/** Pairs of letters replace words, which only a dictionary could find. */
function* pairs(word: string): Iterable<string> {
  const letters = [...word];
  if (letters.length === 1) yield word;
  for (const [index, letter] of letters.entries())
    if (index > 0) yield `${letters[index - 1] ?? ""}${letter}`;
}
