/** Counts tokens in a thread, which takes the vocabulary with it when it ends. */
import { parentPort } from "node:worker_threads";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

parentPort?.on("message", (texts: readonly string[]) => {
  parentPort?.postMessage(texts.map((text) => countTokens(text)));
});
