/**
 * Vectors by key, in consecutive rows of blocks: an array for each would cost a tenth more memory, and be anywhere in
 * it.
 *
 * There are no holes: the last row replaces a removed one. A loop that yields between rows must go from the last row to
 * the first. Then it sees every row that exists the whole time: a row that moves either moves to a place that is still
 * to come, or was seen before. Some rows may be seen twice.
 *
 * @module
 */

/** 1.5 MB of 384 numbers each. */
export const BLOCK_ROWS = 1_024;

/** Throws a TypeError if it is not a vector of that length, or of any length if that is not known yet. */
export function checkVector(vector: Float32Array, length: number | undefined): void {
  if (vector.length === 0) throw new TypeError("A vector has no numbers");
  if (length !== undefined && vector.length !== length)
    throw new TypeError(`A vector has ${vector.length} dimensions: expected ${length}, as the others have`);
  let squares = 0;
  for (let at = 0; at < vector.length; at += 1) squares += (vector[at] as number) ** 2;
  if (!Number.isFinite(squares)) throw new TypeError("A vector has a number that is not finite");
}

export class VectorRows<Key> {
  readonly #slots = new Map<Key, number>();
  readonly #keys: Key[] = [];
  readonly #blocks: Float32Array[] = [];
  #length: number | undefined;
  #changes = 0;

  get size(): number {
    return this.#keys.length;
  }

  /** The dimension of the vectors; set by the first one. */
  get length(): number | undefined {
    return this.#length;
  }

  /** Changes after every modification. */
  get changes(): number {
    return this.#changes;
  }

  get blocks(): readonly Float32Array[] {
    return this.#blocks;
  }

  /** The number of used rows in that block. */
  rowsIn(block: number): number {
    return Math.min(BLOCK_ROWS, this.#keys.length - block * BLOCK_ROWS);
  }

  slotOf(key: Key): number | undefined {
    return this.#slots.get(key);
  }

  keyAt(slot: number): Key {
    return this.#keys[slot] as Key;
  }

  /** Returns its slot. */
  put(key: Key, vector: Float32Array): number {
    checkVector(vector, this.#length);
    this.#length ??= vector.length;
    this.#changes += 1;
    const slot = this.#slots.get(key) ?? this.#append(key);
    this.#blockOf(slot).set(vector, (slot % BLOCK_ROWS) * vector.length);
    return slot;
  }

  /** Returns the freed slot, which now has the last row (formerly at `size`). Undefined for an unknown key. */
  remove(key: Key): number | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    this.#changes += 1;
    const last = this.#keys.length - 1;
    if (slot !== last) {
      const moved = this.keyAt(last);
      this.#blockOf(slot).set(this.rowAt(last), (slot % BLOCK_ROWS) * this.#numbers);
      this.#keys[slot] = moved;
      this.#slots.set(moved, slot);
    }
    this.#slots.delete(key);
    this.#keys.pop();
    // One empty block stays, so that changes at the edge of a block allocate nothing.
    this.#blocks.length = Math.min(this.#blocks.length, Math.ceil(this.#keys.length / BLOCK_ROWS) + 1);
    return slot;
  }

  /** The row itself: valid until the next change. */
  rowAt(slot: number): Float32Array {
    const start = (slot % BLOCK_ROWS) * this.#numbers;
    return this.#blockOf(slot).subarray(start, start + this.#numbers);
  }

  dotAt(slot: number, query: Float64Array): number {
    return dot(this.#blockOf(slot), (slot % BLOCK_ROWS) * query.length, query);
  }

  get #numbers(): number {
    return this.#length ?? 0;
  }

  #append(key: Key): number {
    const slot = this.#keys.length;
    if (slot === this.#blocks.length * BLOCK_ROWS)
      this.#blocks.push(new Float32Array(BLOCK_ROWS * this.#numbers));
    this.#keys.push(key);
    this.#slots.set(key, slot);
    return slot;
  }

  #blockOf(slot: number): Float32Array {
    return this.#blocks[Math.floor(slot / BLOCK_ROWS)] as Float32Array;
  }
}

/**
 * Dot products, which take all the time of a search.
 *
 * Engines do not vectorise these loops: what helps is to have several independent sums, and to read each number of the
 * query once for several rows. Four rows at a time take half the time of a plain loop.
 */
export function dot(rows: Float32Array, start: number, query: Float64Array): number {
  const length = query.length;
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  let at = 0;
  for (; at + 3 < length; at += 4) {
    one += (rows[start + at] as number) * (query[at] as number);
    two += (rows[start + at + 1] as number) * (query[at + 1] as number);
    three += (rows[start + at + 2] as number) * (query[at + 2] as number);
    four += (rows[start + at + 3] as number) * (query[at + 3] as number);
  }
  for (; at < length; at += 1) one += (rows[start + at] as number) * (query[at] as number);
  return one + two + (three + four);
}

/** Writes the dot products of the first `count` rows into `out`. */
export function dotRows(rows: Float32Array, count: number, query: Float64Array, out: Float64Array): void {
  const length = query.length;
  const even = length - (length % 2);
  let row = 0;
  for (; row + 3 < count; row += 4) {
    const a = row * length;
    const b = a + length;
    const c = b + length;
    const d = c + length;
    let ofA = 0;
    let ofB = 0;
    let ofC = 0;
    let ofD = 0;
    for (let at = 0; at < even; at += 2) {
      const x = query[at] as number;
      const y = query[at + 1] as number;
      ofA += (rows[a + at] as number) * x + (rows[a + at + 1] as number) * y;
      ofB += (rows[b + at] as number) * x + (rows[b + at + 1] as number) * y;
      ofC += (rows[c + at] as number) * x + (rows[c + at + 1] as number) * y;
      ofD += (rows[d + at] as number) * x + (rows[d + at + 1] as number) * y;
    }
    if (even < length) {
      const x = query[even] as number;
      ofA += (rows[a + even] as number) * x;
      ofB += (rows[b + even] as number) * x;
      ofC += (rows[c + even] as number) * x;
      ofD += (rows[d + even] as number) * x;
    }
    out[row] = ofA;
    out[row + 1] = ofB;
    out[row + 2] = ofC;
    out[row + 3] = ofD;
  }
  for (; row < count; row += 1) out[row] = dot(rows, row * length, query);
}
