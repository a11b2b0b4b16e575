/**
 * Measures the bundled model: loading; the vector of an intent, alone and while 1,000 descriptions are embedded,
 * compared with the bare model; 1,000 descriptions cold and from the store; the time until a new capability is found;
 * memory, and how much is freed; and how long the gateway's thread is blocked.
 */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { leanCapability, SCOPE } from "./fixtures/capabilities.mjs";
import { intents, toolTexts } from "./fixtures/tool-texts.mjs";
import { builds } from "./harness/build.mjs";
import { sized } from "./harness/options.mjs";
import { memoryOf, treeOf } from "./harness/processes.mjs";
import { interleave, median, medianWithSpread, ratioOf, summary, timeEach } from "./harness/sampling.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark, pause } from "./harness/workbench.mjs";

const ROUNDS = 10;
const QUERIES = sized(20, 2);
const TEXTS = sized(1_000, 4);
/** None with `--smoke`: `memory` loads one in the same way. */
const LOADS = sized(5, 0);
const NEWCOMERS = sized(3, 1);
/** Every n-th description goes to the bare model, before and after. */
const EVERY = sized(20, 2);
const BARE = fileURLToPath(new URL("./fixtures/bare-model.mjs", import.meta.url));
const SILENT = { debug() {}, info() {}, warn() {}, error: (event, fields) => console.error(event, fields) };

/**
 * Upper limits: an intent compared with the bare model; the same for a description, whose process has lower priority;
 * reading from the store compared with embedding; a new capability compared with the bare vector, and with the pause
 * before it; the memory that is left, in MB.
 */
const MOST = { query: 1.5, busy: 12, document: 4, store: 0.1, asked: 30, unasked: 2, left: 40 };

await benchmark("embedding", "the bundled model", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const [build] = await builds(bench);
  const { createEmbedder } = await build.load("embedding/create-embedder.js");
  const make = (times = {}) => createEmbedder("bundled", SILENT, { queryVectorMs: 60_000, ...times });

  await memory(bench, make);
  const bare = await bareModel(bench, build);
  const embedder = await make();
  bench.atEnd(() => embedder.close());
  const loads = await timeEach(LOADS, async () => {
    const one = await make();
    await one.embed(["read a file"], "document");
    await one.close();
  });
  await embedder.embed(intents(QUERIES), "query");
  await queries(bench, rounds, bare, embedder);
  await documents(bench, build, bare, embedder);
  await newcomers(bench, rounds, build, bare, embedder);
  printTable(
    ["loading", "p50 ms"],
    [
      ["process, checksums, model, first text", ms(median(loads))],
      ["of that the model, in a process that runs", ms(bare.loadMs)],
    ],
  );
});

async function queries(bench, rounds, bare, embedder) {
  const background = toolTexts(TEXTS);
  const paths = [
    { label: "bare model", ask: (text) => bare.encode(text) },
    { label: "an intent", ask: (text) => timed(() => embedder.embed([text], "query")) },
    {
      label: "an intent, while descriptions wait",
      isBusy: true,
      ask: (text) => timed(() => embedder.embed([text], "query")),
    },
  ];
  let asked = 0;
  const series = await interleave(paths, rounds, async ({ isBusy, ask }) => {
    const enough = new AbortController();
    const busy = isBusy === true ? embedder.embed(background, "document", enough.signal) : undefined;
    const samples = [];
    for (const text of intents(QUERIES)) {
      asked += 1;
      samples.push(await ask(`${text} ${asked}`));
    }
    enough.abort();
    await busy?.catch(() => {});
    return samples;
  });
  const base = series.get(paths[0]);
  printTable(
    ["one vector", "min ms", "p50 ms", "p95 ms", "p50 × bare", "p95 × bare"],
    paths.map((path) => {
      const { min, p50, p95 } = summary(series.get(path));
      const ratio = (q) => times(ratioOf(series.get(path), base, q));
      return [path.label, ms(min), ms(p50), ms(p95), ratio(0.5), ratio(0.95)];
    }),
  );
  printSpread(rounds);
  bench.check("an intent, against the bare model", ratioOf(series.get(paths[1]), base), MOST.query);
  bench.check(
    "an intent while descriptions wait, against the bare model",
    ratioOf(series.get(paths[2]), base),
    MOST.busy,
  );
}

async function documents(bench, build, bare, embedder) {
  const { openStore } = await build.load("postgres/open-store.js");
  const { PostgresVectorStore } = await build.load("postgres/vector-store.js");
  const { VectorKeeper } = await build.load("discovery/vector-keeper.js");
  const store = await openStore({ dataDir: bench.directory("data"), log: SILENT });
  bench.atEnd(() => store.close());
  const texts = toolTexts(TEXTS);
  const keep = async () => {
    const vectors = new Map();
    const index = { put: (key, vector) => vectors.set(key, vector), remove: (key) => vectors.delete(key) };
    const keeper = new VectorKeeper({ embedder, index, store: new PostgresVectorStore(store.database) });
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const cpu = process.cpuUsage();
    const started = performance.now();
    for (const [key, text] of texts.entries()) keeper.put(key, text);
    await keeper.idle();
    const wall = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    delay.disable();
    await keeper.stop();
    if (vectors.size !== TEXTS) throw new Error(`${vectors.size} of ${TEXTS} have a vector`);
    return { wall, cpu: (user + system) / 1_000, blocked: delay.max / 1e6 };
  };
  const sample = texts.filter((_, index) => index % EVERY === 0);
  const bareEach = async () => {
    const samples = [];
    for (const text of sample) samples.push(await bare.encode(text));
    return samples.reduce((sum, one) => sum + one, 0) / samples.length;
  };
  const before = await bareEach();
  const cold = await keep();
  const after = await bareEach();
  const warm = await keep();
  const row = (label, { wall, cpu, blocked }) => [label, ms(wall), ms(wall / TEXTS), ms(cpu), ms(blocked)];
  printTable(
    [`${TEXTS} descriptions`, "ms", "ms each", "CPU of the gateway, ms", "longest block, ms"],
    [
      row("cold: embedded and kept", cold),
      row("from the store", warm),
      ["bare model, by a sample", "", ms((before + after) / 2), "", ""],
    ],
  );
  bench.check(
    "a description, against the bare model before and after",
    medianWithSpread([cold.wall / TEXTS / before, cold.wall / TEXTS / after]),
    MOST.document,
  );
  const share = warm.wall / cold.wall;
  bench.check(
    "from the store, against embedding them",
    { middle: share, low: share, high: share },
    MOST.store,
  );
}

/** The time until a new capability is found by words that are not its own. */
async function newcomers(bench, rounds, build, bare, embedder) {
  const { CapabilityDirectory } = await build.load("registry/capability-directory.js");
  const { HybridMatcher } = await build.load("discovery/hybrid-matcher.js");
  const { Meaning } = await build.load("discovery/meaning.js");
  const { LIMITS } = await build.load("base/limits.js");
  const directory = new CapabilityDirectory([]);
  const matcher = new HybridMatcher({ directory, tools: () => [] });
  const meaning = new Meaning({ embedder, embedAfterMs: 0, patienceMs: 60_000 });
  matcher.useMeaning(meaning);
  bench.atEnd(() => matcher.stop());
  let made = 0;
  const learn = () => {
    made += 1;
    const intent = `sprinkle lawn ${made} with water`;
    const capability = {
      ...leanCapability(made),
      intent,
      org: SCOPE.org,
      project: SCOPE.project,
      visibility: "public",
    };
    directory.put(capability);
    return capability;
  };
  const isFound = async ({ fqdn }, intent) =>
    (await matcher.match(intent, SCOPE, { limit: 100 })).some(({ id }) => id === fqdn);
  const paths = [
    {
      label: "bare vector",
      run: () => bare.encode(`sprinkle lawn ${made} with water`),
    },
    {
      label: "by its words, asked at once",
      run: () =>
        timed(async () => {
          const one = learn();
          if (!(await isFound(one, one.intent))) throw new Error("it is not found by its words");
        }),
    },
    {
      label: "by its meaning, asked at once",
      run: async () => {
        const one = learn();
        const took = await timed(async () => {
          void matcher.match("anything", SCOPE, { limit: 1 });
          while (meaning.status.pending > 0 || meaning.status.known < made) await new Promise(setImmediate);
        });
        if (!(await isFound(one, `irrigate the grass number ${made}`)))
          throw new Error("it is not found by its meaning");
        return took;
      },
    },
    {
      label: "by its meaning, nobody asks",
      run: () => {
        learn();
        return timed(async () => {
          while (meaning.status.known < made) await pause(1);
        });
      },
    },
  ];
  for (const { run } of paths) await run();
  const series = await interleave(paths, rounds, async ({ run }) => {
    const samples = [];
    for (let time = 0; time < NEWCOMERS; time += 1) {
      samples.push(await run());
      await meaning.idle();
    }
    return samples;
  });
  const base = series.get(paths[0]);
  printTable(
    ["a new capability is found", "p50 ms", "p95 ms", "p50 × bare vector"],
    paths.map((path) => {
      const { p50, p95 } = summary(series.get(path));
      return [path.label, ms(p50), ms(p95), times(ratioOf(series.get(path), base))];
    }),
  );
  bench.check(
    "a new capability by meaning, against its bare vector",
    ratioOf(series.get(paths[2]), base),
    MOST.asked,
  );
  bench.check(
    "nobody asks, against the pause before it is read",
    ratioOf(
      series.get(paths[3]),
      series.get(paths[3]).map(() => [LIMITS.discoverPrepareMs]),
    ),
    MOST.unasked,
  );
}

async function memory(bench, make) {
  const rss = () => memoryOf(process.pid).rss;
  const model = () => treeOf(process.pid).filter((pid) => pid !== process.pid);
  const before = rss();
  const embedder = await make({ modelIdleMs: 500 });
  const rows = [["before", before, []]];
  for (const [label, texts] of [
    ["loaded", ["read a file"]],
    [`after ${sized(200, 2)} descriptions`, toolTexts(sized(200, 2))],
  ]) {
    await embedder.embed(texts, "document");
    rows.push([label, rss(), model()]);
    rows.at(-1)[2] = rows.at(-1)[2].map((pid) => memoryOf(pid).rss);
  }
  while (embedder.state !== "cold") await pause(50);
  await pause(500);
  rows.push(["idle", rss(), model().map((pid) => memoryOf(pid).rss)]);
  await embedder.close();
  const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);
  printTable(
    ["memory, RSS in MB", "gateway", "model"],
    rows.map(([label, own, sizes]) => [label, own.toFixed(0), sum(sizes).toFixed(0)]),
  );
  const left = rows.at(-1)[1] - before + sum(rows.at(-1)[2]);
  bench.check("MB that are left when idle", { middle: left, low: left, high: left }, MOST.left);
}

async function bareModel(bench, build) {
  const child = bench.spawn("other", process.execPath, [...process.execArgv, BARE, build.file("")]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  const loadMs = await next();
  return {
    loadMs,
    encode: async (text) => {
      child.stdin.write(`${JSON.stringify(text)}\n`);
      return await next();
    },
  };
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
