/**
 * Measures one tool call: server-everything's `echo`, directly, through gateways, and through processes in place of the
 * gateway that only copy bytes.
 */
import { builds, printAgainst } from "./harness/build.mjs";
import { httpRelay, oneRelay, twoRelays } from "./harness/bytes-alone.mjs";
import { connectHttp, connectStdio, echoCaller } from "./harness/clients.mjs";
import { backgroundHome, pmlHome, startPmlHttp } from "./harness/gateways.mjs";
import { IS_SMOKE, sized } from "./harness/options.mjs";
import { startPeers } from "./harness/peers.mjs";
import { interleave, ratioOf, summary, throughput, timeEach } from "./harness/sampling.mjs";
import { EVERYTHING, startEverythingHttp } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 40;
const WARM_UP_CALLS = sized(300, 0);
const CALLS = sized(40, 1);
const CALLS_TOGETHER = sized(256, 2);
const IN_FLIGHT = sized(32, 2);

/** [SC-2], compared with the server itself over stdio. */
const STDIO_MOST = 2.5;
const HTTP_MOST = 4;
/** A change to PML should make no user slower. Two runs of the same build may differ by this much. */
const PEER_MOST = 1.1;

const servers = { everything: EVERYTHING };

await benchmark("call", "one tool call, and 32 of them in flight", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const measured = await builds(bench);
  const paths = [
    { label: "direct stdio", client: await connectStdio(bench, "other", EVERYTHING) },
    { label: "direct HTTP", client: await connectHttp(bench, await startEverythingHttp(bench)) },
  ];
  const alone = await bytesAlonePaths(bench);
  paths.push(...Object.values(alone));
  for (const build of measured) paths.push(...(await pmlPaths(bench, build, alone)));
  for (const { name, label, url, sse } of await startPeers(bench, servers)) {
    try {
      const client = await connectHttp(bench, url, { sse });
      paths.push({ name, label, client, alone: sse ? undefined : alone.http });
    } catch (error) {
      console.log(`left out: ${label} cannot be reached (${error.message})\n`);
    }
  }
  for (const path of paths) {
    path.call = await echoCaller(path.client);
    await timeEach(WARM_UP_CALLS, path.call);
  }

  const single = await interleave(paths, rounds, ({ call }) => timeEach(CALLS, call));
  // Converted to the mean time of one call, so that more is worse here too.
  const together = await interleave(
    paths,
    rounds,
    async ({ call }) => 1_000 / (await throughput(CALLS_TOGETHER, IN_FLIGHT, call)),
  );

  const [direct, overHttp] = paths;
  printTable(
    [
      "path",
      "min ms",
      "p50 ms",
      "p95 ms",
      "p50 × direct stdio",
      "p50 × direct HTTP",
      "p50 × bytes alone",
      "32 in flight, ms a call",
      "× direct stdio",
      "× bytes alone",
    ],
    paths.map((path) => {
      const { min, p50, p95 } = summary(single.get(path));
      const timesAlone = (series) => path.alone && times(ratioOf(series.get(path), series.get(path.alone)));
      return [
        path.label,
        ms(min),
        ms(p50),
        ms(p95),
        times(ratioOf(single.get(path), single.get(direct))),
        times(ratioOf(single.get(path), single.get(overHttp))),
        timesAlone(single),
        summary(together.get(path)).p50.toFixed(3),
        times(ratioOf(together.get(path), together.get(direct))),
        timesAlone(together),
      ];
    }),
  );
  printAgainst(measured, single);
  printSpread(rounds);

  const [{ label }] = measured;
  const named = (rest) => paths.find((path) => path.label === `${label} ${rest}`);
  const peer = paths.find(({ name }) => name === "supergateway");
  const check = (rest, base, most) =>
    bench.check(
      `pml ${rest}, against ${base.label}`,
      ratioOf(single.get(named(rest)), single.get(base)),
      most,
    );
  const http = ["serve --http, 2025 client", "serve --http, 2026 client"];
  check("serve, joined", direct, STDIO_MOST);
  for (const rest of http) check(rest, direct, HTTP_MOST);
  if (peer !== undefined) for (const rest of http) check(rest, peer, PEER_MOST);
});

/** As many processes in a row as PML has there, but without any work. */
async function bytesAlonePaths(bench) {
  const path = async (label, client) => ({ label: `bytes alone: ${label}`, client: await client });
  const url = await httpRelay(bench, EVERYTHING);
  return {
    joined: await path("two relays", connectStdio(bench, "other", await twoRelays(bench, EVERYTHING))),
    noDaemon: await path("one relay", connectStdio(bench, "other", oneRelay(EVERYTHING))),
    http: await path("HTTP, 2025 client", connectHttp(bench, url)),
    http2026: await path("HTTP, 2026 client", connectHttp(bench, url, { era: "2026" })),
  };
}

/** Each path with the one that it is compared with. Over stdio the server behind the relays speaks only 2025. */
async function pmlPaths(bench, build, alone) {
  const background = backgroundHome(bench, build, servers);
  const single = pmlHome(bench, build, servers);
  const { url } = await startPmlHttp(bench, build, servers);
  const path = async (label, sameAlone, client) => ({
    label: `${build.label} ${label}`,
    alone: sameAlone,
    client: await client,
  });
  const serve = background.serve();
  return [
    await path("serve, joined", alone.joined, connectStdio(bench, "pml", serve)),
    await path("serve, joined, 2026 client", alone.joined, connectStdio(bench, "pml", serve, "2026")),
    // One more gateway, reached like the first.
    ...(IS_SMOKE
      ? []
      : [
          await path(
            "serve --no-daemon",
            alone.noDaemon,
            connectStdio(bench, "pml", single.serve(["--no-daemon"])),
          ),
        ]),
    await path("serve --http, 2025 client", alone.http, connectHttp(bench, url)),
    await path("serve --http, 2026 client", alone.http2026, connectHttp(bench, url, { era: "2026" })),
  ];
}
