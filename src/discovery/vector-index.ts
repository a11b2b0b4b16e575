/**
 * The port to whatever finds the vectors that are nearest to one.
 *
 * @module
 */

interface NearVector<Key> {
  readonly key: Key;
  /** Of unit vectors the dot product, between -1 and 1. */
  readonly cosine: number;
}

export interface VectorSearch<Key> {
  /** Of those that are accepted, best first. */
  readonly nearest: readonly NearVector<Key>[];
  /** Of the cosines of all that are accepted; taken from a sample where there are very many. */
  readonly mean: number;
  readonly deviation: number;
}

export interface VectorSearchOptions<Key> {
  readonly limit: number;
  readonly accepts?: (key: Key) => boolean;
}

export interface VectorIndex<Key> {
  readonly size: number;
  /** Takes the place of what the key had. */
  put(key: Key, vector: Float32Array): void;
  remove(key: Key): void;
  search(vector: Float32Array, options: VectorSearchOptions<Key>): Promise<VectorSearch<Key>>;
  /** The cosines of these, for what was found otherwise; nothing for those it does not have. */
  cosines(vector: Float32Array, keys: readonly Key[]): Promise<ReadonlyMap<Key, number>>;
}

/** Vectors of two of these never meet. */
export interface VectorSpaceName {
  /** The embedder's id. */
  readonly model: string;
  /** What the keys are keys of. */
  readonly collection: string;
  readonly dimensions: number;
}

/** One whose vectors are not in this process. What is put there is found at once all the same. */
export interface OutsideVectorIndex<Key> extends VectorIndex<Key> {
  /** Resolves when all that was put has arrived; rejects where it does not, and keeps it for the next time. */
  flush(): Promise<void>;
  /** The same, and nothing more is to be done there before searches are fast. */
  ready(): Promise<void>;
  /** All there are. What comes, changes or goes meanwhile may be missing, or told as it was. */
  entries(): AsyncIterable<readonly [Key, Float32Array]>;
  /** Nobody asks it any more. What it has stays, for whoever puts the same again. */
  close(): void;
}

/** Where vectors may be that memory should not hold. */
export interface OutsideVectors {
  /** What it is called, for people. */
  readonly name: string;
  /** Why there can be none, as far as looking tells. */
  problem(): Promise<string | undefined>;
  open<Key>(space: VectorSpaceName): Promise<OpenedOutside<Key>>;
}

/** That there can be none is no failure: memory has them then. */
export type OpenedOutside<Key, Index = OutsideVectorIndex<Key>> =
  | { readonly index: Index }
  | { readonly index?: undefined; readonly problem: string };

export interface VectorStore {
  /** The vectors there are, by hash. What is asked for counts as used. */
  get(modelId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Unit vectors by hash; one that is there already is replaced. */
  put(modelId: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** Forgets what nobody has asked for since then, of any model, and says how many those were. */
  prune(unusedSince: Date): Promise<number>;
}
