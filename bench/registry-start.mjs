/**
 * Measures the start of a registry of 100,000 capabilities, each time in a new process: from the open store until
 * memory can be queried. Compared with the same rows read by one `select` through the same driver, put into memory or
 * left as they are.
 */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { builds } from "./harness/build.mjs";
import { fillStore } from "./harness/filled-store.mjs";
import { IS_SMOKE, sized } from "./harness/options.mjs";
import { startPostgres } from "./harness/postgres.mjs";
import { interleave, median, ratioOf } from "./harness/sampling.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 5;
const RECORDS = sized(100_000, 1_000);
const PROGRAM = fileURLToPath(new URL("./fixtures/start-registry.mjs", import.meta.url));
const SILENT = { debug() {}, info() {}, warn() {}, error: (event, fields) => console.error(event, fields) };

const MOST = 1.1;

await benchmark(
  "registry-start",
  `${RECORDS.toLocaleString("en")} capabilities, to memory`,
  async (bench) => {
    const rounds = bench.options.rounds ?? ROUNDS;
    const [build] = await builds(bench);
    const dataDir = bench.directory("data");
    const url = await startPostgres(bench);
    const { openStore } = await build.load("postgres/open-store.js");
    // Each read is a process that opens its store, and an embedded store takes seconds.
    const isEmbedded = !IS_SMOKE || url === undefined;
    const stores = [...(isEmbedded ? [["PGlite"]] : []), ...(url === undefined ? [] : [["PostgreSQL", url]])];
    for (const [, url] of stores) {
      const options = url === undefined ? {} : { url };
      const store = await openStore({ dataDir, log: SILENT, ...options });
      await fillStore(store.database, RECORDS);
      // A server gathers statistics automatically; an embedded store has none.
      if (url !== undefined) await store.database.query("vacuum analyze");
      await store.close();
    }
    const dist = dirname(dirname(build.main));
    const paths = stores.flatMap(([label, ...more]) =>
      ["registry", "made", "rows"].map((mode) => ({
        label,
        mode,
        args: [dist, mode, dataDir, ...more],
        runs: [],
      })),
    );
    const series = await interleave(paths, rounds, async (path) => {
      const run = await started(bench, path.args);
      if (run.count !== RECORDS) throw new Error(`${path.label}: ${run.count} were read`);
      path.runs.push(run);
      return run.read;
    });
    const column = (path, key) => median(path.runs.map((run) => run[key]));
    const words = { registry: "loaded", made: "rows, put into memory", rows: "bare rows" };
    printTable(
      [
        "median of the runs",
        "open ms",
        "read ms",
        "CPU ms",
        "longest block ms",
        "heap, bytes a record",
        "× bare rows",
      ],
      paths.map((path) => [
        `${path.label}: ${words[path.mode]}`,
        ms(column(path, "open")),
        ms(column(path, "read")),
        ms(column(path, "cpu")),
        ms(column(path, "blocked")),
        (column(path, "bytes") / RECORDS).toFixed(0),
        times(ratioOf(series.get(path), series.get(other(paths, path, "rows")))),
      ]),
    );
    const loaded = paths.filter(({ mode }) => mode === "registry");
    printTable(
      ["then, for the first time", "resolve a name, ms", "list what has a name, ms", "listed"],
      loaded.map((path) => [
        path.label,
        ...["resolve", "list"].map((key) => ms(column(path, key))),
        column(path, "listed").toLocaleString("en"),
      ]),
    );
    for (const path of loaded) {
      const ratio = ratioOf(series.get(path), series.get(other(paths, path, "made")));
      bench.check(`${path.label}: loaded × rows put into memory`, ratio, MOST);
    }
    printSpread(rounds);
  },
);

function other(paths, { label }, mode) {
  return paths.find((path) => path.label === label && path.mode === mode);
}

async function started(bench, args) {
  const child = bench.spawn("pml", process.execPath, [PROGRAM, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const chunk of child.stdout) text += chunk;
  await child.exited;
  return JSON.parse(text);
}
