/**
 * Measures what each signal of the graph adds to ranking if there is context. It uses tasks of several tools: the first
 * tools are the context, the others are hidden and searched for. The graph is learnt from the other tasks of the set.
 */
import { PML_EVAL_CACHE, PML_EVAL_DIR, PML_EVAL_WRITE } from "../harness/evaluation.mjs";
import { cachedVectors } from "../retrieval/cached-vectors.mjs";
import { interval, mean, qualityOf } from "../retrieval/measures.mjs";
import { Report } from "../retrieval/report.mjs";
import { ask, fused, loadParts, poolOf } from "../retrieval/retrievers.mjs";
import { readSets } from "../retrieval/sets.mjs";

const SILENT = { debug() {}, info() {}, warn() {}, error: (event, fields) => console.error(event, fields) };

const PERIOD = 700;
const NOW = PERIOD * 28 * 86_400_000;
/** For small sets, learns from all tasks but one; for large ones, from nine tenths. */
const SMALL = 100;
const FOLDS = 10;
/**
 * The context is the first tool of a task, then the first two, and so on up to this many; each time all other tools are
 * searched for.
 */
const CONTEXTS = 5;
const LOOKED_AT = 40;
/**
 * Ranking without the graph compared with ranking with it (nDCG@5): at most one hundredth may be lost if nothing
 * repeats.
 */
const MOST_LOST = 1.01;

const CHANCE = "chance to come next";
/** The value of a tool for a context, between 0 and 1. PML ranks by the chance. */
const SIGNS = {
  [CHANCE]: ({ parts, graph, used }) => {
    const bonuses = parts.contextBonuses(graph, used, PERIOD);
    return (id) => bonuses.get(id) ?? 0;
  },
  "Adamic–Adar": ({ parts, graph, used }) => {
    const scores = used.map((one) => parts.adamicAdar(graph, one));
    return (id) => Math.min(1, Math.max(...scores.map((of) => of.get(id) ?? 0)) / 2);
  },
  "same community": ({ insight, used }) => {
    const own = used.map((one) => insight.communityOf(one));
    return (id) => own.filter((one) => one === insight.communityOf(id)).length / own.length;
  },
  "how often used, whatever the context":
    ({ shares }) =>
    (id) =>
      shares.get(id) ?? 0,
};

/** Does nothing if `PML_EVAL_DIR` names no folder. */
export async function measureContext(bench, build, graphParts) {
  if (PML_EVAL_DIR === undefined) {
    console.log("PML_EVAL_DIR names no folder with data sets: no ablation\n");
    return;
  }
  const { createEmbedder } = await build.load("embedding/create-embedder.js");
  const embedder = await createEmbedder("bundled", SILENT, { queryVectorMs: 600_000 });
  bench.atEnd(() => embedder.close());
  const vectorsOf = cachedVectors(embedder, PML_EVAL_CACHE);
  const parts = { ...graphParts, ...(await loadParts(build)) };
  const own = { sign: CHANCE, weight: parts.CONTEXT_WEIGHT };
  const variants = [
    ...Object.keys(SIGNS).map((sign) => ({ ...own, sign })),
    { ...own, weight: 2 * own.weight },
  ].map((variant) => ({ ...variant, label: `${variant.sign}, weight ${variant.weight}` }));
  const sets = [];
  for (const set of readSets(PML_EVAL_DIR)) {
    const measured = await ablate({ parts, set, vectorsOf, embedder, variants });
    if (measured !== undefined) sets.push(measured);
  }
  report(sets, variants);
  for (const set of sets) {
    const { middle: base } = interval([set.without]);
    const { middle, low, high } = gain(set, variants[0]);
    const ratio = { middle: base / (base + middle), low: base / (base + high), high: base / (base + low) };
    bench.check(`${set.name}: without the graph against with it, nDCG@5`, ratio, MOST_LOST);
  }
}

function report(sets, variants) {
  const made = new Report("bench/graph.mjs");
  const percent = (value) => (100 * value).toFixed(1);
  const shown = ({ middle, low, high }) => `${percent(middle)} (${percent(low)} to ${percent(high)})`;
  made.table(
    ["nDCG@5", ...sets.map(({ name, tasks }) => `${name}, ${tasks} tasks`)],
    [
      ["without the graph", ...sets.map(({ without }) => shown(interval([without])))],
      ...variants.map((one) => [`+ ${one.label}`, ...sets.map((set) => shown(gain(set, one)))]),
    ],
  );
  if (PML_EVAL_WRITE !== undefined) made.write(PML_EVAL_WRITE);
}

/**
 * The nDCG@5 of every task of several tools, without the graph and with each variant; undefined if there are no such
 * tasks.
 */
async function ablate({ parts, set, vectorsOf, embedder, variants }) {
  const ids = set.tools.map(({ server, name }, place) => `${server}:${name}#${place}`);
  const tasks = set.queries
    .map(({ query, relevant }) => ({ query, used: [...relevant] }))
    .filter(({ used }) => used.length > 1);
  if (tasks.length === 0) return undefined;
  const pool = await poolOf(parts, set.tools, vectorsOf);
  const { weight, background } = embedder;
  const folds = tasks.length < SMALL ? tasks.length : FOLDS;
  const learnt = [];
  const without = [];
  const measured = new Map(variants.map(({ label }) => [label, []]));
  for (const [at, { query, used }] of tasks.entries()) {
    const fold = at % folds;
    learnt[fold] ??= await learn(parts, ids, tasks, (other) => other % folds !== fold);
    const asked = await ask({ parts, pool, text: query, vectorsOf, weight, background });
    const quality = (bonusAfter) =>
      mean(
        used.slice(0, Math.min(CONTEXTS, used.length - 1)).map((_, last) => {
          const context = used.slice(0, last + 1);
          const bonus = bonusAfter(context.map((place) => ids[place]));
          const found = fused(asked, { bonus, shown: LOOKED_AT }).map(({ key }) => key);
          const others = found.filter((place) => !context.includes(place));
          return qualityOf(others, new Set(used.slice(last + 1))).ndcg5;
        }),
      );
    without.push(quality(() => () => 0));
    for (const { sign, weight: worth, label } of variants)
      measured.get(label).push(
        quality((before) => {
          const of = SIGNS[sign]({ parts, used: before, ...learnt[fold] });
          return (place) => worth * of(ids[place]);
        }),
      );
  }
  return { name: set.name, tasks: tasks.length, without, measured };
}

/** The gain of a variant, task by task. */
function gain({ without, measured }, { label }) {
  return interval([measured.get(label).map((value, at) => value - without[at])]);
}

async function learn(parts, ids, tasks, isKnown) {
  const graph = new parts.ToolGraph();
  for (const id of ids) graph.putTool(id);
  const shares = new Map();
  const known = tasks.filter((_, at) => isKnown(at));
  for (const { used } of known)
    for (const [at, place] of used.entries()) {
      shares.set(ids[place], (shares.get(ids[place]) ?? 0) + 1 / known.length);
      if (at > 0) graph.see({ from: ids[used[at - 1]], to: ids[place], uses: 1, period: PERIOD });
    }
  return { graph, shares, insight: await new parts.GraphInsights(graph, { now: () => NOW }).fresh() };
}
