/**
 * Measures the sandbox alone, in process: its throughput, runs that find no process ready, the effect on the process
 * that starts them, and the memory of waiting processes. Compared with a Node process for each run.
 */
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { builds } from "./harness/build.mjs";
import { inNode, WAITING_NODE } from "./harness/children.mjs";
import { sized } from "./harness/options.mjs";
import { commandOf, hasProc, memoryOf, treeOf } from "./harness/processes.mjs";
import { interleave, median, medianWithSpread, ratioOf, summary, throughput } from "./harness/sampling.mjs";
import { openSandbox, POOL_SIZE } from "./harness/sandboxes.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark, pause } from "./harness/workbench.mjs";

const ROUNDS = 7;
const RUNS = sized(32, 1);
const CONCURRENCY = sized([1, 4, 16], [1]);
const BURST = sized(20, 5);
const HOST_MEGABYTES = sized(250, 1);
const RUN_EVERY_MS = 80;
const WATCHED_MS = sized(2_000, 200);
const SETTLE_MS = sized(500, 1);

/** At every concurrency: the mean time of one run, compared with a Node process for each. */
const RUN_MOST = 1;
const BURST_MOST = 1;
const BLOCKED_MOST = 0.5;
const MEMORY_MOST = 1.5;

const CODE = "return args.n + 1;";

await benchmark("sandbox", "the sandbox alone, against a Node process for each run", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  // The broker ends with this process; other processes that are started here need the mark.
  Object.assign(process.env, bench.env("other"));
  const [build] = await builds(bench);
  const node = { label: "a Node process for each", run: inNode, whenFull: async () => {} };
  const engines = [
    { label: "Deno", engine: "deno", ...(await openSandbox(bench, build, "deno")) },
    { label: "QuickJS", engine: "quickjs", ...(await openSandbox(bench, build, "quickjs")) },
  ];
  const paths = [node, ...engines];
  await runsPerSecond(bench, paths, rounds);
  await burst(bench, paths, rounds);
  if (hasProc) await memory(bench, engines);
  else console.log("left out: memory, for which it reads /proc, which this system does not have\n");
  await loopLag(bench, build, rounds);
  printSpread(rounds);
});

async function checked(run, n) {
  const result = await run(CODE, { n });
  if (result !== n + 1) throw new Error(`wrong answer: ${JSON.stringify(result)}`);
}

async function runsPerSecond(bench, paths, rounds) {
  const cases = CONCURRENCY.flatMap((inFlight) => paths.map((path) => ({ ...path, path, inFlight })));
  const series = await interleave(cases, rounds, async ({ run, whenFull, inFlight }) => {
    await whenFull();
    // The processes that were ready at the start are used first, so that they do not count in the throughput.
    await Promise.all(Array.from({ length: POOL_SIZE }, (_, n) => checked(run, n)));
    return 1_000 / (await throughput(RUNS, inFlight, (n) => checked(run, n)));
  });
  const baseOf = ({ inFlight }) =>
    series.get(cases.find((one) => one.path === paths[0] && one.inFlight === inFlight));
  printTable(
    ["runs, one after the other and in flight", "in flight", "runs/s", "best runs/s", "ms a run × Node"],
    cases.map((one) => {
      const { p50, min } = summary(series.get(one));
      return [
        one.label,
        String(one.inFlight),
        (1_000 / p50).toFixed(0),
        (1_000 / min).toFixed(0),
        times(ratioOf(series.get(one), baseOf(one))),
      ];
    }),
  );
  for (const one of cases.filter(({ path }) => path !== paths[0]))
    bench.check(
      `${one.label}, ${one.inFlight} in flight, ms a run against a Node process for each`,
      ratioOf(series.get(one), baseOf(one)),
      RUN_MOST,
    );
}

/** More runs at once than there are waiting processes. */
async function burst(bench, paths, rounds) {
  const series = await interleave(paths, rounds, async ({ run, whenFull }) => {
    await whenFull();
    const started = performance.now();
    return Promise.all(
      Array.from({ length: BURST }, async (_, n) => {
        await checked(run, n);
        return performance.now() - started;
      }),
    );
  });
  const part = (path, from, to) => series.get(path).map((samples) => samples.slice(from, to));
  const last = (path) => series.get(path).map((samples) => [Math.max(...samples)]);
  printTable(
    [
      `${BURST} runs at once`,
      "1st–4th p50 ms",
      "5th–20th p50 ms",
      "p95 ms",
      "last ms",
      "5th–20th × 1st–4th",
      "last × Node",
    ],
    paths.map((path) => {
      const [ready, waiting] = [part(path, 0, POOL_SIZE), part(path, POOL_SIZE, BURST)];
      return [
        path.label,
        ms(summary(ready).p50),
        ms(summary(waiting).p50),
        ms(summary(waiting).p95),
        ms(summary(last(path)).p50),
        times(ratioOf(waiting, ready)),
        times(ratioOf(last(path), last(paths[0]))),
      ];
    }),
  );
  const [node, ...engines] = paths;
  for (const path of engines)
    bench.check(
      `${path.label}, the last of ${BURST} at once against ${BURST} Node processes`,
      ratioOf(last(path), last(node)),
      BURST_MOST,
    );
}

/** The memory of the broker, and of each process that waits for a run. */
async function memory(bench, engines) {
  const waiting = Array.from({ length: POOL_SIZE }, () =>
    bench.spawn("other", process.execPath, WAITING_NODE, { stdio: "ignore" }),
  );
  for (const { whenFull } of engines) await whenFull();
  await pause(SETTLE_MS);
  const rows = [{ label: "a Node process that waits", pids: waiting.map(({ pid }) => pid) }];
  for (const { label, engine } of engines) {
    const broker = treeOf(process.pid).find((pid) => isBroker(commandOf(pid), engine));
    const guests = treeOf(broker).filter((pid) => pid !== broker);
    rows.push({ label: `${label}: broker`, pids: [broker] }, { label: `${label}: each guest`, pids: guests });
  }
  for (const row of rows) row.sizes = row.pids.map(memoryOf);
  const against = (row, what) => {
    const base = median(rows[0].sizes.map((size) => size[what]));
    return medianWithSpread(row.sizes.map((size) => size[what] / base));
  };
  printTable(
    ["memory", "processes", "RSS MB", "PSS MB", "RSS × Node", "PSS × Node"],
    rows.map((row) => [
      row.label,
      String(row.pids.length),
      median(row.sizes.map(({ rss }) => rss)).toFixed(0),
      median(row.sizes.map(({ pss }) => pss)).toFixed(0),
      times(against(row, "rss")),
      times(against(row, "pss")),
    ]),
  );
  const guest = rows.find(({ label }) => label === "Deno: each guest");
  bench.check("RSS of a Deno guest against a Node process that waits", against(guest, "rss"), MEMORY_MOST);
}

function isBroker(command, engine) {
  return command[1]?.endsWith("broker.js") === true && command[2]?.includes(`"engine":"${engine}"`) === true;
}

/** How late the timers of a large process are while it starts runs. */
async function loopLag(bench, build, rounds) {
  const host = await startHost(bench, build);
  const paths = [
    { label: "no runs at all", mode: "idle" },
    { label: "through the broker", mode: "broker" },
    { label: "starting Deno itself", mode: "deno" },
    { label: "starting Node itself", mode: "node" },
  ];
  const [idle, broker, deno] = paths;
  const [blocked, took] = [0, 1].map(() => new Map(paths.map((path) => [path, []])));
  const seen = await interleave(paths, rounds, async (path) => {
    const order = { mode: path.mode, code: CODE, everyMs: RUN_EVERY_MS, forMs: WATCHED_MS };
    const answer = await host.ask(order);
    blocked.get(path).push(answer.blocked);
    took.get(path).push(answer.took);
    return [answer.p50, answer.p99, answer.max];
  });
  const lag = (path, index) => seen.get(path).map((samples) => [samples[index]]);
  const middle = (path, index) => ms(summary(lag(path, index)).p50);
  printTable(
    [
      `a process of ${host.rssMb.toFixed(0)} MB, a run every ${RUN_EVERY_MS} ms`,
      "lag p50 ms",
      "p99 ms",
      "max ms",
      "p99 × starting Deno itself",
      "starting blocks, p50 ms",
      "p95 ms",
      "p50 × starting Deno itself",
      "run p50 ms",
    ],
    paths.map((path) => {
      const line = [path.label, middle(path, 0), middle(path, 1), middle(path, 2)];
      const late = times(ratioOf(lag(path, 1), lag(deno, 1)));
      if (path === idle) return [...line, late, "", "", "", ""];
      const { p50, p95 } = summary(blocked.get(path));
      const held = times(ratioOf(blocked.get(path), blocked.get(deno)));
      return [...line, late, ms(p50), ms(p95), held, ms(summary(took.get(path)).p50)];
    }),
  );
  bench.check(
    "starting a run through the broker blocks, against starting Deno itself",
    ratioOf(blocked.get(broker), blocked.get(deno)),
    BLOCKED_MOST,
  );
}

async function startHost(bench, build) {
  const program = fileURLToPath(new URL("./fixtures/run-host.mjs", import.meta.url));
  const dist = `${pathToFileURL(build.file("")).href}/`;
  const child = bench.spawn("other", process.execPath, [program, dist, String(HOST_MEGABYTES)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("the host has ended");
    return JSON.parse(value);
  };
  const { rssMb } = await answer();
  return {
    rssMb,
    ask: (order) => {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      return answer();
    },
  };
}
