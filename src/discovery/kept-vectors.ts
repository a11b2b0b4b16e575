/**
 * The vectors of one kind of item, kept up to date and searched.
 *
 * A search that fails finds nothing and reports the problem to its owner; discovery then uses words alone.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import type { Embedder } from "./embedder.js";
import type { NearParts } from "./fusion.js";
import type { OutsideVectors, VectorIndex, VectorStore } from "./vector-index.js";
import { VectorKeeper } from "./vector-keeper.js";
import { GrowingVectorIndex } from "./vectors/growing-index.js";
import { MemoryVectorIndex } from "./vectors/memory-index.js";

export interface VectorSources {
  readonly embedder: Embedder;
  readonly store?: VectorStore | undefined;
  /** The outside index for vectors that exceed the memory limit; without it they stay in memory. */
  readonly outside?: OutsideVectors;
  /** The memory limit for the vectors of each kind. */
  readonly vectorMemoryBytes?: number;
  readonly log?: Log;
  /**
   * Until then only vectors from the store are used, so that a gateway that runs only briefly loads no model.
   */
  readonly embedAfterMs?: number;
}

export interface VectorsOptions extends VectorSources {
  /** The dimension of a vector, if known. */
  readonly length?: number | undefined;
  readonly onOtherLength: (length: number) => void;
  /** Called with the problem of the last search, or undefined. */
  readonly onSearch: (problem: unknown) => void;
}

/** An intent as vectors. */
export interface AskedVectors {
  readonly whole: Float32Array;
  readonly parts: readonly AskedPart[];
  /** For a request that is searched step by step. */
  readonly steps: readonly AskedPart[];
}

interface AskedPart {
  readonly text: string;
  readonly vector: Float32Array;
}

/** For one kind of item. */
export interface Near<Key> {
  readonly whole: ReadonlyMap<Key, number>;
  readonly parts: readonly NearParts<Key>[];
}

/** The nearest items, and the distribution of all compared cosines. */
export interface Nearest<Key> {
  readonly keys: ReadonlySet<Key>;
  readonly compared: number;
  readonly mean: number;
  readonly deviation: number;
}

export class Vectors<Key> {
  readonly collection: string;
  readonly index: VectorIndex<Key>;
  readonly keeper: VectorKeeper<Key>;
  readonly #growing: GrowingVectorIndex<Key> | undefined;
  readonly #onSearch: (problem: unknown) => void;

  constructor(collection: string, options: VectorsOptions) {
    const { embedder, store, outside, vectorMemoryBytes, log, embedAfterMs = LIMITS.embedAfterMs } = options;
    this.#onSearch = options.onSearch;
    this.collection = collection;
    this.#growing =
      outside &&
      new GrowingVectorIndex<Key>({
        outside,
        model: embedder.id,
        collection,
        ...(vectorMemoryBytes === undefined ? {} : { memoryBytes: vectorMemoryBytes }),
        ...(log ? { log } : {}),
      });
    this.index = this.#growing ?? new MemoryVectorIndex<Key>();
    this.keeper = new VectorKeeper({
      embedder,
      index: this.index,
      store,
      embedAfterMs,
      length: options.length,
      onOtherLength: options.onOtherLength,
      ...(log ? { log } : {}),
    });
  }

  /** Whether they are searched outside of memory now. */
  get isOutside(): boolean {
    return this.#growing?.isOutside ?? false;
  }

  async stop(): Promise<void> {
    await this.keeper.stop();
    this.#growing?.close();
  }

  set(key: Key, text: string | undefined): void {
    if (text === undefined) this.keeper.remove(key);
    else this.keeper.put(key, text);
  }

  /** The items nearest to the intent, or to a part of it. */
  async nearest(
    { whole, parts }: Pick<AskedVectors, "whole" | "parts">,
    limit: number,
    accepts: (key: Key) => boolean,
  ): Promise<Nearest<Key>> {
    const compared = this.index.size;
    const nothing: Nearest<Key> = { keys: new Set(), compared: 0, mean: 0, deviation: 0 };
    if (compared === 0) return nothing;
    return await this.#search(nothing, async () => {
      const { nearest, mean, deviation } = await this.index.search(whole, { limit, accepts });
      const keys = new Set(nearest.map(({ key }) => key));
      for (const { vector } of parts)
        for (const { key } of (await this.index.search(vector, { limit, accepts })).nearest) keys.add(key);
      return { keys, compared, mean, deviation };
    });
  }

  async near(
    { whole, parts }: Pick<AskedVectors, "whole" | "parts">,
    keys: readonly Key[],
  ): Promise<Near<Key>> {
    const nothing: Near<Key> = {
      whole: new Map(),
      parts: parts.map(({ text }) => ({ text, cosines: new Map() })),
    };
    if (this.index.size === 0) return nothing;
    return await this.#search(nothing, async () => ({
      whole: await this.index.cosines(whole, keys),
      parts: await Promise.all(
        parts.map(async ({ text, vector }) => ({ text, cosines: await this.index.cosines(vector, keys) })),
      ),
    }));
  }

  async #search<T>(nothing: T, search: () => Promise<T>): Promise<T> {
    try {
      const found = await search();
      this.#onSearch(undefined);
      return found;
    } catch (error) {
      this.#onSearch(error);
      return nothing;
    }
  }
}
