/**
 * Idle memory: the processes of gateways some time after their start, without those of the servers behind them.
 */
import { builds } from "./harness/build.mjs";
import { connectHttp, connectStdio } from "./harness/clients.mjs";
import { backgroundHome, startPmlHttp } from "./harness/gateways.mjs";
import { sized } from "./harness/options.mjs";
import { startPeers } from "./harness/peers.mjs";
import { commandOf, hasProc, memoryOf, treeOf } from "./harness/processes.mjs";
import { medianWithSpread, ratioOf } from "./harness/sampling.mjs";
import { FILESYSTEM, MEMORY } from "./harness/servers.mjs";
import { printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark, endGroup, pause } from "./harness/workbench.mjs";

const ROUNDS = 3;
const IDLE_MS = sized(10_000, 1);

const GATEWAY_MOST = 9;
const JOINED_MOST = 1.6;

const servers = { filesystem: FILESYSTEM, memory: MEMORY };
const serverScripts = Object.values(servers).map(([script]) => script);

await benchmark("memory", `idle memory ${IDLE_MS / 1_000} s after the start`, async (bench) => {
  if (!hasProc) return console.log("left out: it reads /proc, which this system does not have\n");
  const rounds = bench.options.rounds ?? ROUNDS;
  const measured = await builds(bench);
  /** @type {Map<string, { rss: number[][], pss: number[][] }>} */
  const found = new Map();
  for (let round = 0; round < rounds; round += 1) {
    const { processes, end } = await startAll(bench, measured);
    await pause(IDLE_MS);
    for (const { label, pid, without } of processes) {
      const { rss, pss } = found.get(label) ?? { rss: [], pss: [] };
      const sizes = gatewayProcesses(pid, without).map(memoryOf);
      rss.push([sum(sizes.map((size) => size.rss))]);
      pss.push([sum(sizes.map((size) => size.pss))]);
      found.set(label, { rss, pss });
    }
    await end();
  }
  const [[bareLabel, bare]] = found;
  printTable(
    ["process", "RSS MB", "PSS MB", `RSS × ${bareLabel}`],
    [...found].map(([label, { rss, pss }]) => [label, mb(rss), mb(pss), times(ratioOf(rss, bare.rss))]),
  );
  printSpread(rounds);
  const [{ label }] = measured;
  const against = (name) => ratioOf(found.get(`${label}${name}`).rss, bare.rss);
  bench.check(
    "RSS of the background gateway against a bare node",
    against(": background gateway"),
    GATEWAY_MOST,
  );
  bench.check("RSS of pml serve, joined, against a bare node", against(" serve, joined"), JOINED_MOST);
});

/** Starts one of each; `end` ends them all. */
async function startAll(bench, measured) {
  const ends = [];
  const bare = bench.spawn("other", process.execPath, ["-e", "setInterval(() => {}, 1e9)"], {
    stdio: "ignore",
  });
  ends.push(() => endGroup(bare));
  const processes = [{ label: "bare node", pid: bare.pid }];
  for (const build of measured) {
    const home = backgroundHome(bench, build, servers);
    const client = await connectStdio(bench, "pml", home.serve());
    const http = await startPmlHttp(bench, build, servers);
    const gateway = await home.gatewayPid();
    processes.push(
      { label: `${build.label}: background gateway`, pid: gateway },
      // In an earlier build, the one that started the gateway is its parent.
      { label: `${build.label} serve, joined`, pid: client.pid, without: gateway },
      { label: `${build.label} serve --http`, pid: http.pid },
    );
    ends.push(
      () => client.close(),
      () => home.stop(),
      () => http.end(),
    );
  }
  for (const { label, pid, url, sse, end } of await startPeers(bench, servers)) {
    ends.push(end);
    try {
      // A client each: some start their server only then.
      const client = await connectHttp(bench, url, { sse });
      ends.push(() => client.close());
      processes.push({ label, pid });
    } catch (error) {
      console.log(`left out: ${label} cannot be reached (${error.message})\n`);
    }
  }
  return {
    processes,
    end: async () => {
      for (const end of ends.reverse()) await end();
    },
  };
}

/** The gateway and what it started, but for the servers behind it, for `without`, and for what those started. */
function gatewayProcesses(pid, without) {
  const isOther = (below) => below === without || serverScripts.includes(commandOf(below)[1]);
  const theirs = new Set(treeOf(pid).filter(isOther).flatMap(treeOf));
  return treeOf(pid).filter((below) => !theirs.has(below));
}

function mb(rounds) {
  const { middle } = medianWithSpread(rounds.flat());
  return `${middle.toFixed(0)} (${Math.min(...rounds.flat()).toFixed(0)}–${Math.max(...rounds.flat()).toFixed(0)})`;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
