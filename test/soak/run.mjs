/**
 * Several gateways on one PostgreSQL, agents of both eras that work without pause, and faults meanwhile: what was
 * acknowledged must be kept, nothing with effects may happen twice, and nothing may leak [SC-3].
 *
 *   node test/soak/run.mjs [--minutes 6] [--gateways 4] [--workers 12] [--pause 0] [--postgres 18]
 *                          [--only "gateway killed"] [--no-throughput] [--json FILE]
 *
 * Faults come one after the other in the second third of the time or, if that is too short for all, in as many seconds as
 * they take. Needs a build. Exits with 1 when anything was lost, doubled or wrong.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { check, settled, usage } from "./checks.mjs";
import { Cluster, delay, usedBy } from "./cluster.mjs";
import { FAULTS } from "./faults.mjs";
import { endings, latencyTable, ms, quantile, table } from "./tables.mjs";
import { Ledger, Worker } from "./work.mjs";

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "6" },
    gateways: { type: "string", default: "4" },
    workers: { type: "string", default: "12" },
    pause: { type: "string", default: "0" },
    postgres: { type: "string", default: "18" },
    only: { type: "string", multiple: true },
    "no-throughput": { type: "boolean", default: false },
    json: { type: "string" },
    log: { type: "string" },
  },
});
const PART_MS = (Number(options.minutes) * 60_000) / 3;
const GATEWAYS = Number(options.gateways);
const WORKERS = Number(options.workers);
const PAUSE_BETWEEN_FAULTS_MS = 2_000;
const THROUGHPUT_MS = Math.min(10_000, PART_MS / 3);
const SHOWN_FAULTS = 30;

const say = (text = "") => process.stdout.write(`${text}\n`);
const cluster = new Cluster({
  gateways: GATEWAYS,
  major: options.postgres,
  onNote: (text) => say(`- ${text}`),
});
const ledger = new Ledger();
const stop = async () => {
  await cluster.close();
  process.exit(130);
};
process.once("SIGINT", stop);
process.once("SIGTERM", stop);

try {
  await cluster.start();
  const throughput = options["no-throughput"] ? [] : await throughputs();
  const workers = Array.from(
    { length: WORKERS },
    (_, number) => new Worker({ number, cluster, ledger, pauseMs: Number(options.pause) }),
  );
  const running = workers.map((worker) => worker.run());
  const startLoad = loadavg()[0];
  await delay(PART_MS);
  const before = await usage(cluster);
  ledger.phase = "during";
  const faults = await faultsFor(PART_MS);
  ledger.phase = "after";
  await delay(PART_MS);
  for (const worker of workers) worker.isDone = true;
  await Promise.all(running);
  await finishRuns();
  await settled(cluster);
  const checked = await check(cluster, ledger);
  const after = await usage(cluster);
  report({ throughput, faults, checked, before, after, startLoad });
  if (options.log !== undefined)
    writeFileSync(options.log, cluster.gateways.map(({ log }) => readFileSync(log, "utf8")).join("\n====\n"));
} finally {
  await cluster.close();
}
process.exitCode = ledger.faults.length === 0 ? 0 : 1;

async function faultsFor(time) {
  const until = Date.now() + time;
  const names = Object.keys(FAULTS).filter((name) => options.only?.includes(name) ?? true);
  const done = [];
  for (let round = 0; round === 0 || Date.now() < until; round += 1)
    for (const name of names) {
      if (round > 0 && Date.now() > until) break;
      const at = Date.now();
      const seen = ledger.requests.length;
      const left = await FAULTS[name](cluster, ledger).catch((error) => {
        ledger.fault(`the fault itself failed: ${name}`, { message: error.stack ?? error.message });
      });
      await delay(PAUSE_BETWEEN_FAULTS_MS);
      const meanwhile = ledger.requests.slice(seen);
      const times = meanwhile.filter(({ outcome }) => outcome === "acknowledged").map((one) => one.ms);
      done.push([
        name,
        ((Date.now() - at) / 1_000).toFixed(0),
        times.length,
        ms(quantile(times, 0.5)),
        ms(quantile(times, 0.99)),
        meanwhile.filter(({ outcome }) => outcome === "refused").length,
        meanwhile.filter(({ outcome }) => outcome === "unknown").length,
        left ?? "",
      ]);
      say(`${new Date().toISOString().slice(11, 19)} ${done.at(-1).join(" · ")}`);
    }
  return done;
}

/** Runs that were approved and whose agent has gone: another one continues them. */
async function finishRuns() {
  const last = new Worker({ number: 2, cluster, ledger });
  for (const [workflowId, id] of [...ledger.open]) await last.seeThrough(workflowId, id);
  for (const workflowId of ledger.open.keys()) ledger.fault("a run was never ended", { workflowId });
}

/** Plain calls and runs by name a second, by the first one, two and all gateways. */
async function throughputs() {
  const all = cluster.balancer.targets;
  const rows = [];
  const sizes = [1, 2, 4].filter((size) => size <= all.length);
  const first = new Worker({ number: 900, cluster, ledger: new Ledger() });
  await first.once("newCode");
  if (first.ledger.capabilities.length === 0)
    throw new Error(
      `Nothing was remembered: ${JSON.stringify([first.ledger.requests, first.ledger.faults])}`,
    );
  for (const operation of ["look", "byName"])
    for (const size of sizes) {
      cluster.balancer.targets = all.slice(0, size);
      const own = new Ledger();
      own.capabilities = first.ledger.capabilities;
      const workers = Array.from(
        { length: WORKERS },
        (_, number) =>
          new Worker({
            number: 1_000 * (rows.length + 1) + number,
            cluster,
            ledger: own,
            mix: { [operation]: 1 },
          }),
      );
      const cpu = cpuSeconds();
      const harness = process.cpuUsage();
      const at = performance.now();
      const running = workers.map((worker) => worker.run());
      await delay(THROUGHPUT_MS);
      for (const worker of workers) worker.isDone = true;
      await Promise.all(running);
      const seconds = (performance.now() - at) / 1_000;
      const times = own.requests.map((one) => one.ms);
      const { user, system } = process.cpuUsage(harness);
      rows.push([
        operation,
        size,
        (own.requests.length / seconds).toFixed(0),
        ms(quantile(times, 0.5)),
        ms(quantile(times, 0.99)),
        (((cpuSeconds() - cpu) * 1_000) / own.requests.length).toFixed(2),
        ((user + system) / 1_000 / own.requests.length).toFixed(2),
        own.faults.length,
      ]);
    }
  cluster.balancer.targets = all;
  await first.call("cap_list", {});
  return rows;
}

function cpuSeconds() {
  return cluster.gateways.reduce((sum, { child }) => sum + (usedBy(child.pid)?.cpuSeconds ?? 0), 0);
}

function report({ throughput, faults, checked, before, after, startLoad }) {
  say(
    `\n${GATEWAYS} gateways, ${WORKERS} agents, PostgreSQL ${options.postgres}, ${options.minutes} minutes, `,
  );
  say(`load ${startLoad.toFixed(1)} at the start, ${loadavg()[0].toFixed(1)} at the end\n`);
  if (throughput.length > 0)
    say(
      `${table(
        [
          "throughput",
          "gateways",
          "a second",
          "p50 ms",
          "p99 ms",
          "CPU ms of gateways",
          "CPU ms of this script",
          "faults",
        ],
        throughput,
      )}\n`,
    );
  for (const phase of ["before", "during", "after"]) say(`${latencyTable(ledger.requests, phase)}\n`);
  say(`${table(["fault", "s", "acknowledged", "p50 ms", "p99 ms", "refused", "unknown", "note"], faults)}\n`);
  say(`${table(["phase", "end", "why", "times"], endings(ledger.requests))}\n`);
  const keys = Object.keys(before.database);
  say(
    `${table(
      ["rows", ...keys],
      [
        ["before", ...keys.map((key) => before.database[key])],
        ["after", ...keys.map((key) => after.database[key])],
      ],
    )}\n`,
  );
  say(
    `${table(
      ["gateway", "starts", "RSS MB before", "RSS MB after", "files before", "files after"],
      after.gateways.map((gateway, index) => [
        gateway.gateway,
        gateway.starts,
        before.gateways[index].rssMb,
        gateway.rssMb,
        before.gateways[index].files,
        gateway.files,
      ]),
    )}\n`,
  );
  say(JSON.stringify(checked));
  say(`${ledger.faults.length} faults of the gateways`);
  const kinds = new Map();
  for (const { what, refusal } of ledger.faults) {
    const key = `${what}${refusal === undefined ? "" : ` (${refusal.code})`}`;
    kinds.set(key, (kinds.get(key) ?? 0) + 1);
  }
  for (const [kind, times] of kinds) say(`  ${times} × ${kind}`);
  for (const fault of ledger.faults.slice(0, SHOWN_FAULTS)) say(JSON.stringify(fault).slice(0, 700));
  if (options.json !== undefined)
    writeFileSync(options.json, JSON.stringify({ options, checked, before, after, faults: ledger.faults }));
}
