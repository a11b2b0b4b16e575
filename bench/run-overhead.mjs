/**
 * Measures what a run costs in addition to its calls: `pml_execute` with code that calls a tool 1, 10 and 100 times,
 * sequentially and in parallel. It is compared with the same calls by a bare client of the same server, which answers
 * at once, and with a plain process in the sandbox's place, whose host in the gateway's place only copies bytes.
 *
 * Timed from the request to its answer. The run's process is ready beforehand, but its start, its trace and the answer
 * with all tasks are included. Only runs that wait for a person are written call by call; the cost of that is shown
 * too.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { builds, printAgainst } from "./harness/build.mjs";
import { guestBehindRelays } from "./harness/bytes-alone.mjs";
import { connectStdio, wholeAnswer } from "./harness/clients.mjs";
import { backgroundHome } from "./harness/gateways.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, ratioOf, summary } from "./harness/sampling.mjs";
import { gatewayPool } from "./harness/sandboxes.mjs";
import { FILESYSTEM, LOOKUPS } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 30;
const WARM_UP_RUNS = sized(6, 0);
const COUNTS = sized([1, 10, 100], [1, 2]);
/** Samples of each kind in a round. */
const SAMPLES = sized(2, 1);

/**
 * [SC-2]. A call of code changes processes four times, one of a bare client twice: with a server that answers at once
 * nothing else is measured.
 */
const MOST = { sequential: 2, real: 2 };

const WAYS = {
  sequential: "one after the other",
  parallel: "at once",
  real: "of a real server that reads a file, one after the other",
};

const CODE = {
  sequential: `let wrong = 0;
for (let n = 0; n < args.calls; n += 1) {
  const found = await mcp.lookups.lookup({ id: n });
  if (found.id !== n) wrong += 1;
}
return wrong;`,
  parallel: `const numbers = Array.from({ length: args.calls }, (_, n) => n);
const found = await Promise.all(numbers.map((n) => mcp.lookups.lookup({ id: n })));
return found.filter(({ id }, n) => id !== n).length;`,
  real: `let wrong = 0;
for (let n = 0; n < args.calls; n += 1) {
  const file = await mcp.filesystem.read_text_file({ path: args.path });
  if (file.content.length !== args.length) wrong += 1;
}
return wrong;`,
  durable: `let wrong = 0;
await mcp.lookups.note({ id: 0 });
for (let n = 1; n < args.calls; n += 1) {
  const found = await mcp.lookups.lookup({ id: n });
  if (found.id !== n) wrong += 1;
}
return wrong;`,
};

const FILE = fileURLToPath(new URL("./fixtures/lookups.mjs", import.meta.url));
const LENGTH = readFileSync(FILE, "utf8").length;

const servers = { lookups: LOOKUPS, filesystem: FILESYSTEM };

/** For one call, sequential and parallel are the same; the real server is only for comparison. */
function isMeasured(way, calls) {
  return way === "sequential" || calls === Math.max(...COUNTS) || (way === "parallel" && calls > 1);
}

await benchmark("run-overhead", "a run against the calls that it makes", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const measured = await builds(bench);
  const bare = clientPath(
    "bare client of the server",
    { client: await connectStdio(bench, "other", LOOKUPS), name: "lookup" },
    { client: await connectStdio(bench, "other", FILESYSTEM), name: "read_text_file" },
  );
  const alone = await bytesAlonePath(bench);
  const paths = [bare, alone];
  for (const build of measured) paths.push(...(await pmlPaths(bench, build)));
  const [, , run] = paths;
  for (const [way, title] of Object.entries(WAYS)) {
    for (const calls of COUNTS) {
      if (!isMeasured(way, calls)) continue;
      const able = paths.filter(({ can }) => can(way, calls));
      for (const path of able) for (let n = 0; n < WARM_UP_RUNS; n += 1) await path.sample(way, calls);
      const series = await interleave(able, rounds, async (path) => {
        const samples = [];
        for (let n = 0; n < SAMPLES; n += 1) samples.push(await path.sample(way, calls));
        return samples;
      });
      const base = series.get(bare);
      printTable(
        [
          `${calls} ${calls === 1 ? "call" : `calls, ${title}`}, ms`,
          "min",
          "p50",
          "p95",
          "min × bare",
          "p50 × bare",
          "p95 × bare",
          "p50 × bytes alone",
        ],
        able.map((path) => {
          const { min, p50, p95 } = summary(series.get(path));
          const ratio = (q) => times(ratioOf(series.get(path), base, q));
          const least = (min / summary(base).min).toFixed(2);
          const timesAlone = path.isRun ? times(ratioOf(series.get(path), series.get(alone))) : undefined;
          return [path.label, ms(min), ms(p50), ms(p95), least, ratio(0.5), ratio(0.95), timesAlone];
        }),
      );
      printAgainst(measured, series);
      if (MOST[way] !== undefined && calls === Math.max(...COUNTS))
        bench.check(
          `a run of ${calls} calls ${title}, against a bare client`,
          ratioOf(series.get(run), base),
          MOST[way],
        );
    }
  }
  printSpread(rounds);
});

/** `sample` returns the total milliseconds of all calls. */
function clientPath(label, lookup, read) {
  const callLookup = async (n) => {
    const { structuredContent } = await lookup.client.callTool({ name: lookup.name, arguments: { id: n } });
    if (structuredContent?.id !== n) throw new Error(`wrong answer: ${JSON.stringify(structuredContent)}`);
  };
  const callRead = async () => {
    const { content } = await read.client.callTool({ name: read.name, arguments: { path: FILE } });
    if (content[0]?.text.length !== LENGTH) throw new Error(`wrong answer: ${JSON.stringify(content)}`);
  };
  return {
    label,
    can: () => true,
    async sample(way, calls) {
      const call = way === "real" ? callRead : callLookup;
      const started = performance.now();
      if (way === "parallel") await Promise.all(Array.from({ length: calls }, (_, n) => call(n)));
      else for (let n = 0; n < calls; n += 1) await call(n);
      return performance.now() - started;
    },
  };
}

/** Changes processes as often as a run. Its guest has run before, and has little work. */
async function bytesAlonePath(bench) {
  const connect = async (server) => connectStdio(bench, "other", await guestBehindRelays(bench, server));
  const lookups = await connect(LOOKUPS);
  const files = await connect(FILESYSTEM);
  return {
    label: "bytes alone: a guest behind two relays",
    can: () => true,
    async sample(way, calls) {
      const [client, file] = way === "real" ? [files, { path: FILE, length: LENGTH }] : [lookups];
      const request = { calls, atOnce: way === "parallel", file };
      const started = performance.now();
      const { structuredContent } = await client.callTool({ name: "run", arguments: request });
      const took = performance.now() - started;
      if (structuredContent?.result !== 0)
        throw new Error(`wrong answer: ${JSON.stringify(structuredContent)}`);
      return took;
    },
  };
}

async function pmlPaths(bench, build) {
  const home = backgroundHome(bench, build, servers);
  const client = await connectStdio(bench, "pml", home.serve());
  const person = await connectStdio(bench, "pml", home.serve(), "2025", { approves: true });
  const whenFull = await gatewayPool(build, home);
  const runPath = (label, by, codeOf, can) => ({
    label: `${build.label} ${label}`,
    isRun: true,
    can,
    async sample(way, calls) {
      const request = {
        intent: `look records up ${WAYS[way]}`,
        code: codeOf(way),
        args: { calls, ...(way === "real" ? { path: FILE, length: LENGTH } : {}) },
        options: { no_cache: true },
      };
      await whenFull();
      const started = performance.now();
      const answer = wholeAnswer(await by.callTool({ name: "pml_execute", arguments: request }));
      const took = performance.now() - started;
      const { result, tasks } = answer;
      if (result !== 0 || tasks.length !== calls) throw new Error(JSON.stringify(answer).slice(0, 2_000));
      return took;
    },
  });
  return [
    runPath(
      "serve, joined: a run",
      client,
      (way) => CODE[way],
      () => true,
    ),
    clientPath(
      `${build.label} serve, joined: calls by its client`,
      { client, name: "mcp__lookups__lookup" },
      { client, name: "mcp__filesystem__read_text_file" },
    ),
    runPath(
      "serve, joined: a run that a person approves, each call written down",
      person,
      () => CODE.durable,
      (way, calls) => way === "sequential" && calls > 1,
    ),
  ];
}
