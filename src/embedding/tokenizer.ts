/**
 * Converts text to the numbers that a model reads.
 *
 * @module
 */
import { Tokenizer } from "@huggingface/tokenizers";

/** The ids of a text, including its start and end tokens, up to the model's limit. */
export type Tokenize = (text: string) => readonly number[];

/** @param json the parsed `tokenizer.json` */
export function createTokenizer(json: Readonly<Record<string, unknown>>, maxTokens: number): Tokenize {
  // Published files pad and truncate as in training; a single text needs no padding, and is truncated below.
  const tokenizer = new Tokenizer({ ...json, truncation: null, padding: null }, {});
  return (text) => {
    const { ids } = tokenizer.encode(text);
    if (ids.length <= maxTokens) return ids;
    // The end token is part of what the model was trained on.
    return [...ids.slice(0, maxTokens - 1), ids.at(-1) as number];
  };
}
