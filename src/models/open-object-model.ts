/**
 * Opens the model that chooses the object words of names. It is part of PML, and is read when the first name is needed.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { messageOf, PmlError } from "../base/pml-error.js";
import { sha256 } from "../base/sha256.js";
import type { ObjectModel } from "../curation/object-model.js";
import { BundledObjectModel, type ObjectLexicon } from "./objects/bundled-object-model.js";

export const NAMING_MODEL = fileURLToPath(new URL("../../models/pml-naming-v1", import.meta.url));

/** Throws `EMBEDDER_FAILED` if a file is missing, or differs from the hash in `SHA256SUMS`. */
export function openObjectModel(directory: string = NAMING_MODEL): ObjectModel {
  try {
    const sums = readFileSync(`${directory}/SHA256SUMS`, "utf8");
    const checked = (name: string): Buffer => {
      const bytes = readFileSync(`${directory}/${name}`);
      const found = sha256(bytes);
      if (sums.includes(`${found}  ${name}\n`)) return bytes;
      throw new Error(`${name} is damaged or a different file: its SHA-256 is ${found}`);
    };
    const weights = checked("weights.bin");
    const lexicon = JSON.parse(checked("lexicon.json").toString("utf8")) as ObjectLexicon;
    return new BundledObjectModel(lexicon, new DataView(weights.buffer, weights.byteOffset, weights.length));
  } catch (error) {
    throw new PmlError(
      "EMBEDDER_FAILED",
      `Cannot use the naming model in "${directory}": ${messageOf(error)}`,
      {
        cause: error,
        hint: "Install PML again",
      },
    );
  }
}
