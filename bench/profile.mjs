/**
 * Shows where the time of a call goes: CPU profiles of the gateway, in the background and in the foreground, and of the
 * `pml serve` that relays to it, during sequential calls. Not part of a plain `npm run bench`.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { builds } from "./harness/build.mjs";
import { connectHttp, connectStdio, echoCaller } from "./harness/clients.mjs";
import { backgroundHome, pmlHome, startPmlHttp } from "./harness/gateways.mjs";
import { IS_SMOKE, sized } from "./harness/options.mjs";
import { timeEach } from "./harness/sampling.mjs";
import { EVERYTHING } from "./harness/servers.mjs";
import { printTable } from "./harness/table.mjs";
import { benchmark, pause } from "./harness/workbench.mjs";

const CALLS = sized(5_000, 5);
const WARM_UP_CALLS = sized(1_000, 0);
const INTERVAL_US = sized(100, 10_000);
const SHOWN = 20;
const SHOWN_PARTS = 15;
const WAIT_MS = 10_000;

const servers = { everything: EVERYTHING };

await benchmark("profile", `self time during ${CALLS} calls`, async (bench) => {
  const [build] = await builds(bench);
  if (!IS_SMOKE) await profileNoDaemon(bench, build);
  await profileBackground(bench, build);
  for (const era of sized(["2025", "2026"], ["2026"])) await profileHttp(bench, build, era);
});

async function profileNoDaemon(bench, build) {
  const home = pmlHome(bench, build, servers);
  const profile = profiled(bench);
  const client = await connectStdio(bench, "pml", [...profile.flags, ...home.serve(["--no-daemon"])]);
  const window = await makeCalls(client);
  await client.close();
  await report("pml serve --no-daemon", profile, window);
}

async function profileBackground(bench, build) {
  const home = backgroundHome(bench, build, servers);
  const { readSettings } = await build.load("app/settings.js");
  const gateway = profiled(bench);
  const relay = profiled(bench);
  const settings = readSettings({ config: home.config, dataDir: home.dataDir }, bench.env("pml"));
  // As `pml serve` starts it, except for the flags.
  mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
  const child = bench.spawn("pml", process.execPath, [...gateway.flags, build.file("app/background.js")], {
    stdio: ["pipe", "ignore", "inherit", "pipe"],
  });
  child.stdin.end(JSON.stringify(settings));
  const said = String(await new Promise((resolve) => child.stdio[3].once("data", resolve)));
  if (JSON.parse(said).ok !== true) throw new Error(`the gateway did not start: ${said}`);
  const client = await connectStdio(bench, "pml", [...relay.flags, ...home.serve()]);
  const window = await makeCalls(client);
  await client.close();
  await home.stop();
  await child.exited;
  await report("the background gateway", gateway, window);
  await report("pml serve, joined to it", relay, window);
}

async function profileHttp(bench, build, era) {
  const profile = profiled(bench);
  const { url, end } = await startPmlHttp(bench, build, servers, profile.flags);
  const client = await connectHttp(bench, url, { era });
  const window = await makeCalls(client);
  await client.close();
  await end();
  await report(`pml serve --http, ${era} client`, profile, window);
}

function profiled(bench) {
  const directory = bench.directory("profile");
  return {
    directory,
    flags: ["--cpu-prof", `--cpu-prof-dir=${directory}`, `--cpu-prof-interval=${INTERVAL_US}`],
  };
}

/** Returns the times of the first and last call, on the clock that profiles use. */
async function makeCalls(client) {
  const call = await echoCaller(client);
  await timeEach(WARM_UP_CALLS, call);
  const from = microseconds();
  await timeEach(CALLS, call);
  return { from, to: microseconds() };
}

function microseconds() {
  return Number(process.hrtime.bigint() / 1_000n);
}

async function report(title, { directory }, { from, to }) {
  const until = Date.now() + WAIT_MS;
  while (!existsSync(directory) || readdirSync(directory).length === 0) {
    if (Date.now() > until) throw new Error(`no profile of ${title}`);
    await pause(100);
  }
  const [file] = readdirSync(directory).sort(byThread);
  const { self, part, whole, busy } = sumUp(
    JSON.parse(readFileSync(join(directory, file), "utf8")),
    from,
    to,
  );
  console.log(
    `### ${title}: busy ${(busy / CALLS).toFixed(0)} µs a call, of ${((to - from) / CALLS).toFixed(0)} µs\n`,
  );
  const print = (head, times, most) =>
    printTable(
      [head, "% of busy", "µs a call"],
      [...times]
        .sort(([, a], [, b]) => b - a)
        .slice(0, most)
        .map(([name, time]) => [name, ((time / busy) * 100).toFixed(1), (time / CALLS).toFixed(1)]),
    );
  print("whose code", part, SHOWN_PARTS);
  print("function alone", self, SHOWN);
  if (whole.size > 0) print("function of PML, with all that it calls", whole, SHOWN);
}

/** The main thread's profile first: file names end with thread and count. */
function byThread(a, b) {
  return a.split(".").slice(4).join(".") < b.split(".").slice(4).join(".") ? -1 : 1;
}

/** Adds up the samples between `from` and `to`, in microseconds. */
function sumUp({ nodes, samples, timeDeltas, startTime }, from, to) {
  const known = new Map(
    nodes.map(({ id, callFrame }) => [id, { ...describe(callFrame), parent: undefined }]),
  );
  for (const { id, children = [] } of nodes)
    for (const child of children) known.get(child).parent = known.get(id);
  const [self, part, whole] = [new Map(), new Map(), new Map()];
  const add = (map, key, time) => map.set(key, (map.get(key) ?? 0) + time);
  let busy = 0;
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    at += timeDeltas[index] ?? 0;
    // A sample stands for the time until the next one.
    const time = timeDeltas[index + 1] ?? 0;
    const frame = known.get(id);
    if (at < from || at > to || frame === undefined || frame.name === "(idle)") continue;
    busy += time;
    add(self, frame.name, time);
    add(part, frame.part, time);
    const counted = new Set();
    for (let above = frame; above !== undefined; above = above.parent) {
      if (above.part !== "PML" || counted.has(above.name)) continue;
      counted.add(above.name);
      add(whole, above.name, time);
    }
  }
  return { self, part, whole, busy };
}

/** A frame's readable name, and the package that it belongs to. */
function describe({ functionName, url, lineNumber }) {
  if (url === "")
    return { name: functionName || "(native)", part: functionName.startsWith("(") ? functionName : "native" };
  const packaged = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(url);
  const [part, file] =
    packaged !== null
      ? [packaged[1], `${packaged[1]}/${packaged[2]}`]
      : url.startsWith("node:")
        ? [url.replace(/^(node:(?:internal\/)?[a-z_]+).*$/, "$1"), url]
        : ["PML", url.replace(/^.*\/dist\//, "")];
  return { name: `${functionName || "(anonymous)"} ${file}:${lineNumber + 1}`, part };
}
