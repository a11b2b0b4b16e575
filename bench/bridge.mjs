/**
 * Measures tool calls of code in the sandbox, compared with the same calls by a client: 100 calls of
 * server-everything's `echo`, sequential and parallel.
 *
 * Code measures its own time, from before its first call to after its last: the start of the run is in `recall.mjs`.
 */
import { builds, printAgainst } from "./harness/build.mjs";
import { connectStdio, echoCaller } from "./harness/clients.mjs";
import { backgroundHome } from "./harness/gateways.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, ratioOf, summary } from "./harness/sampling.mjs";
import { gatewayPool } from "./harness/sandboxes.mjs";
import { EVERYTHING } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 20;
const BATCHES = sized(3, 1);
const WARM_UP_BATCHES = sized(5, 0);
const CALLS = sized(100, 2);

const CLIENT_MOST = 2;
const DIRECT_MOST = 8;

const WAYS = [
  { way: "sequential", title: "one after the other" },
  { way: "parallel", title: "at once" },
];

const CODE = {
  sequential: `let wrong = 0;
const started = Date.now();
for (let n = 0; n < args.calls; n += 1) {
  if ((await mcp.everything.echo({ message: String(n) })) !== "Echo: " + n) wrong += 1;
}
return { ms: Date.now() - started, wrong };`,
  parallel: `const numbers = Array.from({ length: args.calls }, (_, n) => n);
const started = Date.now();
const echoes = await Promise.all(numbers.map((n) => mcp.everything.echo({ message: String(n) })));
return { ms: Date.now() - started, wrong: echoes.filter((echo, n) => echo !== "Echo: " + n).length };`,
};

const servers = { everything: EVERYTHING };

await benchmark("bridge", `${CALLS} tool calls from inside the sandbox`, async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const measured = await builds(bench);
  const direct = clientPath("direct stdio", await connectStdio(bench, "other", EVERYTHING));
  const paths = [direct];
  for (const build of measured) paths.push(...(await pmlPaths(bench, build)));
  for (const { way, title } of WAYS) {
    for (const path of paths) for (let batch = 0; batch < WARM_UP_BATCHES; batch += 1) await path.sample(way);
    const series = await interleave(paths, rounds, async (path) => {
      const samples = [];
      for (let batch = 0; batch < BATCHES; batch += 1) samples.push(await path.sample(way));
      return samples;
    });
    const [base, , byClient] = paths.map((path) => series.get(path));
    printTable(
      [
        `${CALLS} calls ${title}, ms a call`,
        "min",
        "p50",
        "p95",
        "p50 × direct",
        "p95 × direct",
        "p50 × by the client",
      ],
      paths.map((path) => {
        const { min, p50, p95 } = summary(series.get(path));
        const ratio = (other, q) => times(ratioOf(series.get(path), other, q));
        return [path.label, ms(min), ms(p50), ms(p95), ratio(base), ratio(base, 0.95), ratio(byClient)];
      }),
    );
    printAgainst(measured, series);
    const inSandbox = series.get(paths[1]);
    bench.check(
      `${CALLS} calls ${title} from the sandbox, against a client of the gateway`,
      ratioOf(inSandbox, byClient),
      CLIENT_MOST,
    );
    bench.check(
      `${CALLS} calls ${title} from the sandbox, against direct stdio`,
      ratioOf(inSandbox, base),
      DIRECT_MOST,
    );
  }
  printSpread(rounds);
});

/** `sample` returns the mean milliseconds of one call. */
function clientPath(label, client) {
  const caller = echoCaller(client);
  return {
    label,
    async sample(way) {
      const call = await caller;
      const started = performance.now();
      if (way === "parallel") await Promise.all(Array.from({ length: CALLS }, (_, n) => call(n)));
      else for (let n = 0; n < CALLS; n += 1) await call(n);
      return (performance.now() - started) / CALLS;
    },
  };
}

async function pmlPaths(bench, build) {
  // `echo` has no read-only annotation, and no person is here to approve it.
  const home = backgroundHome(bench, build, servers, { approvals: { unannotated: "auto" } });
  const client = await connectStdio(bench, "pml", home.serve());
  const whenFull = await gatewayPool(build, home);
  return [
    {
      label: `${build.label} serve, joined: from code in the sandbox`,
      async sample(way) {
        await whenFull();
        const { structuredContent } = await client.callTool({
          name: "pml_execute",
          arguments: { intent: `echo ${way}`, code: CODE[way], args: { calls: CALLS } },
        });
        if (structuredContent?.result?.wrong !== 0) throw new Error(JSON.stringify(structuredContent));
        return structuredContent.result.ms / CALLS;
      },
    },
    clientPath(`${build.label} serve, joined: by the client`, client),
  ];
}
