/**
 * Vectors in memory: compared one by one if there are few, and by codes first if there are many.
 *
 * The codes are stored beside the vectors and computed in the background, while searches compare one by one; nothing
 * has to be moved when they are ready, so nothing can be lost or found twice. 384 numbers take 1,536 bytes, the code
 * 48, and the key about 60 in addition to itself.
 *
 * @module
 */
import type { VectorIndex, VectorSearch, VectorSearchOptions } from "../vector-index.js";
import { nearestOf, Spread, searchExactly } from "./exact-search.js";
import { SignCodes } from "./sign-codes.js";
import { BLOCK_ROWS, checkVector, VectorRows } from "./vector-rows.js";

export interface MemoryIndexOptions {
  /** From this size on, codes are used; `Infinity` disables them. */
  readonly codedFrom?: number;
  /**
   * Below this size, codes are dropped: smaller than the other limit, so that single changes do not recompute them
   * repeatedly.
   */
  readonly exactBelow?: number;
}

/** Exact search takes less than three milliseconds up to here, and is exact. */
const CODED_FROM = 10_000;
/** Relative to the size from which codes are used. */
const EXACT_SHARE = 0.7;
/** Codes are recomputed around a new middle when the number of vectors has grown by this factor. */
const GROWTH = 4;
/** Takes about a millisecond. */
const CODED_AT_ONCE = 1_024;
/** Comparing more than this share by their vectors is no less work than comparing all. */
const MOST_CANDIDATES = 0.25;

export class MemoryVectorIndex<Key> implements VectorIndex<Key> {
  readonly #rows = new VectorRows<Key>();
  readonly #codedFrom: number;
  readonly #exactBelow: number;
  #codes: SignCodes | undefined;
  /** The codes being computed, and their completion or cancellation. */
  #making: { readonly codes: SignCodes; readonly done: Promise<void> } | undefined;
  #codedSize = 0;

  constructor({ codedFrom = CODED_FROM, exactBelow = codedFrom * EXACT_SHARE }: MemoryIndexOptions = {}) {
    this.#codedFrom = codedFrom;
    this.#exactBelow = Math.min(exactBelow, codedFrom);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** Whether searches use codes now. */
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
      // Discarded codes were not updated with moves since then.
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
   * All entries, each valid until the next change. A caller that yields to other work in between still sees
   * every entry that exists the whole time, and may see some twice.
   */
  *entries(): Generator<readonly [Key, Float32Array]> {
    for (let slot = this.#rows.size - 1; slot >= 0; slot -= 1)
      if (slot < this.#rows.size) yield [this.#rows.keyAt(slot), this.#rows.rowAt(slot)];
  }

  /** Resolves when no codes are being computed. */
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

  /**
   * From the last row to the first, like every loop that yields (see `VectorRows`); a vector that is added meanwhile
   * writes its own code.
   */
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

// Compares the code of a vector with all codes, and the vector itself with the few that are nearest by code.
//
// Only accepted rows are candidates: if fewer are accepted than there may be candidates, all of them are, and the
// search is exact. Acceptance is checked only for rows that are near enough, so that it costs little.

/** Takes about two milliseconds. */
const BLOCKS_AT_ONCE = 128;

const CANDIDATES_LEAST = 400;
/** For each requested result. */
const CANDIDATES_EACH = 40;

/**
 * The number of candidates that are compared exactly. With this many, ten of a million are the right ones 0.99 of the
 * time.
 */
export function candidatesOf(size: number, limit: number): number {
  return Math.ceil(Math.max(CANDIDATES_LEAST, CANDIDATES_EACH * limit, Math.sqrt(size)));
}

/** The sample size for the mean and the deviation, whose error is then a twentieth of the deviation. */
const SAMPLE = 512;
/** With a smaller sample, other rows are used. */
const SAMPLE_LEAST = 128;
/** The maximum of acceptance checks before that. */
const SAMPLE_TRIES = 16 * SAMPLE;
/** Steps of this share of the whole cover it evenly, for any number of steps. */
const GOLDEN = 0.618_033_988_749_895;

async function searchByCode<Key>(
  rows: VectorRows<Key>,
  codes: SignCodes,
  vector: Float32Array,
  { limit, accepts }: VectorSearchOptions<Key>,
): Promise<VectorSearch<Key>> {
  const query = Float64Array.from(vector);
  const code = codes.codeOf(vector);
  const candidates = new Candidates<Key>(candidatesOf(rows.size, limit), vector.length);
  const distances = new Uint16Array(BLOCK_ROWS);
  const before = rows.changes;
  let done = 0;
  for (let block = rows.blocks.length - 1; block >= 0; block -= 1) {
    const count = rows.rowsIn(block);
    if (count <= 0) continue;
    codes.distances(block, count, code, distances);
    let { below } = candidates;
    for (let row = 0; row < count; row += 1) {
      const distance = distances[row] as number;
      if (distance >= below) continue;
      const key = rows.keyAt(block * BLOCK_ROWS + row);
      if (accepts !== undefined && !accepts(key)) continue;
      candidates.add(key, distance);
      ({ below } = candidates);
    }
    done += 1;
    if (done % BLOCKS_AT_ONCE === 0 && block > 0) await new Promise(setImmediate);
  }
  // `accepts` was called for these already; it is called again only if rows have changed since.
  const again = accepts !== undefined && rows.changes !== before ? { limit, accepts } : { limit };
  const { mean, deviation } = candidates.hasRefused
    ? sampled(rows, query, candidates.first, accepts)
    : spreadOf(rows, query, candidates.keys);
  return { nearest: nearestOf(rows, query, candidates.keys, again), mean, deviation };
}

/** Mean and deviation of a sample of accepted rows; of the first accepted ones if sampling finds too few. */
function sampled<Key>(
  rows: VectorRows<Key>,
  query: Float64Array,
  first: readonly Key[],
  accepts: ((key: Key) => boolean) | undefined,
): Spread {
  const spread = new Spread();
  const { size } = rows;
  for (let time = 0; time < SAMPLE_TRIES && spread.count < SAMPLE; time += 1) {
    const slot = Math.floor(((time * GOLDEN) % 1) * size);
    if (accepts === undefined || accepts(rows.keyAt(slot))) spread.add(rows.dotAt(slot, query));
  }
  return spread.count < SAMPLE_LEAST ? spreadOf(rows, query, first) : spread;
}

function spreadOf<Key>(rows: VectorRows<Key>, query: Float64Array, keys: readonly Key[]): Spread {
  const spread = new Spread();
  for (const key of new Set(keys)) {
    const slot = rows.slotOf(key);
    if (slot !== undefined) spread.add(rows.dotAt(slot, query));
  }
  return spread;
}

// The few hundred with the smallest distances of very many. Distances are small whole numbers, so counting sorts them.

class Candidates<Key> {
  readonly #most: number;
  readonly #counts: Uint32Array;
  #keys: Key[] = [];
  #distances: number[] = [];
  #below: number;
  #first: readonly Key[] | undefined;

  constructor(most: number, greatest: number) {
    this.#most = most;
    this.#counts = new Uint32Array(greatest + 1);
    this.#below = greatest + 1;
  }

  /** A distance that is not below this is rejected. */
  get below(): number {
    return this.#below;
  }

  get keys(): readonly Key[] {
    return this.#keys;
  }

  /** Those that came before the first rejection, near or far; all, if there was none. */
  get first(): readonly Key[] {
    return this.#first ?? this.#keys;
  }

  get hasRefused(): boolean {
    return this.#first !== undefined;
  }

  /** Must only be called with a distance below {@link below}. */
  add(key: Key, distance: number): void {
    this.#keys.push(key);
    this.#distances.push(distance);
    if (this.#keys.length >= 2 * this.#most) this.#keepNearest();
  }

  #keepNearest(): void {
    this.#first ??= this.#keys;
    this.#counts.fill(0);
    for (const distance of this.#distances) this.#counts[distance] = (this.#counts[distance] as number) + 1;
    let nearer = 0;
    let edge = 0;
    while (nearer + (this.#counts[edge] as number) < this.#most) {
      nearer += this.#counts[edge] as number;
      edge += 1;
    }
    let atEdge = this.#most - nearer;
    const keys: Key[] = [];
    const distances: number[] = [];
    for (let place = 0; place < this.#keys.length; place += 1) {
      const distance = this.#distances[place] as number;
      if (distance > edge) continue;
      if (distance === edge) {
        if (atEdge === 0) continue;
        atEdge -= 1;
      }
      keys.push(this.#keys[place] as Key);
      distances.push(distance);
    }
    this.#keys = keys;
    this.#distances = distances;
    this.#below = edge;
  }
}
