/**
 * Measures the cost for a call of counting it and of checking its arguments.
 *
 * The gateway runs in this process, composed as in `pml serve`, so that both can be removed and restored between two
 * calls. Client and gateway share a thread here, so their shares of a call are smaller than in `call.mjs`.
 */
import { builds } from "./harness/build.mjs";
import { echoCaller } from "./harness/clients.mjs";
import { gatewayHere } from "./harness/gateway-here.mjs";
import { sized } from "./harness/options.mjs";
import { interleave, median, ratioOf, summary, timeEach } from "./harness/sampling.mjs";
import { EVERYTHING } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 60;
const CALLS = sized(50, 1);
const WARM_UP_CALLS = sized(1_000, 0);
const LOOP = sized(100_000, 1);
const LOOPS = sized(9, 1);
const BATCH_ROWS = sized(5_000, 1);

const MOST = 1.1;

await benchmark(
  "usage",
  "the share of a call that counting it and checking its arguments take",
  async (bench) => {
    const rounds = bench.options.rounds ?? ROUNDS;
    const [build] = await builds(bench);
    const { gateway, scope, connect } = await gatewayHere(bench, build, { everything: EVERYTHING });
    const call = await echoCaller(await connect());
    await timeEach(WARM_UP_CALLS, call);

    const { invoker } = gateway;
    const real = { usage: invoker.usage, argumentCheck: invoker.argumentCheck };
    const none = { usage: { record() {} }, argumentCheck: { check() {} } };
    const paths = [
      { label: "neither", parts: none },
      { label: "counted", parts: { ...none, usage: real.usage } },
      { label: "checked", parts: { ...none, argumentCheck: real.argumentCheck } },
      { label: "both, as it is", parts: real },
    ];
    const series = await interleave(paths, rounds, ({ parts }) => {
      Object.assign(invoker, parts);
      return timeEach(CALLS, call);
    });
    const [neither, , , both] = paths.map((path) => series.get(path));
    printTable(
      ["call", "min ms", "p50 ms", "p95 ms", "p50 × neither"],
      paths.map(({ label }, index) => {
        const { min, p50, p95 } = summary(series.get(paths[index]));
        return [label, ms(min), ms(p50), ms(p95), times(ratioOf(series.get(paths[index]), neither))];
      }),
    );
    printSpread(rounds);

    const p50 = summary(both).p50 * 1_000;
    const costs = await partCosts(gateway, scope, real);
    printTable(
      ["part", "µs a call", "% of a call (p50)"],
      costs.map(([label, microseconds]) => [
        label,
        microseconds.toFixed(2),
        ((microseconds / p50) * 100).toFixed(2),
      ]),
    );
    bench.check("counted and checked, against neither", ratioOf(both, neither), MOST);
  },
);

/** Each part alone, in a loop: its real cost, which the noise hides in the difference of two calls. */
async function partCosts(gateway, scope, { usage, argumentCheck }) {
  const { tool, hash } = await gateway.tools.resolve("everything:echo", scope);
  const row = {
    serverId: "everything",
    toolName: "echo",
    org: "local",
    project: "default",
    user: "bench",
    calledAt: new Date(),
    durationMs: 1.5,
    success: true,
  };
  const loop = async (count, work) => {
    const costs = [];
    for (let index = 0; index < LOOPS; index += 1) {
      const started = performance.now();
      await work(count);
      costs.push(((performance.now() - started) * 1_000) / count);
    }
    return median(costs);
  };
  const check = await loop(LOOP, (count) => {
    for (let index = 0; index < count; index += 1)
      argumentCheck.check(tool, hash, { message: `hi ${index}` });
  });
  await usage.flush();
  const record = [];
  const write = await loop(BATCH_ROWS, async (count) => {
    const started = performance.now();
    for (let index = 0; index < count; index += 1) usage.record({ ...row, durationMs: index });
    record.push(((performance.now() - started) * 1_000) / count);
    await usage.flush();
  });
  return [
    ["checking its arguments", check],
    ["counting it, while it waits", median(record)],
    ["writing the count, later and mostly in the store's own thread", write - median(record)],
  ];
}
