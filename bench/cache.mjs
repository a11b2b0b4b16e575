/**
 * Measures cached results: an answer from each cache, compared with a run of the same capability, which makes one tool
 * call. From the MCP call to its result, through the background gateway.
 *
 * Runs find the processes of the sandbox ready, as in `recall.mjs`. Answers from the store need a gateway that caches
 * nothing in memory.
 */
import { builds, printAgainst } from "./harness/build.mjs";
import { connectStdio } from "./harness/clients.mjs";
import { backgroundHome } from "./harness/gateways.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, ratioOf, summary } from "./harness/sampling.mjs";
import { gatewayPool } from "./harness/sandboxes.mjs";
import { EVERYTHING } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark, pause } from "./harness/workbench.mjs";

const ROUNDS = 20;
const RUNS = sized(8, 1);
const WARM_UP_RUNS = sized(10, 0);
const CACHED_MS = 10_000;

const MOST = { execution: 0.2, capability: 0.5, intent: 0.5, miss: 1.25 };

const CODE = "return await mcp.everything.echo({ message: args.message });";
const NAME = "bench:echo";
const INTENT = "let the server repeat the message of the benchmark word by word";

await benchmark("cache", "a capability that calls one tool, from the call to its result", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const measured = await builds(bench);
  const paths = [];
  const pools = [];
  for (const build of measured) {
    const memory = await gateway(bench, build, { intent: true });
    const store = await gateway(bench, build, { executionSeconds: 0 });
    pools.push(memory.pool, store.pool);
    paths.push(...pathsOf(build, memory, store));
  }
  const idle = () => Promise.all(pools.map((pool) => pool()));
  for (const path of paths) await timeIdle(WARM_UP_RUNS, idle, path);
  const series = await interleave(paths, rounds, (path) => timeIdle(RUNS, idle, path));
  const [run] = paths;
  const base = series.get(run);
  printTable(
    ["answered by", "min ms", "p50 ms", "p95 ms", "p50 × a run", "p95 × a run"],
    paths.map((path) => {
      const { min, p50, p95 } = summary(series.get(path));
      const ratio = (q) => times(ratioOf(series.get(path), base, q));
      return [path.label, ms(min), ms(p50), ms(p95), ratio(0.5), ratio(0.95)];
    }),
  );
  printAgainst(measured, series);
  printSpread(rounds);
  for (const path of paths.slice(1, 5))
    bench.check(`${path.label}, against a run`, ratioOf(series.get(path), base), MOST[path.level]);
});

function pathsOf(build, memory, store) {
  let fresh = 0;
  const path = (label, level, call) => ({ label: `${build.label} ${label}`, level, call });
  const known = { capability: NAME, args: { message: "known" }, intent: INTENT };
  return [
    path("a run", undefined, () => memory.execute({ ...known, options: { no_cache: true } })),
    path("memory (execution)", "execution", () => memory.execute(known)),
    path("the store (capability)", "capability", () => store.execute(known)),
    path("an intent (intent)", "intent", () =>
      memory.execute({ intent: INTENT, context: { message: "known" } }),
    ),
    path("a run that no cache knew", "miss", () => {
      fresh += 1;
      return memory.execute({ ...known, args: { message: `fresh ${fresh}` } });
    }),
  ];
}

async function gateway(bench, build, cache) {
  const home = backgroundHome(
    bench,
    build,
    { everything: EVERYTHING },
    { approvals: { unannotated: "auto" }, cache: { readOnlyTools: ["everything:echo"], ...cache } },
  );
  const client = await connectStdio(bench, "pml", home.serve());
  const execute = async (request) => {
    const { structuredContent } = await client.callTool({ name: "pml_execute", arguments: request });
    if (structuredContent?.status !== "success") throw new Error(JSON.stringify(structuredContent));
    return structuredContent;
  };
  await execute({ intent: INTENT, code: CODE, args: { message: "first" }, name: NAME });
  await untilCached(() => execute({ intent: INTENT, capability: NAME, args: { message: "known" } }));
  return { execute, pool: await gatewayPool(build, home) };
}

/** A result is written to the store only after its answer was sent. */
async function untilCached(ask) {
  const until = Date.now() + CACHED_MS;
  while ((await ask()).cacheHit === undefined) {
    if (Date.now() > until) throw new Error(`nothing was cached within ${CACHED_MS} ms`);
    await pause(50);
  }
}

async function timeIdle(count, idle, { label, level, call }) {
  const expected = level === "miss" ? undefined : level;
  const samples = [];
  for (let n = 0; n < count; n += 1) {
    await idle();
    const started = performance.now();
    const { cacheHit } = await call();
    samples.push(performance.now() - started);
    if (cacheHit !== expected) throw new Error(`${label}: expected ${expected}, found ${cacheHit}`);
  }
  return samples;
}
