/**
 * What the gateway and the process of a model say to each other.
 *
 * @module
 */
import type { ModelFiles } from "./model-files.js";

export type ToModel =
  /** Comes first, and once. */
  | { readonly kind: "load"; readonly files: ModelFiles }
  | { readonly kind: "embed" | "words"; readonly text: string };

/** One answer to each message, in order. */
export type FromModel =
  | { readonly kind: "loaded" }
  /** It cannot be loaded, now or by trying again. */
  | { readonly kind: "unusable"; readonly why: string }
  /** To `words`: the vector of the text, and behind it those of its words. */
  | { readonly kind: "vector"; readonly vector: Float32Array }
  | { readonly kind: "refused"; readonly why: string };
