/**
 * The messages between the gateway and the model process.
 *
 * @module
 */
import type { ModelFiles } from "./model-files.js";

export type ToModel =
  /** The first message, sent once. */
  | { readonly kind: "load"; readonly files: ModelFiles }
  | { readonly kind: "embed" | "words"; readonly text: string };

/** One answer to each message, in order. */
export type FromModel =
  | { readonly kind: "loaded" }
  /** It cannot be loaded, even by a retry. */
  | { readonly kind: "unusable"; readonly why: string }
  /** For `words`: the vector of the text, followed by those of its words. */
  | { readonly kind: "vector"; readonly vector: Float32Array }
  | { readonly kind: "refused"; readonly why: string };
