/** Vectors that look like those of a model: around centres, with more or less noise. The same numbers every time. */

export type Random = () => number;

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

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
