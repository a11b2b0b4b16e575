/** The thread in which tokens are counted. The build puts the tokenizer and its vocabulary into this file. */
import { parentPort, workerData } from "node:worker_threads";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

parentPort?.postMessage((workerData as readonly string[]).map((text) => countTokens(text)));
