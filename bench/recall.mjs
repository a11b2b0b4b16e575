/**
 * Measures learn and recall: a trivial capability called through a gateway, compared with the same program in the bare
 * sandbox, and through a process in the gateway's place that does nothing else.
 *
 * Each run finds the processes of both sandboxes ready and idle, as for an agent that thinks between two calls;
 * `sandbox.mjs` measures runs that do not.
 */
import { builds, printAgainst } from "./harness/build.mjs";
import { sandboxBehindRelay } from "./harness/bytes-alone.mjs";
import { connectStdio, wholeAnswer } from "./harness/clients.mjs";
import { backgroundHome } from "./harness/gateways.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, ratioOf, summary } from "./harness/sampling.mjs";
import { gatewayPool, openSandbox } from "./harness/sandboxes.mjs";
import { EVERYTHING } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 20;
const RUNS = sized(8, 1);
const WARM_UP_RUNS = sized(30, 0);

/** [SC-2] */
const BY_NAME_MOST = 1.5;
const NEW_CODE_MOST = 4;

const CODE = "return args.n + 1;";
const NAME = "bench:next";

/** No two calls have the same arguments, because the second would be answered from a cache. */
let callsMade = 0;

await benchmark("recall", "a trivial capability, from the call to its result", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const measured = await builds(bench);
  const { run, whenFull } = await openSandbox(bench, measured[0], "deno");
  const bare = { label: "bare sandbox, in process", call: async (n) => run(CODE, { n }) };
  const alone = await bytesAlonePath(bench, measured[0]);
  const paths = [bare, alone];
  const pools = [whenFull, alone.whenFull];
  for (const build of measured) {
    const { calls, pool } = await pmlPaths(bench, build);
    paths.push(...calls);
    pools.push(pool);
  }
  const [, , byName, , , newCode] = paths;
  const idle = () => Promise.all(pools.map((pool) => pool()));
  for (const { call } of paths) await timeIdle(WARM_UP_RUNS, idle, call);

  const series = await interleave(paths, rounds, ({ call }) => timeIdle(RUNS, idle, call));
  const base = series.get(bare);
  printTable(
    ["call", "min ms", "p50 ms", "p95 ms", "p50 × bare", "p95 × bare", "p50 × bytes alone"],
    paths.map((path) => {
      const { min, p50, p95 } = summary(series.get(path));
      const ratio = (q) => times(ratioOf(series.get(path), base, q));
      const timesAlone =
        path === bare || path === alone ? undefined : times(ratioOf(series.get(path), series.get(alone)));
      return [path.label, ms(min), ms(p50), ms(p95), ratio(0.5), ratio(0.95), timesAlone];
    }),
  );
  printAgainst(measured, series);
  printSpread(rounds);
  const against = (path) => ratioOf(series.get(path), base);
  bench.check("called by its own name, against the bare sandbox", against(byName), BY_NAME_MOST);
  bench.check("code seen for the first time, against the bare sandbox", against(newCode), NEW_CODE_MOST);
});

/** Changes processes as often as a call of a capability by its own name. */
async function bytesAlonePath(bench, build) {
  const { serve, whenFull } = await sandboxBehindRelay(bench, build, CODE);
  const client = await connectStdio(bench, "other", serve);
  return {
    label: "bytes alone: a relay, and the bare sandbox behind it",
    whenFull,
    call: async (n) => {
      const { structuredContent } = await client.callTool({ name: "run", arguments: { n } });
      return structuredContent?.result;
    },
  };
}

async function pmlPaths(bench, build) {
  const home = backgroundHome(bench, build, { everything: EVERYTHING });
  const client = await connectStdio(bench, "pml", home.serve());
  const execute = async (request) => {
    const answer = wholeAnswer(await client.callTool({ name: "pml_execute", arguments: request }));
    if (answer.status !== "success") throw new Error(JSON.stringify(answer));
    return answer;
  };
  const intent = "add one";
  await execute({ intent, code: CODE, args: { n: 1 }, name: NAME });
  const name = await wireName(client);
  const learned = new Set();
  const path = (label, call) => ({ label: `${build.label} ${label}`, call });
  return {
    pool: await gatewayPool(build, home, () =>
      execute({ intent, code: CODE, args: { n: -1 }, options: { no_cache: true } }),
    ),
    calls: [
      path("serve, joined: by its own name", async (n) => {
        const { structuredContent } = await client.callTool({ name, arguments: { n } });
        return structuredContent?.result;
      }),
      path("serve, joined: pml_execute, capability", async (n) => {
        const { result } = await execute({ intent, capability: NAME, args: { n } });
        return result;
      }),
      path("serve, joined: pml_execute, the same code again", async (n) => {
        const { result } = await execute({ intent, code: CODE, args: { n } });
        return result;
      }),
      path("serve, joined: pml_execute, code seen for the first time", async (n) => {
        const code = `const by = ${learned.size};\nreturn args.n + by - by + 1;`;
        const { result, capabilityFqdn } = await execute({ intent, code, args: { n } });
        if (learned.has(capabilityFqdn)) throw new Error(`${capabilityFqdn} was known already`);
        learned.add(capabilityFqdn);
        return result;
      }),
    ],
  };
}

/** The capability's name for clients. */
async function wireName(client) {
  const { tools } = await client.listTools(undefined, { cacheMode: "bypass" });
  const names = tools.map(({ name }) => name);
  const name = names.find((text) => /bench_+next$/.test(text));
  if (name === undefined) throw new Error(`no ${NAME} among ${names.join(", ")}`);
  return name;
}

async function timeIdle(count, idle, call) {
  const samples = [];
  for (let done = 0; done < count; done += 1) {
    const n = callsMade;
    callsMade += 1;
    await idle();
    const started = performance.now();
    const result = await call(n);
    samples.push(performance.now() - started);
    if (result !== n + 1) throw new Error(`wrong answer: ${JSON.stringify(result)}`);
  }
  return samples;
}
