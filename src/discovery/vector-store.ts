/**
 * The port to where vectors are kept, so that a text is given to a model once and not at each start.
 *
 * They are found by the SHA-256 of the text, and by the id of the embedder: vectors of two models never mix. What is
 * kept may be rounded, by less than tells two texts apart.
 *
 * @module
 */
export interface VectorStore {
  /** The vectors there are, by hash. What is asked for counts as used. */
  get(modelId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Unit vectors by hash; one that is there already is replaced. */
  put(modelId: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** Deletes vectors of all models that were not used since then, and returns their number. */
  prune(unusedSince: Date): Promise<number>;
}
