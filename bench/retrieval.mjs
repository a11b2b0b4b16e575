/**
 * Measures how well tools are found, on public data sets: by words; by the bundled model; by a plain fusion of both
 * (z-scores, weights 0.3 and 0.7), of textbook parts and of PML's own parts; and by PML itself. Reads the sets in the
 * folder `PML_EVAL_DIR`; they are not part of this repository. `PML_EVAL_WRITE` names a document in which the tables
 * are replaced.
 */
import { readFileSync } from "node:fs";
import { builds } from "./harness/build.mjs";
import { PML_EVAL_CACHE, PML_EVAL_DIR, PML_EVAL_WRITE } from "./harness/evaluation.mjs";
import { benchmark } from "./harness/workbench.mjs";
import { cachedVectors } from "./retrieval/cached-vectors.mjs";
import { calibrationError, interval, mean, qualityOf, seeded } from "./retrieval/measures.mjs";
import { Report } from "./retrieval/report.mjs";
import {
  ask,
  BEFORE,
  byStep,
  loadParts,
  PLAIN,
  poolOf,
  RETRIEVERS,
  shown,
  WHOLE,
} from "./retrieval/retrievers.mjs";
import { merged, readSets } from "./retrieval/sets.mjs";

/** The upper limit of the ratio of a plain fusion's macro nDCG@5 to PML's. */
const MOST = 1;
const MEASURES = [
  ["nDCG@5", "ndcg5"],
  ["R@1", "recall1"],
  ["R@5", "recall5"],
  ["R@10", "recall10"],
  ["MRR", "mrr"],
];
const CONDITIONS = [
  "Percent, with 95 % intervals (bootstrap over the queries); macro is the mean of the sets. The bundled model has seen",
  "tools of bfcl, metatool and sealtools, not these queries, and nothing of livemcp. Plain fusion adds z-scores over all",
  "tools, 0.3 of BM25F and 0.7 of the cosine: of textbook BM25F and whole descriptions, and of PML's own words and",
  "vectors. Where tools share their name, mostly one of them counts as right. PML's constants, of the order and of the",
  "scores, were chosen on these very queries: on others it will do somewhat worse, its scores above all.",
].join("\n");
/** Tools of these servers, in any set, match none of the intents. */
const DESK = ["filesystem", "memory", "git", "fetch", "time", "playwright"];
/** The number of randomly drawn tools, and of queries of each set that search them. */
const POOL_SIZES = [15, 60, 150];
const ABSENT_QUERIES = 75;
const OFF_TOPIC = new URL("fixtures/off-topic-intents.txt", import.meta.url);
const SILENT = { debug() {}, info() {}, warn() {}, error: (event, fields) => console.error(event, fields) };

await benchmark("retrieval", "how well tools are found", async (bench) => {
  if (PML_EVAL_DIR === undefined) {
    console.log("PML_EVAL_DIR names no folder with data sets: nothing is measured\n");
    return;
  }
  const [build] = await builds(bench);
  const parts = await loadParts(build);
  const { createEmbedder } = await build.load("embedding/create-embedder.js");
  const embedder = await createEmbedder("bundled", SILENT, { queryVectorMs: 600_000 });
  bench.atEnd(() => embedder.close());
  const vectorsOf = cachedVectors(embedder, PML_EVAL_CACHE);
  const sets = readSets(PML_EVAL_DIR);
  const own = await measure(parts, sets, vectorsOf, embedder);
  const report = new Report("bench/retrieval.mjs");
  report.say(CONDITIONS);
  reportSizes(report, sets);
  for (const [title, of] of MEASURES) reportQuality(report, title, of, own);
  reportQuality(
    report,
    "nDCG@5, all tools in one pool",
    "ndcg5",
    await measure(parts, merged(sets), vectorsOf, embedder),
  );
  for (const plain of [BEFORE, PLAIN, WHOLE]) reportGain(report, own, plain);
  reportHalves(report, own);
  reportCalibration(report, own);
  const { weight, background } = embedder;
  await reportFloor(report, own, { parts, sets, vectorsOf, weight, background });
  await reportAbsent(report, { parts, sets, vectorsOf, weight, background });
  if (PML_EVAL_WRITE !== undefined) report.write(PML_EVAL_WRITE);
  const macro = (name) => interval(own.map(({ qualities }) => qualities[name].map(({ ndcg5 }) => ndcg5)));
  const ours = macro("PML").middle;
  for (const name of [BEFORE, PLAIN]) {
    const { middle, low, high } = macro(name);
    const ratio = { middle: middle / ours, low: low / ours, high: high / ours };
    bench.check(`${name} against PML, macro nDCG@5`, ratio, MOST);
  }
});

/** The quality of each retriever for each query of each set. */
async function measure(parts, sets, vectorsOf, { weight, background }) {
  const measured = [];
  const pools = new Map();
  for (const { name, tools, queries } of sets) {
    if (!pools.has(tools)) pools.set(tools, await poolOf(parts, tools, vectorsOf));
    const qualities = Object.fromEntries(Object.keys(RETRIEVERS).map((retriever) => [retriever, []]));
    const scored = [];
    const floored = [];
    for (const { query, relevant } of queries) {
      const asked = await ask({ parts, pool: pools.get(tools), text: query, vectorsOf, weight, background });
      for (const [retriever, find] of Object.entries(RETRIEVERS))
        qualities[retriever].push(qualityOf(find(asked), relevant));
      const { all, words } = shown(asked);
      const recall5 = (found) =>
        qualityOf(
          found.map(({ key }) => key),
          relevant,
        ).recall5;
      floored.push({ all: recall5(all), words: recall5(words) });
      scored.push(byStep(asked).map(({ key, score }) => ({ score, isRight: relevant.has(key) })));
    }
    measured.push({ name, queries, qualities, scored, floored });
  }
  return measured;
}

function reportSizes(report, sets) {
  report.table(
    ["set", "tools", "with a name that another has", "queries", "right ones a query"],
    sets.map(({ name, tools, queries }) => [
      name,
      `${tools.length}`,
      `${tools.length - new Set(tools.map((tool) => tool.name.toLowerCase())).size}`,
      `${queries.length}`,
      mean(queries.map(({ relevant }) => relevant.size)).toFixed(1),
    ]),
  );
}

function reportQuality(report, title, of, measured) {
  const lists = (retriever) =>
    measured.map(({ qualities }) => qualities[retriever].map((quality) => quality[of]));
  report.table(
    [title, ...measured.map(({ name }) => name), "macro"],
    Object.keys(RETRIEVERS).map((retriever) => [
      retriever,
      ...lists(retriever).map((list) => percent(interval([list]))),
      percent(interval(lists(retriever))),
    ]),
  );
}

/** A choice that was made on one half must hold on the other. */
function reportHalves(report, measured) {
  const of = (retriever, half) =>
    measured.map(({ qualities, queries }) =>
      qualities[retriever].filter((_, i) => queries[i].half === half).map(({ ndcg5 }) => ndcg5),
    );
  report.table(
    ["nDCG@5 by halves", ...measured.map(({ name }) => name), "macro"],
    [BEFORE, PLAIN, "PML"].flatMap((retriever) =>
      [0, 1].map((half) => {
        const lists = of(retriever, half);
        return [
          `${retriever}, half ${half + 1}`,
          ...lists.map((list) => (100 * mean(list)).toFixed(1)),
          (100 * mean(lists.map(mean))).toFixed(1),
        ];
      }),
    ),
  );
}

function reportGain(report, measured, plain) {
  const gains = (of) =>
    measured.map(({ qualities }) => qualities.PML.map((quality, i) => quality[of] - qualities[plain][i][of]));
  report.table(
    [`PML − ${plain}`, ...measured.map(({ name }) => name), "macro"],
    MEASURES.map(([title, of]) => [
      title,
      ...gains(of).map((list) => percent(interval([list]))),
      percent(interval(gains(of))),
    ]),
  );
}

function reportCalibration(report, measured) {
  report.table(
    ["score of PML", ...measured.map(({ name }) => name)],
    [
      ["the first: mean score", ({ scored }) => mean(scored.map(([first]) => first?.score ?? 0))],
      ["the first: how often right", ({ scored }) => mean(scored.map(([first]) => (first?.isRight ? 1 : 0)))],
      ["calibration error of the first ten", ({ scored }) => calibrationError(scored.flat())],
    ].map(([title, of]) => [title, ...measured.map((one) => of(one).toFixed(2))]),
  );
}

/** What the score floor loses, and how often it finds nothing for an intent that no tool serves. */
async function reportFloor(report, measured, { parts, sets, vectorsOf, weight, background }) {
  report.table(
    ["R@5 with the floor", ...measured.map(({ name }) => name)],
    ["all", "words"].map((kind) => [
      kind === "all" ? "PML" : "words",
      ...measured.map(({ floored }) => (100 * mean(floored.map((one) => one[kind]))).toFixed(1)),
    ]),
  );
  const desk = sets.flatMap(({ tools }) => tools).filter(({ server }) => DESK.includes(server));
  if (desk.length === 0) return;
  const pool = await poolOf(parts, desk, vectorsOf);
  const intents = readFileSync(OFF_TOPIC, "utf8").trim().split("\n");
  const none = { all: 0, words: 0 };
  for (const text of intents) {
    const found = shown(await ask({ parts, pool, text, vectorsOf, weight, background }));
    for (const kind of Object.keys(none)) none[kind] += found[kind].length === 0 ? 1 : 0;
  }
  report.table(
    [`of ${intents.length} intents that none of ${desk.length} tools serves, find nothing`, "PML", "words"],
    [["", `${none.all}`, `${none.words}`]],
  );
}

/** How many correct results the floor removes, and how often it finds nothing if the right tools are missing. */
async function reportAbsent(report, { parts, sets, vectorsOf, weight, background }) {
  const rows = [];
  for (const size of POOL_SIZES) {
    const sums = { all: { cut: [], none: [] }, words: { cut: [], none: [] } };
    for (const { tools, queries } of sets) {
      const random = seeded(size);
      const kept = { all: { cut: [], none: [] }, words: { cut: [], none: [] } };
      for (const { query, relevant } of queries.filter(({ half }) => half === 1).slice(0, ABSENT_QUERIES)) {
        const others = sampleOf(tools, relevant, size, random);
        const right = [...relevant].map((place) => tools[place]);
        const look = async (some) =>
          shown(
            await ask({
              parts,
              pool: await poolOf(parts, some, vectorsOf),
              text: query,
              vectorsOf,
              weight,
              background,
            }),
          );
        const [there, absent] = [await look([...right, ...others]), await look(others)];
        for (const kind of Object.keys(kept)) {
          const isRight = ({ key }) => key < right.length;
          const found = there.without[kind].filter(isRight).length;
          if (found > 0) kept[kind].cut.push(1 - there[kind].filter(isRight).length / found);
          kept[kind].none.push(absent[kind].length === 0 ? 1 : 0);
        }
      }
      for (const kind of Object.keys(kept))
        for (const figure of ["cut", "none"])
          if (kept[kind][figure].length > 0) sums[kind][figure].push(mean(kept[kind][figure]));
    }
    const shownPercent = (values) => (100 * mean(values)).toFixed(1);
    rows.push([
      `${size}`,
      ...["all", "words"].flatMap((kind) => [shownPercent(sums[kind].cut), shownPercent(sums[kind].none)]),
    ]);
  }
  report.table(
    [
      "the floor, with tools drawn at random",
      "PML: right ones cut",
      "PML: nothing found, right ones absent",
      "words: right ones cut",
      "words: nothing found, right ones absent",
    ],
    rows,
  );
}

function sampleOf(tools, relevant, size, random) {
  const places = new Set();
  while (places.size < Math.min(size, tools.length - relevant.size)) {
    const place = Math.floor(random() * tools.length);
    if (!relevant.has(place)) places.add(place);
  }
  return [...places].map((place) => tools[place]);
}

function percent({ middle, low, high }) {
  const shown = (value) => (100 * value).toFixed(1);
  return `${shown(middle)} (${shown(low)}–${shown(high)})`;
}
