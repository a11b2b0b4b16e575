import { fileURLToPath } from "node:url";
import { IS_SMOKE } from "./options.mjs";

/** Two tools and one case in this repository: enough to run every line, too few to measure anything. */
const SAMPLE = { PML_EVAL_DIR: fileURLToPath(new URL("../fixtures/evaluation", import.meta.url)) };

/**
 * The folder with labelled data, the file with cached vectors, and the document for the tables; each may be missing.
 */
export const { PML_EVAL_DIR, PML_EVAL_CACHE, PML_EVAL_WRITE } = IS_SMOKE ? SAMPLE : process.env;
