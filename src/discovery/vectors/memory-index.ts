/**
 * Vectors in memory: compared one by one as long as they are few, and by codes first when they are many.
 *
 * The codes lie beside the vectors and are made in the background, while searches compare one by one; there is nothing
 * to take over when they are ready, and so nothing that could be lost or found twice. 384 numbers take 1,536 bytes, the
 * code 48, and the key about 60 beside itself.
 *
 * @module
 */
import type { VectorIndex, VectorSearch, VectorSearchOptions } from "../vector-index.js";
import { candidatesOf, searchByCode } from "./coded-search.js";
import { searchExactly } from "./exact-search.js";
import { SignCodes } from "./sign-codes.js";
import { checkVector, VectorRows } from "./vector-rows.js";

export interface MemoryIndexOptions {
  /** From this size on there are codes; `Infinity` for never. */
  readonly codedFrom?: number;
  /** Below this size there are none any more: less, so that one that comes and goes does not make them again and again. */
  readonly exactBelow?: number;
}

/** Exact search takes less than three milliseconds up to here, and is exact. */
const CODED_FROM = 10_000;
/** Of where codes begin. */
const EXACT_SHARE = 0.7;
/** Codes are begun again, around the middle of what is there then, when there are that many times as many. */
const GROWTH = 4;
/** About a millisecond. */
const CODED_AT_ONCE = 1_024;
/** Comparing more than this share by their vectors is no less work than comparing all. */
const MOST_CANDIDATES = 0.25;

export class MemoryVectorIndex<Key> implements VectorIndex<Key> {
  readonly #rows = new VectorRows<Key>();
  readonly #codedFrom: number;
  readonly #exactBelow: number;
  #codes: SignCodes | undefined;
  /** Those that are being made, and what is told when they are ready or not wanted any more. */
  #making: { readonly codes: SignCodes; readonly done: Promise<void> } | undefined;
  #codedSize = 0;

  constructor({ codedFrom = CODED_FROM, exactBelow = codedFrom * EXACT_SHARE }: MemoryIndexOptions = {}) {
    this.#codedFrom = codedFrom;
    this.#exactBelow = Math.min(exactBelow, codedFrom);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Whether searches go by codes now. */
  get isCoded(): boolean {
    return this.#codes !== undefined;
  }

  put(key: Key, vector: Float32Array): void {
    const slot = this.#rows.put(key, vector);
    this.#codes?.write(slot, vector);
    this.#making?.codes.write(slot, vector);
    this.#makeCodes();
  }

  remove(key: Key): void {
    const slot = this.#rows.remove(key);
    if (slot === undefined) return;
    const last = this.#rows.size;
    this.#codes?.move(last, slot);
    this.#making?.codes.move(last, slot);
    if (last >= this.#exactBelow && last > 0) return;
    this.#codes = undefined;
    this.#making = undefined;
  }

  async search(vector: Float32Array, options: VectorSearchOptions<Key>): Promise<VectorSearch<Key>> {
    checkVector(vector, this.#rows.length);
    for (;;) {
      const codes = this.#codes;
      const { size } = this.#rows;
      if (codes === undefined || candidatesOf(size, options.limit) > size * MOST_CANDIDATES)
        return await searchExactly(this.#rows, vector, options);
      const found = await searchByCode(this.#rows, codes, vector, options);
      // Codes that were given up meanwhile have not been told what moved since.
      if (this.#codes === codes) return found;
    }
  }

  async cosines(vector: Float32Array, keys: readonly Key[]): Promise<ReadonlyMap<Key, number>> {
    checkVector(vector, this.#rows.length);
    const query = Float64Array.from(vector);
    const cosines = new Map<Key, number>();
    for (const key of keys) {
      const slot = this.#rows.slotOf(key);
      if (slot !== undefined) cosines.set(key, this.#rows.dotAt(slot, query));
    }
    return cosines;
  }

  /**
   * All there are, each valid until the next change. Whoever lets others have their turn meanwhile meets everything that
   * is there all the while, and some twice.
   */
  *entries(): Generator<readonly [Key, Float32Array]> {
    for (let slot = this.#rows.size - 1; slot >= 0; slot -= 1)
      if (slot < this.#rows.size) yield [this.#rows.keyAt(slot), this.#rows.rowAt(slot)];
  }

  /** When no codes are being made. */
  async settled(): Promise<void> {
    while (this.#making !== undefined) await this.#making.done;
  }

  #makeCodes(): void {
    const { size } = this.#rows;
    const from = this.#codes === undefined ? this.#codedFrom : this.#codedSize * GROWTH;
    if (this.#making !== undefined || size < from) return;
    const codes = new SignCodes(this.#rows);
    this.#making = { codes, done: this.#fill(codes) };
    this.#codedSize = size;
  }

  /** From the last to the first, as everybody who does not go through all at once; who puts meanwhile writes the code. */
  async #fill(codes: SignCodes): Promise<void> {
    for (let slot = this.#rows.size - 1; slot >= 0; slot -= 1) {
      if (slot < this.#rows.size) codes.write(slot, this.#rows.rowAt(slot));
      if (slot % CODED_AT_ONCE !== 0) continue;
      await new Promise(setImmediate);
      if (this.#making?.codes !== codes) return;
    }
    this.#codes = codes;
    this.#making = undefined;
  }
}
