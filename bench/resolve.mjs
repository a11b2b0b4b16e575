/**
 * Measures resolving names in memory, compared with a bare `Map.get` of the same names in the same run.
 *
 * Names are looked up in random order, as strings that were just read from a socket: the stored strings themselves
 * would have a cached hash.
 */
import { flat, fullCapability, leanCapability, SCOPE } from "./fixtures/capabilities.mjs";
import { builds } from "./harness/build.mjs";
import { measuredHeap } from "./harness/heap.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, quantile, ratioOf, summary } from "./harness/sampling.mjs";
import { printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 25;
const SIZES = sized([10_000, 100_000, 1_000_000], [1_000]);
const LOOKUPS = sized(20_000, 100);
/** Fewer than the number of version lists that the registry keeps. */
const VERSIONED = sized(5_000, 50);

const MOST = 10;
/** What `find` adds to resolving in memory: a microtask, an answer, and the number of the version. */
const MOST_FIND = 10;
/** The documented limit: 10 ms (P95, 10,000 records). */
const PROMISED_MS = 10;

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

await benchmark("resolve", "names of capabilities in memory, in process", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const [build] = await builds(bench);
  const { CapabilityRegistry } = await build.load("registry/capability-registry.js");
  for (const size of SIZES) await measure(bench, rounds, CapabilityRegistry, size);
  await measureMemory(CapabilityRegistry);
  printSpread(rounds);
});

async function measure(bench, rounds, CapabilityRegistry, size) {
  const records = Array.from({ length: size }, (_, index) => leanCapability(index));
  const bare = new Map(records.map((one) => [one.displayName, one]));
  const store = countingStore(records);
  const registry = await loadedRegistry(CapabilityRegistry, store);
  const { directory } = registry;
  const asked = Array.from({ length: LOOKUPS }, () => leanCapability(Math.floor(Math.random() * size)));
  const again = asked.map((_, index) => asked[index % VERSIONED]);
  const resolve = (text) => directory.resolve(text, SCOPE);
  const name = ({ displayName }) => displayName;
  const paths = [
    path("Map.get", asked, name, (text) => bare.get(text)),
    path("by name", asked, name, resolve),
    path("by alias", asked, ({ aliases }) => aliases[0], resolve),
    path("by FQDN", asked, ({ fqdn }) => fqdn, resolve),
    path("by FQDN without its hash", asked, ({ fqdn }) => fqdn.slice(0, fqdn.lastIndexOf(".")), resolve),
    path("by scope and name", asked, ({ displayName }) => `local.default:${displayName}`, resolve),
    path("by id", asked, ({ id }) => id, resolve),
    path("spelled otherwise", asked, ({ displayName }) => displayName.toUpperCase(), resolve),
    path("with a version", asked, ({ displayName }) => `${displayName}@v1`, resolve),
    path(
      "no such name",
      asked,
      ({ displayName }) => `${displayName}x`,
      (text) => resolve(text) === undefined,
    ),
  ];
  const found = [
    asyncPath("find, by name", again, name, (text) => registry.find(text, SCOPE)),
    asyncPath(
      "find, with a version",
      again,
      ({ displayName }) => `${displayName}@v1`,
      (text) => registry.find(text, SCOPE),
    ),
  ];
  const all = [...paths, ...found];
  for (const one of all) for (let time = 0; time < 3; time += 1) await one.sample();
  const queriesBefore = store.queries;
  const series = await interleave(all, rounds, (one) => one.sample());
  if (store.queries !== queriesBefore)
    throw new Error(`the store was asked ${store.queries - queriesBefore} times for what memory has`);
  const base = series.get(paths[0]);
  printTable(
    [`${size.toLocaleString("en")} names`, "min ns", "p50 ns", "p95 ns", "p50 × Map.get"],
    all.map((one) => {
      const { min, p50, p95 } = summary(series.get(one));
      const figures = [min, p50, p95].map((value) => value.toFixed(0));
      return [one.label, ...figures, times(ratioOf(series.get(one), base))];
    }),
  );
  const single = singly(
    asked.map(({ displayName }) => flat(displayName)),
    resolve,
  );
  console.log(
    `by name, each lookup timed by itself, with the clock: p95 ${single.toFixed(4)} ms, ${Math.round(PROMISED_MS / single).toLocaleString("en")} times under ${PROMISED_MS} ms\n`,
  );
  const label = (one) => `${one.label}, ${size.toLocaleString("en")} names`;
  for (const one of paths.slice(1, 4)) bench.check(label(one), ratioOf(series.get(one), base), MOST);
  const [byName, withVersion] = found;
  const against = (one, other) => ratioOf(series.get(one), series.get(other));
  bench.check(`${label(byName)}, × by name`, against(byName, paths[1]), MOST_FIND);
  bench.check(`${label(withVersion)}, × with a version`, against(withVersion, paths[8]), MOST_FIND);
}

async function measureMemory(CapabilityRegistry) {
  const rows = [];
  for (const [label, size, make] of [
    ["lean", sized(1_000_000, 2_000), leanCapability],
    ["lean", sized(100_000, 1_000), leanCapability],
    ["with an intent, a schema and tools of its own", sized(100_000, 1_000), fullCapability],
  ]) {
    const records = await measuredHeap(() => Array.from({ length: size }, (_, index) => make(index)));
    const directory = await measuredHeap(() =>
      loadedRegistry(CapabilityRegistry, countingStore(records.value)),
    );
    const bare = await measuredHeap(() => new Map(records.value.map((one) => [one.displayName, one])));
    const each = [records, directory, bare].map(({ bytes }) => (bytes / size).toFixed(0));
    rows.push([label, size.toLocaleString("en"), ...each]);
    // Uses the objects once more, so that they are not collected before they are measured.
    if (directory.value.directory.size !== bare.value.size) throw new Error("some are missing");
  }
  printTable(
    [
      "memory, bytes a record",
      "records",
      "the records themselves",
      "the directory beside them",
      "a Map beside them",
    ],
    rows,
  );
}

async function loadedRegistry(CapabilityRegistry, store) {
  const registry = new CapabilityRegistry({ store, log: SILENT });
  await registry.loaded();
  return registry;
}

/** A store with the same records as memory, which counts its queries. */
function countingStore(records) {
  const ask = (answer) => async () => {
    store.queries += 1;
    return answer;
  };
  const version = { version: 1, versionTag: undefined, codeHash: "", updatedBy: "", updatedAt: new Date() };
  const store = { queries: 0, load: ask(records), getAll: ask([]), find: ask([]), versions: ask([version]) };
  return store;
}

/** A way to look up; `sample` returns nanoseconds per lookup. */
function path(label, asked, textOf, resolve) {
  const texts = asked.map((one) => flat(textOf(one)));
  const sample = async () => {
    const started = performance.now();
    let missed = 0;
    for (const text of texts) if (!resolve(text)) missed += 1;
    return nanosecondsEach(label, started, missed, texts.length);
  };
  return { label, sample };
}

function asyncPath(label, asked, textOf, find) {
  const texts = asked.map((one) => flat(textOf(one)));
  const sample = async () => {
    const started = performance.now();
    let missed = 0;
    for (const text of texts) if (!(await find(text))) missed += 1;
    return nanosecondsEach(label, started, missed, texts.length);
  };
  return { label, sample };
}

function nanosecondsEach(label, started, missed, count) {
  const took = performance.now() - started;
  if (missed > 0) throw new Error(`${label}: ${missed} not found`);
  return (took * 1_000_000) / count;
}

function singly(texts, resolve) {
  const samples = texts.map((text) => {
    const started = performance.now();
    resolve(text);
    return performance.now() - started;
  });
  return quantile(samples, 0.95);
}
