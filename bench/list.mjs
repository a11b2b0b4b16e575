/** Measures `tools/list` with 1,000 tools, following all pages, without the client's cache. */
import { builds, printAgainst } from "./harness/build.mjs";
import { connectStdio } from "./harness/clients.mjs";
import { backgroundHome, pmlHome } from "./harness/gateways.mjs";
import { IS_SMOKE, sized } from "./harness/options.mjs";
import { interleave, ratioOf, summary, timeEach } from "./harness/sampling.mjs";
import { manyTools } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 25;
const LISTINGS = sized(3, 1);
const WARM_UP_LISTINGS = sized(15, 0);
const TOOLS = sized(1_000, 4);
/** The page size of PML. */
const PAGE_ITEMS = sized(200, 2);

const MOST = 2.5;

await benchmark("list", `tools/list with ${TOOLS.toLocaleString("en")} tools, over stdio`, async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const measured = await builds(bench);
  for (const era of sized(["2025", "2026"], ["2026"])) {
    const bare = async (label, pageItems) => ({
      label,
      client: await connectStdio(bench, "other", manyTools(TOOLS, pageItems), era),
    });
    const paths = [await bare("bare, one page", 0), await bare(`bare, pages of ${PAGE_ITEMS}`, PAGE_ITEMS)];
    for (const build of measured) paths.push(...(await pmlPaths(bench, build, era)));
    for (const path of paths) {
      path.bytes = JSON.stringify(await list(path.client)).length;
      await timeEach(WARM_UP_LISTINGS, () => list(path.client));
    }
    const series = await interleave(paths, rounds, ({ client }) => timeEach(LISTINGS, () => list(client)));
    const [onePage, paged] = paths.map((path) => series.get(path));
    printTable(
      [`${era} client`, "KB", "min ms", "p50 ms", "p95 ms", "p50 × one page", "× paged alike"],
      paths.map((path) => {
        const { min, p50, p95 } = summary(series.get(path));
        return [
          path.label,
          (path.bytes / 1_024).toFixed(0),
          ms(min),
          ms(p50),
          ms(p95),
          times(ratioOf(series.get(path), onePage)),
          times(ratioOf(series.get(path), paged)),
        ];
      }),
    );
    printAgainst(measured, series);
    bench.check(
      `pml serve, joined, ${era} client, against a bare server paged alike`,
      ratioOf(series.get(paths[2]), paged),
      MOST,
    );
    for (const { client } of paths) await client.close();
  }
  printSpread(rounds);
});

async function pmlPaths(bench, build, era) {
  const servers = { many: manyTools(TOOLS, PAGE_ITEMS) };
  // By default so many tools are not listed at all.
  const whole = { exposure: "all" };
  const background = backgroundHome(bench, build, servers, whole);
  const alone = pmlHome(bench, build, servers, whole);
  const paths = [
    {
      label: `${build.label} serve, joined`,
      client: await connectStdio(bench, "pml", background.serve(), era),
    },
  ];
  // One more gateway, reached like the first.
  if (IS_SMOKE) return paths;
  const client = await connectStdio(bench, "pml", alone.serve(["--no-daemon"]), era);
  return [...paths, { label: `${build.label} serve --no-daemon`, client }];
}

async function list(client) {
  const { tools } = await client.listTools(undefined, { cacheMode: "bypass" });
  // PML lists its own tools as well.
  const found = tools.filter(({ name }) => name.includes("find_records_")).length;
  if (found !== TOOLS) throw new Error(`${found} tools, expected ${TOOLS}`);
  return tools;
}
