/**
 * The search text of an intent.
 *
 * A task of several steps is also searched step by step: one vector of a whole task is near to items with a little of
 * everything, and far from the tool that does one step of it well.
 *
 * @module
 */
import { englishOf } from "./french/english-of.js";
import { stepsOf } from "./steps.js";
import { STOP_WORDS } from "./vocabulary.js";
import { allWords, foldText } from "./words.js";

export interface QueryText {
  /**
   * In English, as far as possible; the intent itself if it is not French. Empty if it has no meaningful word, because
   * to a model even punctuation and articles are near to something.
   */
  readonly text: string;
  /** The forms of the intent for the search by words: as written, and in English. */
  readonly wordings: readonly string[];
  /** Its sentences if it has several; each is embedded separately, in addition to the whole. */
  readonly parts: readonly string[];
  /** The steps of the task; empty if there is only one. */
  readonly steps: readonly string[];
}

/** Longer than any task written by hand; models read less than that. */
const QUERY_CHARS = 4_000;
/** Each costs one embedding. */
const PARTS = 8;
/** A shorter sentence, `Thank you.`, is not a step. */
const PART_WORDS = 2;
const SENTENCE_END = /(?<=[.!?;])\s+|[\n。！？；]+/u;

export function queryText(intent: string): QueryText {
  const said = intent.slice(0, QUERY_CHARS).trim();
  if (!hasWord(said)) return { text: "", wordings: [said], parts: [], steps: [] };
  const text = englishOf(said) ?? said;
  const parts = text
    .split(SENTENCE_END)
    .map((part) => part.trim())
    .filter((part) => allWords(part, PART_WORDS).length === PART_WORDS);
  return {
    text,
    wordings: text === said ? [said] : [said, text],
    parts: parts.length > 1 ? parts.slice(0, PARTS) : [],
    steps: stepsOf(text),
  };
}

function hasWord(text: string): boolean {
  return foldText(text)
    .split(" ")
    .some((word) => word !== "" && !STOP_WORDS.has(word));
}
