/**
 * Measures the graph of tools and capabilities at 1,000, 10,000 and 100,000 nodes: building it, adding a run and a
 * changed capability, queries, and computing PageRank, communities and clusters of the whole graph.
 *
 * With the data sets in the folder `PML_EVAL_DIR`: what each signal of the graph adds to ranking if there is context,
 * and that it does no harm if tasks do not repeat. `PML_EVAL_WRITE` names a document in which that table is replaced.
 *
 * The graph is generated: one tool for four capabilities; a capability uses three tools that are close to each other,
 * like those of one server; runs prefer sequences that were used before, as habits do.
 */
import { measureContext } from "./graph/ablation.mjs";
import { builds } from "./harness/build.mjs";
import { measuredHeap } from "./harness/heap.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, ratioOf, summary } from "./harness/sampling.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 15;
const SIZES = sized([1_000, 10_000, 100_000], [1_000]);
const AT_ONCE = sized(200, 1);
const PERIOD = 700;

/**
 * The cost of a run must not grow with the graph; this allows for a hundred times as many nodes and more cache misses.
 */
const MOST_GROWTH = 6;
/** The longest time for which other work may wait for the thread. */
const MOST_BLOCK_MS = 50;

await benchmark("graph", "tools and capabilities as nodes, in process", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const [build] = await builds(bench);
  const parts = await load(build);
  const worlds = [];
  for (const size of SIZES) {
    const { value, bytes } = await measuredHeap(() => world(parts, size));
    worlds.push({ ...value, bytes });
  }
  printTable(
    ["nodes", "edges between", "build, µs a node", "memory, bytes a node"],
    worlds.map(({ label, graph, buildMs, size, bytes }) => [
      label,
      graph.pairCount.toLocaleString("en"),
      ((buildMs * 1_000) / size).toFixed(1),
      (bytes / size).toFixed(0),
    ]),
  );
  await measureSteps(bench, rounds, parts, worlds);
  await measureWhole(parts, worlds);
  printSpread(rounds);
  await measureContext(bench, build, parts);
});

async function load(build) {
  const names = ["tool-graph", "graph-snapshot", "analyse-graph", "capability-clusters", "context-bonus"];
  const more = ["shortest-path", "graph-suggester", "graph-insights"];
  const modules = await Promise.all(
    [...names, ...more].map((name) => build.load(`discovery/graph/${name}.js`)),
  );
  return Object.assign({}, ...modules);
}

function toolName(index) {
  return `server-${Math.floor(index / 20)}:tool_${index}`;
}

function capName(index) {
  return `local.default.made.cap_${index}.0000`;
}

function world(parts, size) {
  const random = parts.seededRandom(size);
  const tools = Math.floor(size / 5);
  const near = (index) => (index + Math.floor(random() * random() * 40)) % tools;
  const graph = new parts.ToolGraph();
  const started = performance.now();
  for (let index = 0; index < tools; index += 1) graph.putTool(toolName(index));
  const facts = () => {
    const first = Math.floor(random() * tools);
    const used = [first, near(first), near(first)].map(toolName);
    const code = { sequences: [[used[0], used[1]]], provides: [] };
    return {
      tools: [...new Set(used)],
      calls: [],
      uses: { uses: Math.floor(random() * 20), period: PERIOD },
      code,
    };
  };
  for (let index = 0; index < size - tools; index += 1) graph.putCapability(capName(index), facts());
  const run = () => {
    const from = Math.floor(random() * tools);
    return { from: toolName(from), to: toolName(near(from)), uses: 1, period: PERIOD };
  };
  for (let index = 0; index < 4 * tools; index += 1) graph.see(run());
  const buildMs = performance.now() - started;
  const label = size.toLocaleString("en");
  return { size, label, graph, tools, buildMs, random, facts, run };
}

/** Frequent steps, in µs each. */
async function measureSteps(bench, rounds, parts, worlds) {
  const kinds = [
    [
      "a run with three calls",
      ({ graph, run }) => {
        for (let call = 0; call < 3; call += 1) graph.see(run());
      },
    ],
    [
      "a capability that has changed",
      ({ graph, facts, random, size, tools }) =>
        graph.putCapability(capName(Math.floor(random() * (size - tools))), facts()),
    ],
    ["Adamic–Adar of a tool", (one) => parts.adamicAdar(one.graph, anyTool(one))],
    [
      "context of three, all bonuses",
      (one) => parts.contextBonuses(one.graph, [anyTool(one), anyTool(one), anyTool(one)], PERIOD),
    ],
    [
      "shortest path between two tools",
      (one) => parts.shortestPath(one.graph, anyTool(one), anyTool(one), PERIOD),
    ],
  ];
  const paths = kinds.flatMap(([label, work]) => worlds.map((one) => ({ label, one, work })));
  const sample = async ({ one, work }) => {
    const started = performance.now();
    for (let time = 0; time < AT_ONCE; time += 1) work(one);
    return ((performance.now() - started) * 1_000) / AT_ONCE;
  };
  for (const path of paths) await sample(path);
  const series = await interleave(paths, rounds, sample);
  printTable(
    ["µs each (p50)", ...worlds.map(({ label }) => `${label} nodes`), "largest × smallest"],
    kinds.map(([label]) => {
      const own = paths.filter((path) => path.label === label);
      const growth = ratioOf(series.get(own.at(-1)), series.get(own[0]));
      if (label.startsWith("a run") || label.startsWith("a capability"))
        bench.check(`${label}, largest × smallest`, growth, MOST_GROWTH);
      return [label, ...own.map((path) => summary(series.get(path)).p50.toFixed(1)), times(growth)];
    }),
  );
}

function anyTool({ random, tools }) {
  return toolName(Math.floor(random() * tools));
}

/** Computations over the whole graph, each once, and how long they block the thread. */
async function measureWhole(parts, worlds) {
  const rows = [];
  for (const { label, graph } of worlds) {
    const stall = watchStalls();
    const startedSnapshot = performance.now();
    const { snapshot, nodes } = await parts.takeSnapshot(graph, PERIOD);
    const snapshotMs = performance.now() - startedSnapshot;
    const longest = stall.stop();
    const [analysisMs, { community: groups }] = timed(() => parts.analyseGraph(snapshot));
    const [clustersMs, clusters] = timed(() => parts.capabilityClusters(snapshot, groups));
    const isCap = (_, node) => snapshot.isCapability[node] === 1;
    const count = (list) => new Set(list).size.toLocaleString("en");
    if (nodes.length !== groups.length) throw new Error("some are missing");
    rows.push([
      label,
      `${ms(snapshotMs)} (${ms(longest)})`,
      ms(analysisMs),
      count(groups),
      ms(clustersMs),
      count([...clusters].filter(isCap)),
    ]);
  }
  printTable(
    [
      "the whole, ms",
      "snapshot (longest block)",
      "PageRank, Louvain, spectral",
      "communities",
      "of that spectral",
      "clusters",
    ],
    rows,
  );
  console.log(
    `All but the snapshot is one piece of work: from a thousand nodes on each takes more than ${MOST_BLOCK_MS} ms and belongs in a thread of its own.\n`,
  );
}

function timed(work) {
  const started = performance.now();
  const answer = work();
  return [performance.now() - started, answer];
}

function watchStalls() {
  let longest = 0;
  let last = performance.now();
  let isOn = true;
  const tick = () => {
    const at = performance.now();
    longest = Math.max(longest, at - last);
    last = at;
    if (isOn) setImmediate(tick);
  };
  setImmediate(tick);
  return {
    stop() {
      isOn = false;
      return Math.max(longest, performance.now() - last);
    },
  };
}
