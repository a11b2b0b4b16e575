/**
 * Compares a vector with all others.
 *
 * @module
 */
import type { VectorSearch, VectorSearchOptions } from "../vector-index.js";
import { BLOCK_ROWS, dotRows, type VectorRows } from "./vector-rows.js";

/** Takes about four milliseconds. */
const BLOCKS_AT_ONCE = 16;
/** Extra results that fill the gaps of items that were removed, or found twice, while the search yielded. */
const SPARE = 16;

export async function searchExactly<Key>(
  rows: VectorRows<Key>,
  vector: Float32Array,
  { limit, accepts }: VectorSearchOptions<Key>,
): Promise<VectorSearch<Key>> {
  const query = Float64Array.from(vector);
  const before = rows.changes;
  const best = new BestFew<Key>(limit > 0 ? limit + SPARE : 0);
  const spread = new Spread();
  const cosines = new Float64Array(Math.min(BLOCK_ROWS, rows.size));
  let done = 0;
  for (let block = rows.blocks.length - 1; block >= 0; block -= 1) {
    const count = rows.rowsIn(block);
    const numbers = rows.blocks[block];
    if (count <= 0 || numbers === undefined) continue;
    dotRows(numbers, count, query, cosines);
    for (let row = 0; row < count; row += 1) {
      const cosine = cosines[row] as number;
      if (accepts === undefined) {
        spread.add(cosine);
        if (cosine > best.least) best.add(rows.keyAt(block * BLOCK_ROWS + row), cosine);
        continue;
      }
      const key = rows.keyAt(block * BLOCK_ROWS + row);
      if (!accepts(key)) continue;
      spread.add(cosine);
      best.add(key, cosine);
    }
    done += 1;
    if (done % BLOCKS_AT_ONCE === 0 && block > 0) await new Promise(setImmediate);
  }
  const found = best.sorted().map(({ item, score }) => ({ key: item, cosine: score }));
  return {
    nearest:
      rows.changes === before
        ? found.slice(0, Math.max(0, limit))
        : nearestOf(
            rows,
            query,
            found.map(({ key }) => key),
            { limit, ...(accepts && { accepts }) },
          ),
    mean: spread.mean,
    deviation: spread.deviation,
  };
}

/** The nearest of these keys, by their current vectors. */
export function nearestOf<Key>(
  rows: VectorRows<Key>,
  query: Float64Array,
  keys: readonly Key[],
  { limit, accepts }: VectorSearchOptions<Key>,
): VectorSearch<Key>["nearest"] {
  const best = new BestFew<Key>(limit);
  for (const key of new Set(keys)) {
    const slot = rows.slotOf(key);
    if (slot === undefined || accepts?.(key) === false) continue;
    best.add(key, rows.dotAt(slot, query));
  }
  return best.sorted().map(({ item, score }) => ({ key: item, cosine: score }));
}

/** The few items with the highest scores in a stream: a heap whose root is the worst of them. */
export class BestFew<T> {
  readonly #most: number;
  readonly #scores: number[] = [];
  readonly #items: T[] = [];
  #least = Number.NEGATIVE_INFINITY;

  /** Accepts any number: fractions are rounded down, and negative numbers count as 0. */
  constructor(most: number) {
    this.#most = Math.max(0, Math.floor(most) || 0);
    if (this.#most === 0) this.#least = Number.POSITIVE_INFINITY;
  }

  /** Items need a higher score than this to be taken. */
  get least(): number {
    return this.#least;
  }

  add(item: T, score: number): void {
    if (!(score > this.#least)) return;
    if (this.#items.length < this.#most) {
      this.#rise(this.#items.length, item, score);
      if (this.#items.length === this.#most) this.#least = this.#scores[0] ?? this.#least;
      return;
    }
    this.#sink(item, score);
    this.#least = this.#scores[0] ?? this.#least;
  }

  /** Best first. Equal items have no particular order. */
  sorted(): readonly { readonly item: T; readonly score: number }[] {
    return this.#items
      .map((item, place) => ({ item, score: this.#scores[place] ?? 0 }))
      .sort((a, b) => b.score - a.score);
  }

  #rise(from: number, item: T, score: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >>> 1;
      const other = this.#scores[above] ?? 0;
      if (other <= score) break;
      this.#set(place, this.#items[above] as T, other);
      place = above;
    }
    this.#set(place, item, score);
  }

  /** Replaces the root. */
  #sink(item: T, score: number): void {
    const scores = this.#scores;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= scores.length) break;
      if (below + 1 < scores.length && (scores[below + 1] ?? 0) < (scores[below] ?? 0)) below += 1;
      const other = scores[below] ?? 0;
      if (other >= score) break;
      this.#set(place, this.#items[below] as T, other);
      place = below;
    }
    this.#set(place, item, score);
  }

  #set(place: number, item: T, score: number): void {
    this.#items[place] = item;
    this.#scores[place] = score;
  }
}

/** Mean and deviation of a stream of numbers. */
export class Spread {
  #count = 0;
  #mean = 0;
  #squares = 0;

  get count(): number {
    return this.#count;
  }

  get mean(): number {
    return this.#mean;
  }

  /** Of exactly these numbers, not an estimate for a population; 0 without numbers. */
  get deviation(): number {
    return this.#count === 0 ? 0 : Math.sqrt(this.#squares / this.#count);
  }

  /** Sums of squares would lose precision for nearly equal numbers; this method does not. */
  add(value: number): void {
    this.#count += 1;
    const off = value - this.#mean;
    this.#mean += off / this.#count;
    this.#squares += off * (value - this.#mean);
  }
}
