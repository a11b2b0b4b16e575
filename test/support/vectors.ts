/**
 * Vectors that resemble those of a model: around centres, with more or less noise. The numbers are the same every time.
 */

export { seededRandom as randomFrom } from "../../src/discovery/graph/capability-clusters.js";

export type Random = () => number;

export function unit(numbers: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(numbers);
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

export function randomVector(random: Random, dimensions: number): Float32Array {
  return unit(Array.from({ length: dimensions }, () => random() + random() + random() - 1.5));
}

/** Draws vectors around `centres` random ones. */
export function mixture(random: Random, dimensions: number, centres: number, noise = 1): () => Float32Array {
  const middles = Array.from({ length: centres }, () => randomVector(random, dimensions));
  return () => {
    const middle = middles[Math.floor(random() * centres)] as Float32Array;
    const off = randomVector(random, dimensions);
    return unit(middle.map((value, at) => value + noise * (off[at] as number)));
  };
}

export function cosineOf(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] as number), 0);
}
