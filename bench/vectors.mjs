/**
 * Measures searching 200 to 1,000,000 vectors in memory, compared with a bare scan of the same vectors in the same
 * round; how many of the ten nearest are found; memory, building, and adding one vector.
 */
import { bareScan, DIMENSIONS, rowsOf, vectors } from "./fixtures/vectors.mjs";
import { builds } from "./harness/build.mjs";
import { measuredMemory } from "./harness/heap.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, median, ratioOf, summary, timeEach } from "./harness/sampling.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 15;
const LIMIT = 10;
const QUERIES = sized(40, 2);
const NEW = sized(1_000, 2);

/** Searches of one sample; and the upper limits of p50 compared with a bare scan, without and with a filter. */
const SIZES = [
  { size: 200, searches: 40, most: 1, mostFiltered: 1.25 },
  { size: 10_000, searches: 10, most: 0.4, mostFiltered: 0.4 },
  { size: 100_000, searches: 4, most: 0.2, mostFiltered: 0.3 },
  { size: 1_000_000, searches: 1, most: 0.15, mostFiltered: 0.3 },
];
/** Of the ten nearest. */
const MOST_MISSED = 0.05;
const MOST_MEMORY = 1.15;
/** Above this size the exact index is skipped: it would need the same memory once more. */
const EXACT_MOST = 100_000;

await benchmark("vectors", `${DIMENSIONS} numbers each, the ten nearest, in process`, async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const [build] = await builds(bench);
  const { MemoryVectorIndex } = await build.load("discovery/vectors/memory-index.js");
  const notes = [];
  for (const one of sized(SIZES, SIZES.slice(0, 1)))
    notes.push(await measure(bench, rounds, MemoryVectorIndex, one));
  printTable(
    [
      "vectors",
      "found of ten",
      "bytes each",
      "× numbers alone",
      "put all, µs each",
      "then ready, ms",
      "put one more, µs",
      "remove, µs",
      "longest block, ms",
    ],
    notes,
  );
  printSpread(rounds);
});

async function measure(bench, rounds, MemoryVectorIndex, { size, searches, most, mostFiltered }) {
  const label = size.toLocaleString("en");
  const { blocks, queries, isReal } = vectors(size, QUERIES);
  const built = await measuredMemory(() => filled(new MemoryVectorIndex(), blocks));
  const { index, put, ready } = built.value;
  const exact =
    size <= EXACT_MOST && (await filled(new MemoryVectorIndex({ codedFrom: Infinity }), blocks)).index;
  const search = (on, more) => async (time) => {
    const { nearest } = await on.search(queries[time % QUERIES], { limit: LIMIT, ...more });
    if (nearest.length === 0) throw new Error("nothing was found");
  };
  const paths = [
    { label: "bare scan", run: (time) => bareScan(blocks, queries[time % QUERIES]) },
    ...(exact ? [{ label: "all compared", run: search(exact) }] : []),
    { label: index.isCoded ? "index, by codes" : "index, all compared", run: search(index) },
    { label: "one of 10 accepted", run: search(index, { accepts: (key) => key % 10 === 3 }) },
    { label: "one of 100 accepted", run: search(index, { accepts: (key) => key % 100 === 3 }) },
  ];
  for (const { run } of paths) await timeEach(searches * 2, run);
  const series = await interleave(paths, rounds, ({ run }) => timeEach(searches, run));
  const base = series.get(paths[0]);
  printTable(
    [`${label}${isReal ? ", from real ones" : ""}`, "min ms", "p50 ms", "p95 ms", "p50 × bare", "p95 × bare"],
    paths.map((path) => {
      const samples = series.get(path);
      const { min, p50, p95 } = summary(samples);
      const figures = [min, p50, p95].map((value) => (value < 1 ? value.toFixed(3) : ms(value)));
      return [path.label, ...figures, times(ratioOf(samples, base)), times(ratioOf(samples, base, 0.95))];
    }),
  );
  const [searched, ...filtered] = paths.slice(-3);
  bench.check(`a search × bare scan, ${label}`, ratioOf(series.get(searched), base), most);
  for (const path of filtered)
    bench.check(`${path.label} × bare scan, ${label}`, ratioOf(series.get(path), base), mostFiltered);
  const missed = await missedOf(index, blocks, queries);
  bench.check(`of ten not found, ${label}`, same(missed), MOST_MISSED);
  const each = built.bytes / size;
  const bare = DIMENSIONS * Float32Array.BYTES_PER_ELEMENT;
  if (size >= 10_000) bench.check(`memory × numbers alone, ${label}`, same(each / bare), MOST_MEMORY);
  const block = await longestBlock(() => index.search(queries[0], { limit: LIMIT }));
  const changed = change(index, size, queries);
  return [
    label,
    (1 - missed).toFixed(3),
    each.toFixed(0),
    (each / bare).toFixed(2),
    put.toFixed(1),
    ready.toFixed(0),
    changed.put.toFixed(1),
    changed.remove.toFixed(1),
    ms(block),
  ];
}

async function filled(index, blocks) {
  let key = 0;
  let started = performance.now();
  for (const row of rowsOf(blocks)) {
    index.put(key, row);
    key += 1;
    // As vectors arrive: in parts, with pauses for other work.
    if (key % 1_000 === 0) await new Promise(setImmediate);
  }
  const put = ((performance.now() - started) * 1_000) / key;
  started = performance.now();
  await index.settled();
  return { index, put, ready: performance.now() - started };
}

/** The share of the ten nearest, found by comparing all vectors, that the index misses. */
async function missedOf(index, blocks, queries) {
  let missed = 0;
  for (const query of queries) {
    const least = tenth(blocks, query);
    const { nearest } = await index.search(query, { limit: LIMIT });
    missed += LIMIT - nearest.filter(({ cosine }) => cosine >= least - 1e-6).length;
  }
  return missed / (LIMIT * queries.length);
}

function tenth(blocks, query) {
  const best = [];
  for (const row of rowsOf(blocks)) {
    let sum = 0;
    for (let at = 0; at < DIMENSIONS; at += 1) sum += row[at] * query[at];
    if (best.length === LIMIT && sum <= best[LIMIT - 1]) continue;
    best.push(sum);
    best.sort((a, b) => b - a);
    best.length = Math.min(best.length, LIMIT);
  }
  return best[LIMIT - 1];
}

async function longestBlock(work) {
  const longest = [];
  for (let time = 0; time < 5; time += 1) {
    let most = 0;
    let isOver = false;
    let last = performance.now();
    const done = work().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise(setImmediate);
      const now = performance.now();
      most = Math.max(most, now - last);
      last = now;
    }
    await done;
    longest.push(most);
  }
  return median(longest);
}

function change(index, size, queries) {
  const each = (work) => {
    const started = performance.now();
    for (let time = 0; time < NEW; time += 1) work(time);
    return ((performance.now() - started) * 1_000) / NEW;
  };
  return {
    put: each((time) => index.put(size + time, queries[time % QUERIES])),
    remove: each((time) => index.remove(size + time)),
  };
}

function same(value) {
  return { middle: value, low: value, high: value };
}
