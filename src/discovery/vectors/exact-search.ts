/**
 * Compares a vector with all there are.
 *
 * @module
 */
import type { VectorSearch, VectorSearchOptions } from "../vector-index.js";
import { BestFew } from "./best-few.js";
import { dotRows } from "./dot.js";
import { Spread } from "./spread.js";
import { BLOCK_ROWS, type VectorRows } from "./vector-rows.js";

/** About four milliseconds. */
const BLOCKS_AT_ONCE = 16;
/** What is removed, or met twice, while others have their turn leaves room for these. */
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

/** Of these keys those that are nearest, as all of it is now. */
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
