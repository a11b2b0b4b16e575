/**
 * A page of an unsorted list, without sorting all of it.
 *
 * @module
 */

/** Below this size, sorting is faster than partitioning. */
const SMALL = 32;

/**
 * The result of `items.sort(order).slice(from, to)` if no two items are equal in `order`; leaves `items` in any order.
 * A quicksort that continues only in the range of the page, so that a later page costs no more than the first one. The
 * pivot is random, so that no order of names can make it slow.
 */
export function sortedSlice<T>(
  items: T[],
  from: number,
  to: number,
  order: (a: T, b: T) => number,
): readonly T[] {
  const ranges: (readonly [low: number, high: number])[] = [[0, items.length]];
  for (let range = ranges.pop(); range !== undefined; range = ranges.pop()) {
    const [low, high] = range;
    if (high <= from || low >= to) continue;
    if (high - low <= SMALL || (low >= from && high <= to)) sortRange(items, low, high, order);
    else {
      const middle = partition(items, low, high, order);
      ranges.push([low, middle], [middle, high]);
    }
  }
  return items.slice(from, to);
}

function sortRange<T>(items: T[], low: number, high: number, order: (a: T, b: T) => number): void {
  const sorted = items.slice(low, high).sort(order);
  for (const [index, item] of sorted.entries()) items[low + index] = item;
}

/** Returns an index above `low` and below `high`: no item from there on comes before an earlier one. */
function partition<T>(items: T[], low: number, high: number, order: (a: T, b: T) => number): number {
  const at = (index: number): T => items[index] as T;
  // Never the last one: otherwise one side could be as large as the whole.
  const pivot = at(low + Math.floor(Math.random() * (high - low - 1)));
  let left = low - 1;
  let right = high;
  while (true) {
    do left += 1;
    while (order(at(left), pivot) < 0);
    do right -= 1;
    while (order(at(right), pivot) > 0);
    if (left >= right) return right + 1;
    const moved = at(left);
    items[left] = at(right);
    items[right] = moved;
  }
}
