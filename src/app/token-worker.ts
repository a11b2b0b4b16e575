/** The thread in which tokens are counted. The build puts the tokenizer and its vocabulary into this file. */
import { parentPort, workerData } from "node:worker_threads";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** The tokenizer takes the square of the time for text without spaces. A cut adds a token at most. */
const SLICES = /[\s\S]{1,4000}/gu;
/** Text such as `<|endoftext|>` is text. */
const OPTIONS = { disallowedSpecial: new Set<string>() };

export function tokensOf(text: string): number {
  return (text.match(SLICES) ?? []).reduce((sum, slice) => sum + countTokens(slice, OPTIONS), 0);
}

parentPort?.postMessage((workerData as readonly string[]).map(tokensOf));
