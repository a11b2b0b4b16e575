/**
 * Groups capabilities that do similar things, by spectral clustering: their similarity is the number of shared
 * neighbours, mostly tools.
 *
 * A neighbour of many says less about each, so a shared neighbour counts one divided by the number of capabilities that
 * share it. The eigenvectors of the normalised Laplacian `I - D^-½ W D^-½` with the smallest eigenvalues separate the
 * groups; those are the leading ones of `D^-½ W D^-½`, which is only multiplied, never stored. The number of groups is
 * where the eigenvalues drop most.
 *
 * Capabilities without shared neighbours, even indirect ones, are separate from the start; only connected ones are
 * analysed, and if there are too many, each of their communities separately.
 *
 * @module
 */
import type { GraphSnapshot } from "./graph-snapshot.js";

/** The maximum of connected capabilities: more take seconds. */
const MOST_AT_ONCE = 2_000;
const MOST_GROUPS = 8;
/** A smaller drop of eigenvalues does not count. */
const LEAST_GAP = 0.1;

/** The neighbours of a capability: the number of each, and its weight. */
type Shares = readonly (readonly [thing: number, weight: number])[];

/** In the order of the nodes: for each capability, the first capability of its cluster; for tools, themselves. */
export function capabilityClusters(snapshot: GraphSnapshot, communities: Uint32Array): Uint32Array {
  const { isCapability } = snapshot;
  const clusters = Uint32Array.from(isCapability, (_, node) => node);
  const shares = sharesOf(snapshot);
  for (const component of componentsOf(isCapability, shares)) {
    const parts = component.length <= MOST_AT_ONCE ? [component] : byCommunity(component, communities);
    for (const part of parts)
      for (const cluster of clustersOf(part, shares)) {
        const first = cluster[0] ?? 0;
        for (const node of cluster) clusters[node] = first;
      }
  }
  return clusters;
}

/** An edge between two capabilities counts as a shared neighbour, under the number of either. */
function sharesOf({ isCapability, from, to, weight }: GraphSnapshot): ReadonlyMap<number, Shares> {
  const shares = new Map<number, [number, number][]>();
  const add = (node: number, thing: number, value: number) => {
    if (isCapability[node] !== 1) return;
    const own = shares.get(node) ?? [[node, 1]];
    own.push([thing, value]);
    shares.set(node, own);
  };
  for (const [index, source] of from.entries()) {
    const target = to[index] ?? 0;
    add(source, target, weight[index] ?? 0);
    add(target, source, weight[index] ?? 0);
  }
  return shares;
}

/** Groups of capabilities that are connected by shared neighbours, smallest number first. */
function componentsOf(isCapability: Uint8Array, shares: ReadonlyMap<number, Shares>): readonly number[][] {
  const parents = Uint32Array.from(isCapability, (_, node) => node);
  const rootOf = (node: number): number => {
    let at = node;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at] ?? 0] ?? 0;
      at = parents[at] ?? 0;
    }
    return at;
  };
  for (const [node, own] of shares) for (const [thing] of own) parents[rootOf(node)] = rootOf(thing);
  const components = new Map<number, number[]>();
  for (const node of [...shares.keys()].sort((a, b) => a - b)) {
    const root = rootOf(node);
    const component = components.get(root);
    if (component === undefined) components.set(root, [node]);
    else component.push(node);
  }
  return [...components.values()];
}

function byCommunity(nodes: readonly number[], communities: Uint32Array): readonly number[][] {
  const parts = new Map<number, number[]>();
  for (const node of nodes) {
    const community = communities[node] ?? 0;
    const part = parts.get(community);
    if (part === undefined) parts.set(community, [node]);
    else part.push(node);
  }
  return [...parts.values()];
}

function clustersOf(nodes: readonly number[], shares: ReadonlyMap<number, Shares>): readonly number[][] {
  if (nodes.length < 3 || nodes.length > MOST_AT_ONCE) return [[...nodes]];
  const places = new Map<number, number>();
  const rows = nodes.map((node) => {
    const own = shares.get(node) ?? [];
    for (const [thing] of own) if (!places.has(thing)) places.set(thing, places.size);
    return own.map(([thing, value]) => [places.get(thing) ?? 0, value] as const);
  });
  const affinity = affinityOf(rows, places.size);
  const { values, vectors } = leadingVectors(nodes.length, MOST_GROUPS + 1, affinity);
  const count = groupsBy(values);
  if (count === 1) return [[...nodes]];
  const points = nodes.map((_, row) =>
    unit(Float64Array.from(vectors.slice(0, count), (vector) => vector[row] ?? 0)),
  );
  const groups = kMeans(points, count);
  const clusters: number[][] = [];
  for (const [index, node] of nodes.entries()) {
    const group = groups[index] ?? 0;
    const cluster = clusters[group] ?? [];
    clusters[group] = cluster;
    cluster.push(node);
  }
  return clusters;
}

/**
 * Multiplies with `D^-½ B C^-1 Bᵗ D^-½`: rows of B are capabilities, columns their neighbours, C the total weight of
 * each neighbour.
 */
function affinityOf(rows: readonly Shares[], things: number): (vector: Float64Array) => Float64Array {
  const entries = rows.flat();
  const starts = new Uint32Array(rows.length + 1);
  for (const [index, row] of rows.entries()) starts[index + 1] = (starts[index] ?? 0) + row.length;
  const thingOf = Uint32Array.from(entries, ([thing]) => thing);
  const worthOf = Float64Array.from(entries, ([, value]) => value);
  const amount = new Float64Array(things);
  for (const [thing, value] of entries) amount[thing] = (amount[thing] ?? 0) + value;
  // Each row of `B C^-1 Bᵗ` has the same sum as its row of B.
  const scale = Float64Array.from(
    rows,
    (row) => 1 / Math.sqrt(row.reduce((sum, [, value]) => sum + value, 0)),
  );
  return (vector) => {
    const middle = new Float64Array(things);
    for (let row = 0; row < rows.length; row += 1) {
      const own = (vector[row] ?? 0) * (scale[row] ?? 0);
      const end = starts[row + 1] ?? 0;
      for (let at = starts[row] ?? 0; at < end; at += 1) {
        const thing = thingOf[at] ?? 0;
        middle[thing] = (middle[thing] ?? 0) + (worthOf[at] ?? 0) * own;
      }
    }
    for (let thing = 0; thing < things; thing += 1)
      middle[thing] = (middle[thing] ?? 0) / (amount[thing] || 1);
    const product = new Float64Array(rows.length);
    for (let row = 0; row < rows.length; row += 1) {
      let sum = 0;
      const end = starts[row + 1] ?? 0;
      for (let at = starts[row] ?? 0; at < end; at += 1)
        sum += (worthOf[at] ?? 0) * (middle[thingOf[at] ?? 0] ?? 0);
      product[row] = sum * (scale[row] ?? 0);
    }
    return product;
  };
}

/** After the first one, where the eigenvalues drop most. */
function groupsBy(values: Float64Array): number {
  let best = { count: 1, gap: LEAST_GAP };
  for (let count = 1; count < values.length; count += 1) {
    const gap = (values[count - 1] ?? 0) - (values[count] ?? 0);
    if (gap > best.gap) best = { count, gap };
  }
  return best.count;
}

function unit(point: Float64Array): Float64Array {
  const length = Math.hypot(...point);
  return length === 0 ? point : point.map((value) => value / length);
}

// The eigenvectors of a symmetric matrix with its largest eigenvalues, by subspace iteration: a few vectors are
// multiplied repeatedly and kept orthogonal, until they no longer change.
//
// The matrix itself is never stored: it only needs a function that multiplies it with a vector.

interface LeadingVectors {
  /** Largest first. */
  readonly values: Float64Array;
  /** Of unit length. */
  readonly vectors: readonly Float64Array[];
}

const SEED = 11;
/** Rounds of {@link STEPS} multiplications each: close eigenvalues would need more, without a benefit. */
const ROUNDS = 12;
const STEPS = 5;
const TOLERANCE = 1e-5;
/** Additional vectors beyond the wanted ones, which converge last: with them the others converge much sooner. */
const GUARDS = 4;

/** `multiply` returns the product of a vector and a `size` by `size` matrix with eigenvalues between 0 and 1. */
export function leadingVectors(
  size: number,
  wanted: number,
  multiply: (vector: Float64Array) => Float64Array,
): LeadingVectors {
  const count = Math.min(wanted + GUARDS, size);
  const random = seededRandom(SEED);
  let vectors = orthonormal(
    Array.from({ length: count }, () => new Float64Array(size).map(() => random() - 0.5)),
  );
  let values = new Float64Array(count);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let step = 1; step < STEPS; step += 1) vectors = vectors.map(multiply);
    const basis = orthonormal(vectors);
    const rotated = rotate(basis, basis.map(multiply));
    const moved = rotated.values.reduce(
      (most, value, index) => Math.max(most, Math.abs(value - (values[index] ?? 0))),
      0,
    );
    values = rotated.values;
    vectors = rotated.products;
    if (moved < TOLERANCE) break;
  }
  return { values: values.slice(0, wanted), vectors: orthonormal(vectors).slice(0, wanted) };
}

/**
 * Rayleigh–Ritz: rotates the products so that each belongs to one eigenvalue of the matrix in the subspace of the
 * vectors.
 */
function rotate(vectors: readonly Float64Array[], products: readonly Float64Array[]) {
  const small = vectors.map((one) => Float64Array.from(products, (other) => dot(one, other)));
  const { values, rotation } = jacobi(small);
  const order = Array.from(values.keys()).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  return {
    values: Float64Array.from(order, (index) => values[index] ?? 0),
    products: order.map((index) => {
      const sum = new Float64Array(products[0]?.length ?? 0);
      for (const [row, product] of products.entries()) {
        const share = rotation[row]?.[index] ?? 0;
        for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + share * (product[at] ?? 0);
      }
      return sum;
    }),
  };
}

const SWEEPS = 30;

/** All eigenvalues of a small symmetric matrix; column `i` of the rotation belongs to value `i`. */
function jacobi(matrix: readonly Float64Array[]) {
  const size = matrix.length;
  const a = matrix.map((row) => Float64Array.from(row));
  const rotation = a.map((_, row) =>
    Float64Array.from({ length: size }, (__, column) => Number(row === column)),
  );
  const get = (rows: readonly Float64Array[], row: number, column: number) => rows[row]?.[column] ?? 0;
  const set = (rows: readonly Float64Array[], row: number, column: number, value: number) => {
    const at = rows[row];
    if (at !== undefined) at[column] = value;
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    let off = 0;
    for (let p = 0; p < size; p += 1)
      for (let q = p + 1; q < size; q += 1) {
        const apq = get(a, p, q);
        off += apq * apq;
        if (Math.abs(apq) < 1e-15) continue;
        const theta = (get(a, q, q) - get(a, p, p)) / (2 * apq);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < size; k += 1) {
          const [kp, kq] = [get(a, k, p), get(a, k, q)];
          set(a, k, p, c * kp - s * kq);
          set(a, k, q, s * kp + c * kq);
        }
        for (let k = 0; k < size; k += 1) {
          const [pk, qk] = [get(a, p, k), get(a, q, k)];
          set(a, p, k, c * pk - s * qk);
          set(a, q, k, s * pk + c * qk);
          const [vp, vq] = [get(rotation, k, p), get(rotation, k, q)];
          set(rotation, k, p, c * vp - s * vq);
          set(rotation, k, q, s * vp + c * vq);
        }
      }
    if (off < 1e-20) break;
  }
  return { values: Float64Array.from(a, (_, index) => get(a, index, index)), rotation };
}

/** Gram–Schmidt, twice, which is enough; a dependent vector becomes zero. */
function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const vector of vectors) {
    const own = Float64Array.from(vector);
    for (const other of [...done, ...done]) {
      const share = dot(own, other);
      for (let at = 0; at < own.length; at += 1) own[at] = (own[at] ?? 0) - share * (other[at] ?? 0);
    }
    const length = Math.sqrt(dot(own, own));
    done.push(length < 1e-12 ? own.fill(0) : own.map((value) => value / length));
  }
  return done;
}

function dot(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** Mulberry32, between 0 and 1: the same sequence for the same seed, everywhere. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const KMEANS_SEED = 13;
const KMEANS_ROUNDS = 50;

/** For each point the number of its group, in the order of first points; at most `count` groups. */
export function kMeans(points: readonly Float64Array[], count: number): Uint32Array {
  let middles = firstMiddles(points, count);
  let groups = new Uint32Array(points.length);
  for (let round = 0; round < KMEANS_ROUNDS; round += 1) {
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

/** Chooses each new centre at random, most likely far from the existing ones. */
function firstMiddles(points: readonly Float64Array[], count: number): readonly Float64Array[] {
  const random = seededRandom(KMEANS_SEED);
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
    // All remaining points equal a chosen one.
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
