/**
 * Compares the code of a vector with all codes, and the vector itself with the few that are nearest by that.
 *
 * What is not accepted is never a candidate: where fewer are accepted than there may be candidates, all of them are,
 * and the search is exact. Only what is near enough to become one is asked about, so that asking costs little.
 *
 * @module
 */
import type { VectorSearch, VectorSearchOptions } from "../vector-index.js";
import { nearestOf, Spread } from "./exact-search.js";
import type { SignCodes } from "./sign-codes.js";
import { BLOCK_ROWS, type VectorRows } from "./vector-rows.js";

/** About two milliseconds. */
const BLOCKS_AT_ONCE = 128;

const CANDIDATES_LEAST = 400;
/** Beside each one that is asked for. */
const CANDIDATES_EACH = 40;

/** How many are compared exactly. With so many, ten of a million are the right ones 0.99 of the time. */
export function candidatesOf(size: number, limit: number): number {
  return Math.ceil(Math.max(CANDIDATES_LEAST, CANDIDATES_EACH * limit, Math.sqrt(size)));
}

/** How many give the mean and the deviation, which then are off by a twentieth of the deviation. */
const SAMPLE = 512;
/** Of fewer, others are taken. */
const SAMPLE_LEAST = 128;
/** How many are asked whether they are accepted before that. */
const SAMPLE_TRIES = 16 * SAMPLE;
/** Steps of this share of the whole go everywhere, evenly, however many there are. */
const GOLDEN = 0.618_033_988_749_895;

export async function searchByCode<Key>(
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
  // They were asked about already; what has changed since may be another now.
  const again = accepts !== undefined && rows.changes !== before ? { limit, accepts } : { limit };
  const { mean, deviation } = candidates.hasRefused
    ? sampled(rows, query, candidates.first, accepts)
    : spreadOf(rows, query, candidates.keys);
  return { nearest: nearestOf(rows, query, candidates.keys, again), mean, deviation };
}

/** Of the first that came where what is accepted is so rare that looking here and there does not find it. */
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

  /** A distance that is not below this is not taken. */
  get below(): number {
    return this.#below;
  }

  get keys(): readonly Key[] {
    return this.#keys;
  }

  /** Those that came before any was refused, near or far; all, as long as none was. */
  get first(): readonly Key[] {
    return this.#first ?? this.#keys;
  }

  get hasRefused(): boolean {
    return this.#first !== undefined;
  }

  /** Only with a distance that is below what it takes. */
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
