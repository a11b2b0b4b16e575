/**
 * Text to the numbers that a model reads.
 *
 * @module
 */
import { Tokenizer } from "@huggingface/tokenizers";

/** The ids of a text, its first and last mark included, at most as many as the model takes. */
export type Tokenize = (text: string) => readonly number[];

/** @param json the parsed `tokenizer.json` */
export function createTokenizer(json: Readonly<Record<string, unknown>>, maxTokens: number): Tokenize {
  // Published files pad and cut as their makers trained; one text at a time needs no padding, and cutting is below.
  const tokenizer = new Tokenizer({ ...json, truncation: null, padding: null }, {});
  return (text) => {
    const { ids } = tokenizer.encode(text);
    if (ids.length <= maxTokens) return ids;
    // The mark at the end is part of what the model was trained on.
    return [...ids.slice(0, maxTokens - 1), ids.at(-1) as number];
  };
}
