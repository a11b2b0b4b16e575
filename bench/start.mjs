/**
 * Measures the time from the start of a process to its answer to the first `tools/list`, including the handshake.
 *
 * The client is a few lines of JSON here, because the start of an MCP client would count otherwise.
 */
import { createInterface } from "node:readline";
import { builds, printAgainst } from "./harness/build.mjs";
import { backgroundHome } from "./harness/gateways.mjs";
import { IS_SMOKE, sized } from "./harness/options.mjs";
import { interleave, ratioOf, summary } from "./harness/sampling.mjs";
import { EVERYTHING, FILESYSTEM, MEMORY } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark, endGroup } from "./harness/workbench.mjs";

const ROUNDS = 9;
const SHORT_STARTS = sized(5, 1);
const ANSWER_MS = 30_000;
const END_MS = 5_000;

const JOIN_MOST = 4;
/** [SC-1] */
const WARM_MOST = 2;

const servers = { everything: EVERYTHING, ...sized({ filesystem: FILESYSTEM, memory: MEMORY }, {}) };

await benchmark("start", "spawn to the first tools/list answer, three servers behind", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const bare = { label: "node -e 0, to its end", sample: () => severalTimes(() => timeToExit(bench)) };
  const behind = { label: "the three servers directly, side by side", sample: () => timeServers(bench) };
  const all = await builds(bench);
  const measured = [];
  for (const build of all) measured.push(await pmlStarts(bench, build));
  const paths = [bare, behind, ...measured.flatMap(({ starts }) => starts)];

  const series = await interleave(paths, rounds, (path) => path.sample());
  printTable(
    ["start", "min ms", "p50 ms", "max ms", "× node -e 0", "× servers directly"],
    paths.map((path) => {
      const { min, p50, max } = summary(series.get(path));
      return [
        path.label,
        ms(min),
        ms(p50),
        ms(max),
        times(ratioOf(series.get(path), series.get(bare))),
        times(ratioOf(series.get(path), series.get(behind))),
      ];
    }),
  );
  printAgainst(all, series);
  printSpread(rounds);
  const { joining, warm } = measured[0];
  bench.check(
    "pml serve, joining, against node -e 0",
    ratioOf(series.get(joining), series.get(bare)),
    JOIN_MOST,
  );
  if (IS_SMOKE) return;
  bench.check(
    "pml serve, warm directory, against the servers directly",
    ratioOf(series.get(warm), series.get(behind)),
    WARM_MOST,
  );
});

/** Each way to start leaves no running gateway, and the warm directory unchanged. */
async function pmlStarts(bench, build) {
  const home = backgroundHome(bench, build, servers);
  const timeAlone = async (options, dataDir) => {
    const { elapsed, end } = await timeToList(bench, "pml", home.serve(options, dataDir));
    await end();
    await home.stop(dataDir);
    return elapsed;
  };
  const cold = (options) => {
    const dataDir = bench.directory("cold");
    bench.atEnd(() => home.stop(dataDir));
    return timeAlone(options, dataDir);
  };
  if (!IS_SMOKE) await timeAlone([], home.dataDir);
  // A gateway that has been running for a while, with a client that keeps it alive.
  const running = backgroundHome(bench, build, servers);
  const keeper = await timeToList(bench, "pml", running.serve());
  bench.atEnd(keeper.end);
  const start = (label, sample) => ({ label: `${build.label} ${label}`, sample });
  const joining = start("serve, joining", () =>
    severalTimes(async () => {
      const { elapsed, end } = await timeToList(bench, "pml", running.serve());
      await end();
      return elapsed;
    }),
  );
  const warm = start("serve, warm directory", () => timeAlone([], home.dataDir));
  const starts = [
    joining,
    start("serve, cold directory", () => cold([])),
    warm,
    start("serve --no-daemon, cold", () => cold(["--no-daemon"])),
    start("serve --no-daemon, warm", () => timeAlone(["--no-daemon"], home.dataDir)),
  ];
  // Each of the other ways starts and ends a gateway.
  return { joining, warm, starts: sized(starts, starts.slice(0, 2)) };
}

/** For starts that are so short that other load on the machine disturbs them. */
async function severalTimes(sample) {
  const samples = [];
  for (let turn = 0; turn < SHORT_STARTS; turn += 1) samples.push(await sample());
  return samples;
}

async function timeToExit(bench) {
  const started = performance.now();
  await bench.spawn("other", process.execPath, ["-e", "0"], { stdio: ["ignore", "ignore", "ignore"] }).exited;
  return performance.now() - started;
}

async function timeServers(bench) {
  const all = await Promise.all(Object.values(servers).map((args) => timeToList(bench, "other", args)));
  await Promise.all(all.map(({ end }) => end()));
  return Math.max(...all.map(({ elapsed }) => elapsed));
}

async function timeToList(bench, owner, args) {
  const started = performance.now();
  const child = bench.spawn(owner, process.execPath, args);
  const lines = createInterface({ input: child.stdout });
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const answered = new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_MS} ms`)), ANSWER_MS);
    void child.exited.then((code) =>
      reject(new Error(`${args.join(" ")} ended with ${code} before it answered`)),
    );
    lines.on("line", (line) => {
      const { id, result } = JSON.parse(line);
      if (id === 1) {
        send({ method: "notifications/initialized" });
        send({ id: 2, method: "tools/list" });
      } else if (id === 2) {
        clearTimeout(timer);
        if (result.tools.length > 0) resolve(performance.now() - started);
        else reject(new Error("an empty list"));
      }
    });
  });
  send({
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "pml-bench", version: "1.0.0" },
    },
  });
  const elapsed = await answered;
  const end = async () => {
    child.stdin.end();
    const killer = setTimeout(() => void endGroup(child), END_MS);
    await child.exited;
    clearTimeout(killer);
  };
  return { elapsed, end };
}
