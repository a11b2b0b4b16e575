/** The thread that counts tokens. The build puts the tokenizer and its vocabulary into this file. */
import { parentPort, workerData } from "node:worker_threads";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

/** The tokenizer takes quadratic time for text without spaces. A cut adds at most one token. */
const SLICES = /[\s\S]{1,4000}/gu;
/** Text such as `<|endoftext|>` is ordinary text. */
const OPTIONS = { disallowedSpecial: new Set<string>() };

export function tokensOf(text: string): number {
  return (text.match(SLICES) ?? []).reduce((sum, slice) => sum + countTokens(slice, OPTIONS), 0);
}

parentPort?.postMessage((workerData as readonly string[]).map(tokensOf));
