/**
 * Vectors in memory up to a limit, and in an outside index (the database) above it.
 *
 * They move in the background, while searches use the index that is complete; both get every change made
 * meanwhile. If moving fails, they stay. While the outside index is unavailable, its searches find nothing,
 * and discovery uses words alone.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import { type Log, silentLog } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import { within } from "../../base/within.js";
import type {
  OutsideVectorIndex,
  OutsideVectors,
  VectorIndex,
  VectorSearch,
  VectorSearchOptions,
} from "../vector-index.js";
import { MemoryVectorIndex } from "./memory-index.js";

export interface GrowingIndexOptions {
  readonly outside: OutsideVectors;
  readonly model: string;
  readonly collection: string;
  readonly log?: Log;
  /** The memory limit. */
  readonly memoryBytes?: number;
  /** The time limit of an outside search. */
  readonly patienceMs?: number;
}

/**
 * Share of the limit below which vectors move back: less than 1, so that one vector that is added and removed does not
 * move all.
 */
const BACK_SHARE = 0.7;
/** After a failed move, this share of vectors has to change before the next attempt. */
const RETRY_SHARE = 0.1;
/** Vectors that are moved before each wait for the database; memory has them twice during the move. */
const MOVED_AT_ONCE = 2_000;

const NOTHING: VectorSearch<never> = { nearest: [], mean: 0, deviation: 0 };

export class GrowingVectorIndex<Key> implements VectorIndex<Key> {
  readonly #options: GrowingIndexOptions;
  readonly #log: Log;
  readonly #memoryBytes: number;
  /** Both exist while vectors move from one to the other. */
  #memory: MemoryVectorIndex<Key> | undefined = new MemoryVectorIndex<Key>();
  #outside: OutsideVectorIndex<Key> | undefined;
  /** The index with all vectors. */
  #complete: "memory" | "outside" = "memory";
  #dimensions = 0;
  #moving: Promise<void> | undefined;
  /**
   * Keys that were put or removed since vectors began to move back into memory: data from the database may be older for
   * these keys.
   */
  readonly #changed = new Set<Key>();
  #failedAt: number | undefined;
  #why: string | undefined;
  #isAway = false;
  #isClosed = false;

  constructor(options: GrowingIndexOptions) {
    this.#options = options;
    this.#log = options.log ?? silentLog;
    this.#memoryBytes = options.memoryBytes ?? LIMITS.vectorMemoryBytes;
  }

  get size(): number {
    return this.#searched.size;
  }

  /** Whether searches use the outside index now. */
  get isOutside(): boolean {
    return this.#complete === "outside";
  }

  put(key: Key, vector: Float32Array): void {
    this.#searched.put(key, vector);
    this.#tellOther(key, (index) => index.put(key, vector));
    this.#dimensions = vector.length;
    this.#move();
  }

  remove(key: Key): void {
    this.#searched.remove(key);
    this.#tellOther(key, (index) => index.remove(key));
    this.#move();
  }

  async search(vector: Float32Array, options: VectorSearchOptions<Key>): Promise<VectorSearch<Key>> {
    return await this.#ask((index) => index.search(vector, options), NOTHING);
  }

  async cosines(vector: Float32Array, keys: readonly Key[]): Promise<ReadonlyMap<Key, number>> {
    return await this.#ask((index) => index.cosines(vector, keys), new Map<Key, number>());
  }

  /** Resolves when nothing is being moved. */
  async settled(): Promise<void> {
    while (this.#moving !== undefined) await this.#moving;
    await this.#memory?.settled();
  }

  /** A move in progress is left to end by itself: a database may take minutes for its index. */
  close(): void {
    this.#isClosed = true;
    this.#outside?.close();
  }

  get #searched(): VectorIndex<Key> {
    const index = this.#complete === "memory" ? this.#memory : this.#outside;
    if (index === undefined) throw new Error("There is no index");
    return index;
  }

  /** Applies a change to the index that vectors move to. */
  #tellOther(key: Key, tell: (index: VectorIndex<Key>) => void): void {
    const other = this.#complete === "memory" ? this.#outside : this.#memory;
    if (other === undefined) return;
    tell(other);
    if (other === this.#memory) this.#changed.add(key);
  }

  async #ask<T>(question: (index: VectorIndex<Key>) => Promise<T>, nothing: T): Promise<T> {
    const index = this.#searched;
    if (index === this.#memory) return await question(index);
    try {
      const ms = this.#options.patienceMs ?? LIMITS.discoverPatienceMs;
      const answer = await within(ms, question(index), () => new Error(`no answer within ${ms} ms`));
      this.#isAway = false;
      return answer;
    } catch (thrown) {
      // An invalid request gets its error.
      if (thrown instanceof TypeError) throw thrown;
      if (!this.#isAway) this.#log.warn("vectors.not_searched", { error: messageOf(thrown) });
      this.#isAway = true;
      return nothing;
    }
  }

  #move(): void {
    if (this.#moving !== undefined || this.#isClosed) return;
    const { size } = this;
    if (this.#failedAt !== undefined && Math.abs(size - this.#failedAt) < this.#failedAt * RETRY_SHARE)
      return;
    const bytes = size * this.#dimensions * Float32Array.BYTES_PER_ELEMENT;
    const isTooMuch = !this.isOutside && bytes > this.#memoryBytes;
    const isLittle = this.isOutside && bytes < this.#memoryBytes * BACK_SHARE;
    if (!isTooMuch && !isLittle) return;
    this.#failedAt = undefined;
    this.#moving = (isTooMuch ? this.#moveOut() : this.#moveIn())
      .catch((thrown: unknown) => this.#stay(messageOf(thrown)))
      .finally(() => {
        this.#moving = undefined;
        this.#changed.clear();
        if (this.#complete === "outside") this.#memory = undefined;
        else {
          this.#outside?.close();
          this.#outside = undefined;
        }
      });
  }

  async #moveOut(): Promise<void> {
    const { outside, model, collection } = this.#options;
    const opened = await outside.open<Key>({ model, collection, dimensions: this.#dimensions });
    if (opened.index === undefined) return this.#stay(opened.problem);
    this.#outside = opened.index;
    if (this.#isClosed) return;
    let moved = 0;
    for (const [key, vector] of this.#memory?.entries() ?? []) {
      opened.index.put(key, vector);
      moved += 1;
      if (moved % MOVED_AT_ONCE !== 0) continue;
      await opened.index.flush();
      if (this.#isClosed) return;
    }
    await opened.index.ready();
    this.#complete = "outside";
    this.#log.info("vectors.moved", { collection, to: outside.name, count: this.size });
  }

  async #moveIn(): Promise<void> {
    const memory = new MemoryVectorIndex<Key>();
    this.#memory = memory;
    for await (const [key, vector] of this.#outside?.entries() ?? []) {
      if (this.#isClosed) return;
      if (!this.#changed.has(key)) memory.put(key, vector);
    }
    this.#complete = "memory";
    this.#log.info("vectors.moved", { collection: this.#options.collection, to: "memory", count: this.size });
  }

  #stay(why: string): void {
    this.#failedAt = this.size;
    const { collection } = this.#options;
    // It is retried again and again, and logged once.
    if (!this.#isClosed && this.#why !== why)
      this.#log.warn("vectors.not_moved", { collection, count: this.size, why });
    this.#why = why;
  }
}
