/**
 * Measures a gateway on a store of 100,000 capabilities and 1,000,000 traces, embedded and on PostgreSQL, compared with
 * one on an empty store: its start, its memory, how long its event loop is blocked, and the time of `pml_discover`,
 * `cap_list` and `pml prune`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { builds } from "./harness/build.mjs";
import { connectHttp } from "./harness/clients.mjs";
import { fillStore, fillTraces } from "./harness/filled-store.mjs";
import { pmlHome } from "./harness/gateways.mjs";
import { IS_SMOKE, sized } from "./harness/options.mjs";
import { startPostgres } from "./harness/postgres.mjs";
import { memoryOf, treeOf } from "./harness/processes.mjs";
import { summary } from "./harness/sampling.mjs";
import { ms, printTable } from "./harness/table.mjs";
import { benchmark, endGroup, pause } from "./harness/workbench.mjs";

const CAPABILITIES = sized(100_000, 500);
const TRACES = sized(1_000_000, 2_000);
const CALLS = sized(20, 1);
/** The timeout of one call: the first waits until the store is in memory. */
const ANSWER = { timeout: 600_000 };
const SETTLE_MS = sized(15_000, 300);
const KEPT = sized("5", "1");
const WATCH = fileURLToPath(new URL("./fixtures/loop-watch.mjs", import.meta.url));
const SILENT = { debug() {}, info() {}, warn() {}, error: (event, fields) => console.error(event, fields) };
const DISCOVERY = { discovery: { embedder: "none" } };

await benchmark(
  "large-store",
  `${CAPABILITIES.toLocaleString("en")} capabilities and ${TRACES.toLocaleString("en")} traces`,
  async (bench) => {
    const [build] = await builds(bench);
    const { openStore } = await build.load("postgres/open-store.js");
    const url = await startPostgres(bench);
    const stores = [
      ...(IS_SMOKE ? [] : [["PGlite, empty", {}, false]]),
      ...(IS_SMOKE && url !== undefined ? [] : [["PGlite", {}, true]]),
      ...(url === undefined ? [] : [["PostgreSQL", { store: { url } }, true]]),
    ];
    const rows = [];
    for (const [label, extra, isFilled] of stores) {
      const home = pmlHome(bench, build, {}, { ...DISCOVERY, ...extra });
      // A gateway must create the data directory before it can be filled.
      await (await start(bench, home)).end();
      if (isFilled) await fill(openStore, home.dataDir, extra.store?.url);
      rows.push([label, ...(await measure(bench, build, home))]);
      console.log(`measured: ${rows.at(-1).join(" | ")}`);
    }
    printTable(
      [
        "store",
        "serves after, ms",
        "first answer after, ms",
        "longest block, start, ms",
        "RSS MB",
        "PSS MB",
        "discover p50, max, ms",
        "cap_list p50, max, ms",
        "longest block, calls, ms",
        "prune: dry run, s",
        "prune, s",
        "rows pruned",
        "cap_list while pruning p50, max, ms",
        "longest block, prune, ms",
      ],
      rows,
    );
  },
);

async function fill(openStore, dataDir, url) {
  const store = await openStore({ dataDir, log: SILENT, ...(url === undefined ? {} : { url }) });
  await fillStore(store.database, CAPABILITIES);
  await fillTraces(store.database, CAPABILITIES, TRACES);
  if (url !== undefined) await store.database.query("vacuum analyze");
  await store.close();
}

async function start(bench, home) {
  const began = performance.now();
  const child = bench.spawn("pml", process.execPath, ["--import", WATCH, ...home.serve(["--http", "0"])], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const found = /serves MCP at (\S+)/.exec(line);
    if (found === null) continue;
    const file = join(bench.env("pml").TMPDIR, `loop-${child.pid}`);
    return {
      url: found[1],
      pid: child.pid,
      servesMs: performance.now() - began,
      end: () => endGroup(child),
      /** The longest block since the previous call. */
      async longestBlock() {
        await pause(600);
        const { longest } = JSON.parse(readFileSync(`${file}.json`, "utf8"));
        writeFileSync(`${file}.reset`, "");
        await pause(600);
        return longest;
      },
    };
  }
  throw new Error("pml serve --http did not say where it serves");
}

async function measure(bench, build, home) {
  const began = performance.now();
  const gateway = await start(bench, home);
  const client = await connectHttp(bench, gateway.url);
  const call = (name, input) => client.callTool({ name, arguments: input }, ANSWER);
  const discover = (index) => call("pml_discover", { intent: `read the file number ${index} and list it` });
  const list = (index) => call("cap_list", { limit: 50, offset: 50 * index, pattern: "ns7:*" });
  await discover(0);
  const firstMs = performance.now() - began;
  await pause(SETTLE_MS);
  const startBlock = await gateway.longestBlock();
  const { rss, pss } = sizeOf(gateway.pid);
  const found = await timed(discover);
  const listed = await timed(list);
  const callsBlock = await gateway.longestBlock();
  const dry = await prune(bench, build, home, "--dry-run");
  let isPruning = true;
  const pruning = prune(bench, build, home, "--yes").finally(() => {
    isPruning = false;
  });
  const meanwhile = [];
  for (let index = 0; isPruning || meanwhile.length === 0; index += 1) {
    const at = performance.now();
    await list(index % 10);
    meanwhile.push(performance.now() - at);
    await pause(50);
  }
  const pruned = await pruning;
  const pruneBlock = await gateway.longestBlock();
  await gateway.end();
  return [
    ms(gateway.servesMs),
    ms(firstMs),
    ms(startBlock),
    rss.toFixed(0),
    pss.toFixed(0),
    spread(found),
    spread(listed),
    ms(callsBlock),
    (dry.ms / 1_000).toFixed(1),
    (pruned.ms / 1_000).toFixed(1),
    pruned.rows.toLocaleString("en"),
    spread(meanwhile),
    ms(pruneBlock),
  ];
}

async function timed(call) {
  const times = [];
  for (let index = 0; index < CALLS; index += 1) {
    const at = performance.now();
    const { isError, content } = await call(index);
    if (isError === true) throw new Error(content[0]?.text);
    times.push(performance.now() - at);
  }
  return times;
}

function spread(times) {
  return `${ms(summary(times).p50)}, ${ms(Math.max(...times))}`;
}

/** As a person does it: in another process. */
async function prune(bench, build, home, flag) {
  const began = performance.now();
  const args = [
    build.main,
    "prune",
    "--keep",
    KEPT,
    "--json",
    "--config",
    home.config,
    "--data-dir",
    home.dataDir,
  ];
  const child = bench.spawn("pml", process.execPath, flag === "--dry-run" ? [...args, flag] : args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  for await (const chunk of child.stdout) text += chunk;
  if ((await child.exited) !== 0) throw new Error(`pml prune failed: ${text}`);
  return { ms: performance.now() - began, rows: rowsIn(JSON.parse(text)) };
}

function rowsIn(value) {
  return value?.traces?.rows ?? value?.pruned?.traces?.rows ?? 0;
}

/** The size of the gateway and all processes that it has started. */
function sizeOf(pid) {
  const sizes = treeOf(pid).map(memoryOf);
  const sum = (key) => sizes.reduce((total, size) => total + (size?.[key] ?? 0), 0);
  return { rss: sum("rss"), pss: sum("pss") };
}
