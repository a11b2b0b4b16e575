/**
 * The port to an embedding model, which turns texts into vectors.
 *
 * @module
 */

/** Models may write a question otherwise than what is to be found. */
export type EmbeddedKind = "query" | "document";

/** `cold` loads when it is first asked. `none` never answers. */
export type EmbedderState = "none" | "cold" | "loading" | "ready" | "failed";

export interface Background {
  readonly mean: number;
  readonly deviation: number;
}

/** Unit vectors of words in their context, and of the text that they are; zeros for words past the model's limit. */
export interface WordVectors {
  readonly text: Float32Array;
  readonly words: readonly Float32Array[];
}

export interface Embedder {
  /** Names the model and everything else that makes its vectors; vectors of two ids are never compared. */
  readonly id: string;
  /** How much its score counts beside that of the words, between 0 and 1. */
  readonly weight: number;
  /** The cosines of texts that have nothing to do with each other, where that is known of the model. */
  readonly background?: Background | undefined;
  readonly state: EmbedderState;
  /** Why it has failed. */
  readonly problem: string | undefined;
  /** Unit vectors, one for each text, all of one length. Rejects with `EMBEDDER_FAILED`. */
  embed(texts: readonly string[], kind: EmbeddedKind, signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** Only of a model that runs here. The words hold no spaces. Rejects with `EMBEDDER_FAILED`. */
  embedWords?(words: readonly string[], signal?: AbortSignal): Promise<WordVectors>;
  /** Ends what it has started; nothing can be asked afterwards. */
  close(): Promise<void>;
}
