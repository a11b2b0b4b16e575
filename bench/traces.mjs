/**
 * Measures the cost of traces and learning: the time of the batches that are written during the runs, as a share of the
 * time of those runs; and the same runs with nothing written.
 *
 * The gateway runs in this process, so that its writes can be timed, and switched off between two loads. Writes happen
 * in parallel to the runs, mostly in the store's own thread. The second figure is their real effect on runs; the first
 * is the most that they would cost with a single core.
 */
import { builds } from "./harness/build.mjs";
import { gatewayHere } from "./harness/gateway-here.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, median, medianWithSpread, ratioOf, summary, throughput } from "./harness/sampling.mjs";
import { LOOKUPS } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark, pause } from "./harness/workbench.mjs";

const ROUNDS = 10;
/** The runs of one load; enough for several batches. */
const RUNS = sized(40, 2);
const WARM_UP_RUNS = sized(20, 0);
const BATCHES = sized([1, 10, 100, 500], [1]);
const BATCH_LOOPS = sized(5, 1);
const WRITTEN_MS = 30_000;

const SHARE_MOST = 0.15;
const SLOWER_MOST = 1.15;

/** A short run is the worst case: its trace is nearly as large as that of a long one. */
const CAPABILITIES = {
  "bench:one_call": `const found = await mcp.lookups.lookup({ id: args.id });
return found.name;`,
  "bench:ten_calls": `const names = [];
for (let n = 0; n < 8; n += 1) {
  const found = await mcp.lookups.lookup({ id: args.id + n });
  names.push(found.name);
}
if (args.id % 2 === 0) {
  const [one, other] = await Promise.all([mcp.lookups.lookup({ id: args.id }), mcp.lookups.lookup({ id: 1 })]);
  names.push(one.name, other.name);
} else {
  const last = await mcp.lookups.lookup({ id: args.id });
  names.push(last.name);
}
return names.length;`,
};

const ALL_LOADS = [
  { name: "bench:one_call", inFlight: 1 },
  { name: "bench:one_call", inFlight: 8 },
  { name: "bench:ten_calls", inFlight: 1 },
  { name: "bench:ten_calls", inFlight: 8 },
].map((load) => ({ ...load, label: `${load.name}, ${load.inFlight} in flight` }));
/** Fewer in a smoke test: waiting for the writes of each load takes a second. */
const LOADS = sized(ALL_LOADS, [ALL_LOADS[0], ALL_LOADS[3]]);

await benchmark("traces", "the share of a run that its trace and learning from it take", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const [build] = await builds(bench);
  const writes = await watchWrites(build);
  const { connect } = await gatewayHere(bench, build, { lookups: LOOKUPS });
  const client = await connect();
  const execute = executor(client);
  for (const [name, code] of Object.entries(CAPABILITIES))
    await execute({ intent: `measure ${name}`, name, code, args: { id: 0 } });
  for (const load of LOADS) await timeLoad(execute, writes, load, true, WARM_UP_RUNS);

  const paths = LOADS.flatMap((load) =>
    [true, false].map((isWritten) => ({ load, isWritten, shares: [], perRun: [] })),
  );
  const series = await interleave(paths, rounds, async ({ load, isWritten, shares, perRun }) => {
    const { wallMs, writeMs } = await timeLoad(execute, writes, load, isWritten, RUNS);
    if (isWritten) {
      shares.push(writeMs / wallMs);
      perRun.push(writeMs / RUNS);
    }
    return wallMs / RUNS;
  });
  const pairs = LOADS.map((load) => paths.filter((path) => path.load === load));
  printTable(
    [
      "runs by name",
      "ms a run, p50",
      "nothing written",
      "p50 × nothing written",
      "ms writing, a run",
      "writing ÷ runs",
    ],
    pairs.map(([written, silent]) => [
      written.load.label,
      ms(summary(series.get(written)).p50),
      ms(summary(series.get(silent)).p50),
      times(ratioOf(series.get(written), series.get(silent))),
      ms(median(written.perRun)),
      times(medianWithSpread(written.shares)),
    ]),
  );
  printSpread(rounds);
  await printBatches(writes);
  for (const [written, silent] of pairs) {
    bench.check(
      `${written.load.label}: writing, as a share of the runs`,
      medianWithSpread(written.shares),
      SHARE_MOST,
    );
    bench.check(
      `${written.load.label}: runs, against those of which nothing is written`,
      ratioOf(series.get(written), series.get(silent)),
      SLOWER_MOST,
    );
  }
});

/**
 * Every write of a trace, or of what was learnt from one, uses one of two methods of the store; here they are timed or
 * disabled.
 */
async function watchWrites(build) {
  const { PostgresCapabilityStore } = await build.load("postgres/capability-store.js");
  const watch = { isOn: true, ms: 0, count: 0, last: undefined, store: undefined, real: {} };
  for (const name of ["addUses", "addTraces"]) {
    const real = PostgresCapabilityStore.prototype[name];
    watch.real[name] = real;
    PostgresCapabilityStore.prototype[name] = async function (items) {
      if (name === "addUses") Object.assign(watch, { last: items, store: this });
      const started = performance.now();
      const answer = watch.isOn ? await real.call(this, items) : [];
      watch.ms += performance.now() - started;
      watch.count += items.length;
      return answer;
    };
  }
  return watch;
}

function executor(client) {
  return async (request) => {
    const { structuredContent } = await client.callTool({
      name: "pml_execute",
      arguments: { ...request, options: { no_cache: true } },
    });
    if (structuredContent?.status !== "success") throw new Error(JSON.stringify(structuredContent));
    return structuredContent;
  };
}

/** The time of the runs, and of writing all of their traces; the last batch is written after the last run. */
async function timeLoad(execute, writes, { name, inFlight }, isWritten, runs) {
  await written(writes, writes.count);
  Object.assign(writes, { isOn: isWritten, ms: 0 });
  const until = writes.count + runs;
  const aSecond = await throughput(runs, inFlight, (id) =>
    execute({ intent: `measure ${name}`, capability: name, args: { id } }),
  );
  await written(writes, until);
  return { wallMs: (runs / aSecond) * 1_000, writeMs: writes.ms };
}

async function written(writes, count) {
  const until = Date.now() + WRITTEN_MS;
  while (writes.count < count) {
    if (Date.now() > until) throw new Error(`${writes.count} of ${count} runs were written`);
    await pause(10);
  }
}

/** The same writes by the size of their batch: concurrent runs are written together. */
async function printBatches({ last, store, real }) {
  const rows = [];
  for (const size of BATCHES) {
    const took = [];
    for (let loop = 0; loop < BATCH_LOOPS; loop += 1) {
      const batch = Array.from({ length: size }, (_, index) => anotherRun(last[index % last.length]));
      const started = performance.now();
      await real.addUses.call(store, batch);
      took.push(performance.now() - started);
    }
    rows.push([`${size} ${size === 1 ? "run" : "runs"}`, ms(median(took)), ms(median(took) / size)]);
  }
  printTable(["written together", "ms", "ms a run"], rows);
}

function anotherRun(use) {
  const { trace } = use;
  return { ...use, trace: { ...trace, traceId: crypto.randomUUID(), workflowId: crypto.randomUUID() } };
}
