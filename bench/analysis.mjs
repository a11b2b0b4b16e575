/**
 * Measures static analysis of code, compared with only the parser on the same text in the same round, and how it scales
 * with the length of the code.
 */
import { parseSync } from "oxc-parser";
import { longCode, SNIPPET, vocabulary } from "./fixtures/code-to-analyse.mjs";
import { builds } from "./harness/build.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, ratioOf, summary } from "./harness/sampling.mjs";
import { printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 25;
const LINES = sized([10, 100, 1_000, 10_000], [100]);
/** The number of lines that one sample analyses, in one piece of code or in many. */
const LINES_A_SAMPLE = sized(2_000, 100);
/** Before this many runs the engine has not compiled all of analysis yet, and it takes two to three times as long. */
const WARM_UP_RUNS = sized(1_000, 0);
const WARM_UP_SAMPLES = sized(3, 0);

const MOST_TIMES_PARSE = 6;
const MOST_GROWTH = 2;

await benchmark("analysis", "code before it runs, in process", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const all = await builds(bench);
  const analysers = await Promise.all(
    all.map(async (build) => ({
      label: build.label,
      analyse: (await build.load("analysis/analyse.js")).analyse,
    })),
  );
  await measureSnippet(bench, rounds, analysers);
  await measureGrowth(bench, rounds, analysers[0].analyse);
  printSpread(rounds);
});

async function measureSnippet(bench, rounds, analysers) {
  const lines = SNIPPET.split("\n").length;
  for (const { analyse } of analysers) mustBeClean(analyse(SNIPPET, vocabulary));
  const paths = [
    { label: "oxc parseSync alone", run: () => parse(SNIPPET) },
    ...analysers.map(({ label, analyse }) => ({
      label: `${label} analyse`,
      run: () => analyse(SNIPPET, vocabulary),
    })),
  ];
  const repeats = Math.ceil(LINES_A_SAMPLE / lines);
  for (const { run } of paths) for (let time = 0; time < WARM_UP_RUNS; time += 1) run();
  const series = await interleave(paths, rounds, async ({ run }) => microseconds(repeats, run));
  const base = series.get(paths[0]);
  const calls = analysers[0].analyse(SNIPPET, vocabulary).calls.length;
  printTable(
    [`${lines} lines, ${calls} calls`, "min µs", "p50 µs", "p95 µs", "p50 × parse"],
    paths.map((path) => row(path.label, series.get(path), times(ratioOf(series.get(path), base)))),
  );
  bench.check("analysis × bare parse", ratioOf(series.get(paths[1]), base), MOST_TIMES_PARSE);
}

async function measureGrowth(bench, rounds, analyse) {
  const paths = LINES.map((lines) => {
    const code = longCode(lines);
    mustBeClean(analyse(code, vocabulary));
    return { lines, code, count: Math.max(1, Math.ceil(LINES_A_SAMPLE / lines)) };
  });
  for (const { code, count } of paths)
    for (let time = 0; time < WARM_UP_SAMPLES * count; time += 1) analyse(code, vocabulary);
  const sample = async ({ lines, code, count }) =>
    microseconds(count, () => analyse(code, vocabulary)) / lines;
  const series = await interleave(paths, rounds, sample);
  const base = series.get(paths.find(({ lines }) => lines === 100));
  printTable(
    ["lines", "KiB", "min µs a line", "p50 µs a line", "p95 µs a line", "p50 × 100 lines"],
    paths.map((path) => {
      const [label, ...figures] = row(
        path.lines.toLocaleString("en"),
        series.get(path),
        times(ratioOf(series.get(path), base)),
      );
      return [label, (Buffer.byteLength(path.code) / 1_024).toFixed(1), ...figures];
    }),
  );
  bench.check("a line of 10,000 × a line of 100", ratioOf(series.get(paths.at(-1)), base), MOST_GROWTH);
}

function row(label, series, ratio) {
  const { min, p50, p95 } = summary(series);
  return [label, ...[min, p50, p95].map((value) => value.toFixed(value < 100 ? 1 : 0)), ratio];
}

/** The mean time of `count` runs: a single run is too short for the clock. */
function microseconds(count, run) {
  const started = performance.now();
  for (let time = 0; time < count; time += 1) run();
  return ((performance.now() - started) * 1_000) / count;
}

/** Parses as analysis does, and reads the tree: the parser creates it only on access. */
function parse(code) {
  const { program } = parseSync("code.ts", `async()=>{${code}\n}`, {
    lang: "ts",
    sourceType: "module",
    preserveParens: false,
  });
  return program;
}

function mustBeClean({ problems }) {
  if (problems.length > 0) throw new Error(`the code has problems: ${JSON.stringify(problems[0])}`);
}
