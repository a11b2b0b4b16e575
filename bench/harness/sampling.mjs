/**
 * Interleaved sampling. On a busy machine the same code may be twice as fast in one second as in the next, so nothing
 * is measured alone: every round measures every path, in changing order, and paths are compared round by round.
 */

/** @typedef {number[][]} Series one list of samples per round */

/**
 * @template P
 * @param {readonly P[]} paths
 * @param {number} rounds
 * @param {(path: P, round: number) => Promise<number | number[]>} sample
 * @returns {Promise<Map<P, Series>>}
 */
export async function interleave(paths, rounds, sample) {
  const series = new Map(paths.map((path) => [path, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const path of orderOf(paths, round)) {
      const samples = await sample(path, round);
      series.get(path)?.push(Array.isArray(samples) ? samples : [samples]);
    }
  }
  return series;
}

/**
 * Starts at another path each round and reverses the order every other round, so that no path always follows the same
 * one.
 */
function orderOf(paths, round) {
  const start = round % paths.length;
  const turned = [...paths.slice(start), ...paths.slice(0, start)];
  return round % 2 === 0 ? turned : turned.reverse();
}

/** Times each of `count` sequential runs of `work`, in milliseconds. */
export async function timeEach(count, work) {
  const samples = [];
  for (let index = 0; index < count; index += 1) {
    const started = performance.now();
    await work(index);
    samples.push(performance.now() - started);
  }
  return samples;
}

/** Runs `work` `count` times, `inFlight` of them in parallel, and returns how many ended per second. */
export async function throughput(count, inFlight, work) {
  let next = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < count) {
        next += 1;
        await work(next);
      }
    }),
  );
  return (count / (performance.now() - started)) * 1_000;
}

export function quantile(samples, q) {
  const sorted = [...samples].sort((a, b) => a - b);
  const place = (sorted.length - 1) * q;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

export const median = (samples) => quantile(samples, 0.5);

/** @param {Series} series */
export function summary(series) {
  const all = series.flat();
  return { min: Math.min(...all), p50: median(all), p95: quantile(all, 0.95), max: Math.max(...all) };
}

/**
 * @typedef {object} Ratio
 * @property {number} middle median over the rounds
 * @property {number} low
 * @property {number} high with 95 % confidence the median is between `low` and `high`
 */

/**
 * How many times as long `series` takes as `base`: the ratio of the medians of each round, or of another quantile.
 *
 * @param {Series} series
 * @param {Series} base
 * @returns {Ratio}
 */
export function ratioOf(series, base, q = 0.5) {
  return medianWithSpread(
    series.map((samples, round) => quantile(samples, q) / quantile(base[round] ?? [], q)),
  );
}

const RESAMPLES = 2_000;

/** Bootstrap: how much the median would differ if other rounds of the same kind had been measured. */
export function medianWithSpread(values) {
  const random = generator(values.length);
  const medians = Array.from({ length: RESAMPLES }, () =>
    median(values.map(() => values[Math.floor(random() * values.length)] ?? Number.NaN)),
  );
  return { middle: median(values), low: quantile(medians, 0.025), high: quantile(medians, 0.975) };
}

/** Mulberry32, between 0 and 1: the same seed always gives the same numbers. */
export function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
