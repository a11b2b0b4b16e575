/**
 * Measures 1,000 requests at once on one gateway, from four clients: one sends 700 of them, and first; the others send
 * 100 each. Each is a run with one tool call.
 *
 * No request may be lost, the memory of the gateway is bounded, the queue adds no time, and it is fair: a client with
 * few requests does not wait behind one with many. "First come, first served" would answer the small clients last.
 */
import { readFileSync } from "node:fs";
import { builds } from "./harness/build.mjs";
import { connectStdio } from "./harness/clients.mjs";
import { backgroundHome } from "./harness/gateways.mjs";
import { sized } from "./harness/options.mjs";
import { commandOf, hasProc, treeOf } from "./harness/processes.mjs";
import { medianWithSpread, quantile, throughput } from "./harness/sampling.mjs";
import { LOOKUPS } from "./harness/servers.mjs";
import { printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 3;
const SENT = sized([700, 100, 100, 100], [2, 1]);
const WARM_UP_RUNS = sized(100, 0);
/** As many as the gateway runs at once: no request waits in the queue. */
const IN_FLIGHT = sized(16, 2);
const LINELESS_RUNS = sized(200, 2);
const TIMEOUT_MS = 600_000;
const LOOK_MS = 100;

const LOST_MOST = 0;
const MEMORY_MOST = 1.5;
const SLOWER_MOST = 1.25;
/**
 * If clients take turns, the small ones are done after 400 of 1,000 requests, and have waited half as long as the large
 * one on average.
 */
const PLACE_MOST = 0.6;
const WAIT_MOST = 0.6;

const CODE = `const found = await mcp.lookups.lookup({ id: args.id });
return found.id;`;

await benchmark("concurrency", `${sum(SENT)} requests at once, of ${SENT.length} clients`, async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const [build] = await builds(bench);
  const home = backgroundHome(bench, build, { lookups: LOOKUPS });
  const clients = [];
  for (const _ of SENT) clients.push(await connectStdio(bench, "pml", home.serve()));
  const gateway = await home.gatewayPid();
  await throughput(WARM_UP_RUNS, IN_FLIGHT, (id) => execute(clients[0], id));
  const found = [];
  for (let round = 0; round < rounds; round += 1) {
    const aSecond = await throughput(LINELESS_RUNS, IN_FLIGHT, (id) =>
      execute(clients[id % clients.length], id),
    );
    found.push({ ...(await burst(clients, gateway, round)), lineless: aSecond });
  }
  const of = (figure) => medianWithSpread(found.map(figure));
  printTable(
    ["client", "sent", "answered", "wait p50, s", "wait p95, s", "last answered as number"],
    SENT.map((sent, client) => {
      const waits = found.flatMap(({ byClient }) => byClient[client].waits);
      return [
        `${client === 0 ? "the large one" : `small one ${client}`}`,
        String(sent),
        String(Math.min(...found.map(({ byClient }) => byClient[client].waits.length))),
        (quantile(waits, 0.5) / 1_000).toFixed(2),
        (quantile(waits, 0.95) / 1_000).toFixed(2),
        String(of(({ byClient }) => byClient[client].lastPlace).middle),
      ];
    }),
  );
  // One round with a lost request is enough to fail.
  const most = Math.max(...found.map((round) => round.lost));
  const lost = { middle: most, low: most, high: most };
  const place = of((round) => round.smallPlace);
  const wait = of((round) => round.smallWait);
  const slower = of((round) => round.lineless / round.aSecond);
  const aSecond = of((round) => round.aSecond);
  printTable(
    ["all of them", ""],
    [
      ["runs a second", aSecond.middle.toFixed(0)],
      [`runs a second, ${IN_FLIGHT} in flight`, of((round) => round.lineless).middle.toFixed(0)],
      ["place of the last small one ÷ all", times(place)],
      ["mean wait of the small ones ÷ the large one's", times(wait)],
      ...(hasProc
        ? [
            ["gateway, RSS before, MB", of(({ before }) => before.gateway).middle.toFixed(0)],
            ["gateway, RSS at most ÷ before", times(of(({ before, peak }) => peak.gateway / before.gateway))],
            [
              "with the sandbox's processes, RSS before, MB",
              of(({ before }) => before.all).middle.toFixed(0),
            ],
            [
              "with the sandbox's processes, RSS at most ÷ before",
              times(of(({ before, peak }) => peak.all / before.all)),
            ],
            ["gateway, RSS after ÷ before", times(of(({ before, after }) => after.gateway / before.gateway))],
          ]
        : []),
    ],
  );
  for (const reason of new Set(found.flatMap(({ reasons }) => reasons))) console.log(`lost: ${reason}\n`);
  printSpread(rounds);
  bench.check("requests lost", lost, LOST_MOST);
  if (hasProc)
    bench.check(
      "RSS of the gateway at most, against before",
      of(({ before, peak }) => peak.gateway / before.gateway),
      MEMORY_MOST,
    );
  bench.check(`time of a run, against ${IN_FLIGHT} in flight`, slower, SLOWER_MOST);
  bench.check("place of the last small one, of all", place, PLACE_MOST);
  bench.check("mean wait of the small ones, against the large one's", wait, WAIT_MOST);
});

/** All at once, starting with those of the large client. */
async function burst(clients, gateway, round) {
  const before = sizes(gateway);
  const peak = { ...before };
  const look = () => {
    const now = sizes(gateway);
    for (const key of Object.keys(peak)) peak[key] = Math.max(peak[key], now[key]);
  };
  const timer = setInterval(look, LOOK_MS);
  const byClient = SENT.map(() => ({ waits: [], lastPlace: 0 }));
  const reasons = [];
  let answered = 0;
  const started = performance.now();
  await Promise.all(
    SENT.flatMap((sent, client) =>
      Array.from({ length: sent }, async (_, index) => {
        try {
          await execute(clients[client], round * 10_000 + client * 1_000 + index);
          answered += 1;
          byClient[client].waits.push(performance.now() - started);
          byClient[client].lastPlace = answered;
        } catch (error) {
          reasons.push(error.message);
        }
      }),
    ),
  );
  const wallMs = performance.now() - started;
  clearInterval(timer);
  look();
  const [large, ...small] = byClient;
  return {
    before,
    peak,
    after: sizes(gateway),
    byClient,
    reasons,
    lost: sum(SENT) - answered,
    aSecond: (answered / wallMs) * 1_000,
    smallPlace: Math.max(...small.map(({ lastPlace }) => lastPlace)) / answered,
    smallWait: mean(small.flatMap(({ waits }) => waits)) / mean(large.waits),
  };
}

async function execute(client, id) {
  const request = {
    name: "pml_execute",
    arguments: { intent: "look a record up", code: CODE, args: { id }, options: { no_cache: true } },
  };
  const { structuredContent } = await client.callTool(request, { timeout: TIMEOUT_MS });
  if (structuredContent?.result !== id) {
    const { error } = structuredContent ?? {};
    throw new Error(
      error === undefined
        ? `wrong answer: ${JSON.stringify(structuredContent)}`
        : `${error.code}: ${error.message}`,
    );
  }
}

/** In MB: the gateway alone, and the gateway with its child processes, without the servers. */
function sizes(gateway) {
  if (!hasProc) return { gateway: Number.NaN, all: Number.NaN };
  const own = treeOf(gateway).filter((pid) => commandOf(pid)[1] !== LOOKUPS[0]);
  return { gateway: residentMb(gateway), all: sum(own.map(residentMb)) };
}

/** Unlike the sum over all its pages, this has no cost for the process. */
function residentMb(pid) {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
    return Number(found?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values) {
  return sum(values) / values.length;
}
