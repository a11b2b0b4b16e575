/**
 * Capabilities that do alike things, by spectral clustering: how alike two are is what they lead to and come from
 * together, tools above all.
 *
 * A thing that many lead to says less about each, so what two share counts one over the number of those who share it.
 * Of the normalised Laplacian `I - D^-½ W D^-½` the eigenvectors with the smallest eigenvalues tell the groups apart;
 * those are the leading ones of `D^-½ W D^-½`, which is only ever multiplied, never written down. How many groups there
 * are is where the eigenvalues fall most.
 *
 * Capabilities that share nothing, not even through others, are apart from the start; only what hangs together is
 * looked at, and where that is too much, each community of it by itself.
 *
 * @module
 */
import type { GraphSnapshot } from "./graph-snapshot.js";
import { kMeans } from "./k-means.js";
import { leadingVectors } from "./leading-vectors.js";

/** Of capabilities that hang together: more take seconds. */
const MOST_AT_ONCE = 2_000;
const MOST_GROUPS = 8;
/** A smaller fall of eigenvalues is no gap. */
const LEAST_GAP = 0.1;

/** What a capability shares with others: the number of the thing, and how much of it. */
type Shares = readonly (readonly [thing: number, weight: number])[];

/** In the order of the nodes: the first capability of the cluster that each is in; of tools, themselves. */
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

/** An edge between two capabilities is a thing that both have, under the number of either. */
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

/** Capabilities that are joined by what they share, smallest number first. */
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

/** Multiplies with `D^-½ B C^-1 Bᵗ D^-½`: rows of B are capabilities, columns things, C how much of each there is. */
function affinityOf(rows: readonly Shares[], things: number): (vector: Float64Array) => Float64Array {
  const entries = rows.flat();
  const starts = new Uint32Array(rows.length + 1);
  for (const [index, row] of rows.entries()) starts[index + 1] = (starts[index] ?? 0) + row.length;
  const thingOf = Uint32Array.from(entries, ([thing]) => thing);
  const worthOf = Float64Array.from(entries, ([, value]) => value);
  const amount = new Float64Array(things);
  for (const [thing, value] of entries) amount[thing] = (amount[thing] ?? 0) + value;
  // Each row of `B C^-1 Bᵗ` adds up to what its row of B does.
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

/** Behind the first, where they fall most. */
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
