/**
 * Points in groups, each nearer to the middle of its own than to any other. The same points give the same groups.
 *
 * @module
 */
import { seededRandom } from "./seeded-random.js";

const SEED = 13;
const ROUNDS = 50;

/** For each point the number of its group, in the order of first points; at most `count` groups. */
export function kMeans(points: readonly Float64Array[], count: number): Uint32Array {
  let middles = firstMiddles(points, count);
  let groups = new Uint32Array(points.length);
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = Uint32Array.from(points, (point) => nearest(point, middles).group);
    const isSame = round > 0 && next.every((group, index) => group === groups[index]);
    groups = next;
    if (isSame) break;
    middles = middles.map((middle, group) => middleOf(points, groups, group) ?? middle);
  }
  const numbers = new Map<number, number>();
  return groups.map((group) => {
    if (!numbers.has(group)) numbers.set(group, numbers.size);
    return numbers.get(group) ?? 0;
  });
}

/** Each new one far from those there are, by chance but mostly. */
function firstMiddles(points: readonly Float64Array[], count: number): readonly Float64Array[] {
  const random = seededRandom(SEED);
  const [first] = points;
  const middles = first === undefined ? [] : [first];
  while (middles.length < Math.min(count, points.length)) {
    const distances = points.map((point) => nearest(point, middles).distance);
    let left = random() * distances.reduce((sum, distance) => sum + distance, 0);
    const at = distances.findIndex((distance) => {
      left -= distance;
      return distance > 0 && left <= 0;
    });
    const point = points[at];
    // All that are left lie on one that is taken.
    if (point === undefined) break;
    middles.push(point);
  }
  return middles;
}

function nearest(point: Float64Array, middles: readonly Float64Array[]) {
  let best = { group: 0, distance: Number.POSITIVE_INFINITY };
  for (const [group, middle] of middles.entries()) {
    let distance = 0;
    for (let at = 0; at < point.length; at += 1) distance += ((point[at] ?? 0) - (middle[at] ?? 0)) ** 2;
    if (distance < best.distance) best = { group, distance };
  }
  return best;
}

function middleOf(points: readonly Float64Array[], groups: Uint32Array, group: number) {
  const own = points.filter((_, index) => groups[index] === group);
  const [first] = own;
  if (first === undefined) return undefined;
  return first.map((_, at) => own.reduce((sum, point) => sum + (point[at] ?? 0), 0) / own.length);
}
