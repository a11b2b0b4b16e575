/**
 * The port to an index that finds the nearest vectors.
 *
 * @module
 */

interface NearVector<Key> {
  readonly key: Key;
  /** For unit vectors the dot product, between -1 and 1. */
  readonly cosine: number;
}

export interface VectorSearch<Key> {
  /** The accepted vectors, best first. */
  readonly nearest: readonly NearVector<Key>[];
  /** The mean cosine of all accepted vectors; from a sample if there are very many. */
  readonly mean: number;
  readonly deviation: number;
}

export interface VectorSearchOptions<Key> {
  readonly limit: number;
  readonly accepts?: (key: Key) => boolean;
}

export interface VectorIndex<Key> {
  readonly size: number;
  /** Replaces the vector of the key. */
  put(key: Key, vector: Float32Array): void;
  remove(key: Key): void;
  search(vector: Float32Array, options: VectorSearchOptions<Key>): Promise<VectorSearch<Key>>;
  /** The cosines of these keys, for results found in another way; without unknown keys. */
  cosines(vector: Float32Array, keys: readonly Key[]): Promise<ReadonlyMap<Key, number>>;
}

/** Vectors of two spaces are never mixed. */
export interface VectorSpaceName {
  /** The embedder's id. */
  readonly model: string;
  /** What the keys refer to. */
  readonly collection: string;
  readonly dimensions: number;
}

/** An index outside of this process. New vectors are still found at once. */
export interface OutsideVectorIndex<Key> extends VectorIndex<Key> {
  /** Resolves when all vectors have arrived; rejects if not, and keeps them for the next time. */
  flush(): Promise<void>;
  /** Like {@link flush}, and the index is fully built for fast searches. */
  ready(): Promise<void>;
  /** All entries. Concurrent changes may be missing, or returned in their old state. */
  entries(): AsyncIterable<readonly [Key, Float32Array]>;
  /** Ends the use of the index. Its vectors stay, and are reused if the same are put again. */
  close(): void;
}

/** A place for vectors that exceed the memory limit. */
export interface OutsideVectors {
  /** Its name for people. */
  readonly name: string;
  /** Why there can be none, as far as can be checked. */
  problem(): Promise<string | undefined>;
  open<Key>(space: VectorSpaceName): Promise<OpenedOutside<Key>>;
}

/** Its absence is not a failure: vectors then stay in memory. */
export type OpenedOutside<Key, Index = OutsideVectorIndex<Key>> =
  | { readonly index: Index }
  | { readonly index?: undefined; readonly problem: string };

// The port to the storage of vectors, so that a text is given to a model once and not at each start.
//
// Vectors are found by the SHA-256 of the text, and by the id of the embedder: vectors of two models are never mixed.
// Stored vectors may be rounded, by less than the difference of two texts.

export interface VectorStore {
  /** The existing vectors, by hash. Requested ones count as used. */
  get(modelId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Unit vectors by hash; existing ones are replaced. */
  put(modelId: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** Deletes vectors of all models that were not used since then, and returns their number. */
  prune(unusedSince: Date): Promise<number>;
}
