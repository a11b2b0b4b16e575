/**
 * Measures `cap_list` with each of its filters, 100,000 capabilities in memory, from the arguments to the answer's
 * text. Compared with the same query in SQL, the page and the count in parallel, on PGlite and on PostgreSQL.
 *
 * The databases have statistics here, which an embedded store does not have: SQL gets its best chance.
 */
import { builds } from "./harness/build.mjs";
import { fillStore, ORG, PROJECT } from "./harness/filled-store.mjs";
import { sized } from "./harness/options.mjs";
import { startPostgres } from "./harness/postgres.mjs";
import { interleave, ratioOf, summary, timeEach } from "./harness/sampling.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 9;
const RECORDS = sized(100_000, 200);
const CALLS = sized(3, 1);
const PAGE = 50;
const MOST = 1;
/** The database has an index of tags and reads only matching rows; memory has none and reads all capabilities. */
const MOST_TAGS = 4;

const SCOPE = { org: ORG, project: PROJECT, user: "user4" };
const SILENT = { debug() {}, info() {}, warn() {}, error: (event, fields) => console.error(event, fields) };

const ORDERS = {
  usage: "record.usage_count desc, record.display_name, record.id",
  name: "record.display_name, record.id",
  created: "record.created_at desc, record.display_name, record.id",
};
const IN_PROJECT = `record.org = '${ORG}' and record.project = '${PROJECT}'`;
const SEEN = `(record.visibility = 'public' or record.visibility = 'org' and record.org = '${ORG}'
  or record.visibility = 'project' and ${IN_PROJECT}
  or record.visibility = 'private' and '${SCOPE.user}@${ORG}' = any (record.creators))`;

/** The inputs of the tool, and the same in SQL. */
const QUESTIONS = [
  { label: "no filter", input: {} },
  { label: "pattern ns7:*", input: { pattern: "ns7:*" }, where: "record.display_name ilike 'ns7:%'" },
  {
    label: "pattern *thing_9*",
    input: { pattern: "*thing_9*" },
    where: String.raw`record.display_name ilike '%thing\_9%'`,
  },
  { label: "named_only", input: { named_only: true }, where: "record.display_name not like 'unnamed\\_%'" },
  { label: "unnamed_only", input: { unnamed_only: true }, where: "record.display_name like 'unnamed\\_%'" },
  {
    label: "created_by user4@*",
    input: { created_by: "user4@*" },
    where: "record.created_by ilike 'user4@%'",
  },
  {
    label: "tags t3, u2",
    input: { tags: ["t3", "u2"] },
    where: "record.tags @> array['t3', 'u2']",
    most: MOST_TAGS,
  },
  {
    label: "visibility org",
    input: { visibility: "org" },
    where: "record.visibility = 'org'",
    isBeyond: true,
  },
  {
    label: "visibility public",
    input: { visibility: "public" },
    where: "record.visibility = 'public'",
    isBeyond: true,
  },
  { label: "version_tag v1.*", input: { version_tag: "v1.*" }, where: "record.version_tag ilike 'v1.%'" },
  { label: "sort_by name", input: { sort_by: "name" } },
  { label: "sort_by created", input: { sort_by: "created" } },
  { label: `offset ${(RECORDS / 2).toLocaleString("en")}`, input: { offset: RECORDS / 2 } },
];

await benchmark(
  "cap-list",
  `cap_list among ${RECORDS.toLocaleString("en")} capabilities, in process`,
  async (bench) => {
    const rounds = bench.options.rounds ?? ROUNDS;
    const [build] = await builds(bench);
    const { openStore } = await build.load("postgres/open-store.js");
    const { CapabilityRegistry } = await build.load("registry/capability-registry.js");
    const { capList } = await build.load("gateway/own/cap-list.js");
    const open = async (options) => {
      const store = await openStore({ dataDir: bench.directory("data"), log: SILENT, ...options });
      bench.atEnd(() => store.close());
      await fillStore(store.database, RECORDS);
      await store.database.query("analyze");
      return store;
    };
    const url = await startPostgres(bench);
    const embedded = await open({});
    const databases = [
      ["PGlite", embedded.database],
      ...(url === undefined ? [] : [["PostgreSQL", (await open({ url })).database]]),
    ];
    const registry = new CapabilityRegistry({ store: embedded.capabilities, log: SILENT });
    const tool = capList.with({ registry });
    await registry.loaded();

    const rows = [];
    for (const question of QUESTIONS) {
      const memory = { run: () => tool.answer(question.input, SCOPE, {}) };
      const bare = databases.map(([label, database]) => ({ label, run: () => ask(database, question) }));
      const answer = (await memory.run()).result.structuredContent;
      for (const { label, run } of bare) mustAgree(`${question.label} on ${label}`, answer, await run());
      for (const { run } of [memory, ...bare]) await timeEach(CALLS, run);
      const series = await interleave([memory, ...bare], rounds, ({ run }) => timeEach(CALLS, run));
      const ratios = bare.map((one) => ratioOf(series.get(memory), series.get(one)));
      rows.push([
        question.label,
        answer.total.toLocaleString("en"),
        ...[memory, ...bare].map((one) => ms(summary(series.get(one)).p50)),
        ...ratios.map(times),
      ]);
      for (const [index, ratio] of ratios.entries())
        bench.check(`${question.label}: memory × ${bare[index].label}`, ratio, question.most ?? MOST);
    }
    const labels = databases.map(([label]) => label);
    printTable(
      [
        "cap_list",
        "total",
        "memory p50 ms",
        ...labels.map((label) => `SQL on ${label} p50 ms`),
        ...labels.map((label) => `p50 × ${label}`),
      ],
      rows,
    );
    printSpread(rounds);
  },
);

/** Queries the page and the count in parallel. */
async function ask(database, { label, input, where = "true", isBeyond = false }) {
  const order = ORDERS[input.sort_by ?? "usage"];
  const from = `from capability_records as record where record.record_type = 'capability' and record.deleted_at is null
    and ${isBeyond ? "true" : IN_PROJECT} and ${SEEN} and (${where})`;
  const name = label.replace(/\W+/g, "_");
  const [page, count] = await Promise.all([
    database.query({
      name: `page_${name}`,
      text: `select pattern.pattern_id, record.display_name, coalesce(pattern.description, pattern.intent) as description,
          record.usage_count, record.success_count, pattern.parameters_schema
        from (select * ${from} order by ${order} limit ${PAGE} offset ${input.offset ?? 0}) as record
        join workflow_pattern as pattern on pattern.pattern_id = record.workflow_pattern_id order by ${order}`,
    }),
    database.query({ name: `count_${name}`, text: `select count(*) as total ${from}` }),
  ]);
  return { rows: page.rows, total: count.rows[0].total };
}

/** Both must give the same answer: otherwise the comparison is worthless. */
function mustAgree(what, answer, { rows, total }) {
  const names = (all, key) => all.map((one) => one[key]).join(" ");
  if (answer.total !== total || names(answer.capabilities, "name") !== names(rows, "display_name"))
    throw new Error(`${what}: memory says ${answer.total}, SQL ${total}, or other rows`);
}
