/**
 * Measures names by grammar and naming model against people's judgement of them, with and without the bundled encoder,
 * and the cost of naming many capabilities.
 *
 *   node bench/naming.mjs [--cases FILE] [--out FILE] [--quiet]
 *
 * The labelled cases and their scorer are in the folder `PML_EVAL_DIR` (`naming.jsonl`, `naming-score.mjs`); without
 * it, only time and memory are measured. `--out` keeps the suggestions, `--quiet` names no case.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { builds } from "./harness/build.mjs";
import { PML_EVAL_DIR } from "./harness/evaluation.mjs";
import { measuredHeap } from "./harness/heap.mjs";
import { OPTIONS, sized } from "./harness/options.mjs";
import { printTable } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const MANY = sized(1_000, 10);
const ROUNDS = 5;
/** Above this confidence, names are given without asking anybody. */
const SURE = 0.8;
/** Lower limits: the share of acceptable names, judged strictly; and the same share among confident names. */
const LEAST = 0.8;
const LEAST_SURE = 0.95;
const BINS = [0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1];

const { values: own } = parseArgs({
  options: { ...OPTIONS, cases: { type: "string" }, out: { type: "string" }, quiet: { type: "boolean" } },
});
// The workbench refuses options that are not common to all benchmarks.
process.argv = process.argv.filter(
  (argument, index, all) =>
    !/^--(?:cases|out|quiet)\b/.test(argument) && !/^--(?:cases|out)$/.test(all[index - 1] ?? ""),
);

await benchmark(
  "naming",
  "names for unnamed capabilities, by grammar and naming model, in process",
  async (bench) => {
    const [build] = await builds(bench);
    const naming = {
      ...(await build.load("curation/suggest-names.js")),
      ...(await build.load("curation/object-model.js")),
      model: (await build.load("models/open-object-model.js")).openObjectModel(),
    };
    const folder = PML_EVAL_DIR ?? "";
    const cases = own.cases ?? join(folder, "naming.jsonl");
    const scorer = join(folder, "naming-score.mjs");
    if (existsSync(cases) && existsSync(scorer)) {
      const { createEmbedder } = await build.load("embedding/create-embedder.js");
      const embedder = await createEmbedder("bundled", { debug() {}, info() {}, warn() {}, error() {} });
      await score(bench, naming, cases, scorer, (words) => embedder.embedWords(words));
      console.log("without the encoder");
      await score(bench, naming, cases, scorer);
      await embedder.close();
    } else
      console.log(
        "PML_EVAL_DIR names no folder with naming.jsonl and naming-score.mjs: nothing to judge by\n",
      );
    await measureMany(bench, (subjects, taken) => naming.suggestNames(subjects, taken, naming.model));
  },
);

async function score(bench, naming, file, scorer, encode) {
  const cases = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
  const tools = new Set(cases.flatMap((one) => one.tools_used));
  const suggestions = await suggest(
    naming,
    cases.map(subjectOf),
    { isTaken: (name) => tools.has(name) },
    encode,
  );
  const out = own.out ?? join(bench.directory("names"), "suggestions.jsonl");
  writeFileSync(out, suggestions.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const { stdout, stderr, status } = spawnSync(process.execPath, [scorer, file, out, "--strict", "--json"], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 2) throw new Error(`the scorer cannot judge: ${stderr}`);
  const result = JSON.parse(stdout);
  const row = (label, { n, ok, strict }) => [label, String(n), share(ok, n), share(strict, n)];
  printTable(
    ["acceptable", "cases", "plain", "strict"],
    [
      row("all", { ...result.overall, strict: result.strict.ok }),
      ...Object.entries(result.langs).map(([lang, counts]) => row(`language ${lang}`, counts)),
      ...Object.entries(result.groups).map(([group, counts]) => row(group, counts)),
    ],
  );
  printCalibration(bench, suggestions, new Set(result.failures.map(({ id }) => id)), encode !== undefined);
  if (own.quiet !== true) printWorst(suggestions, result.failures);
  bench.check(
    `not acceptable, strictly${encode === undefined ? ", without the encoder" : ""}`,
    exactly(1 - result.strict.ok / result.strict.n),
    1 - LEAST,
  );
}

/** Suggests names as a gateway does: one by one, with vectors if there is an encoder. */
async function suggest(
  { readSubject, thoughtOf, nameThoughts, sourceVectors, model },
  subjects,
  taken,
  encode,
) {
  const thoughts = [];
  for (const subject of subjects) {
    const read = readSubject(subject, model);
    const [intent, rest] = [read.source.intent, read.source.rest].map((words) =>
      encode === undefined || words.length === 0 ? undefined : encode(words),
    );
    thoughts.push(thoughtOf(read, model, sourceVectors(await intent, await rest)));
  }
  return nameThoughts(thoughts, taken);
}

/** What a gateway knows about it: its parameters are the fields of `args` that the code reads. */
function subjectOf({ id, intent, code, tools_used }) {
  const parameters = [...new Set([...code.matchAll(/\bargs\.(\w+)/g)].map(([, name]) => name))];
  return { id, intent, code, tools: tools_used.map((tool) => ({ id: tool })), parameters };
}

function printCalibration(bench, suggestions, bad, isChecked) {
  const counted = (from, to) => {
    const some = suggestions.filter(({ confidence }) => confidence > from && confidence <= to);
    return { n: some.length, ok: some.filter(({ id }) => !bad.has(id)).length };
  };
  printTable(
    ["confidence", "cases", "acceptable"],
    BINS.slice(1)
      .map((to, index) => ({ from: BINS[index], to, ...counted(BINS[index], to) }))
      .filter(({ n }) => n > 0)
      .map(({ from, to, n, ok }) => [`${from} to ${to}`, String(n), share(ok, n)]),
  );
  const sure = counted(SURE, 1);
  console.log(`over ${SURE}: ${share(sure.ok, sure.n)} of ${sure.n} acceptable\n`);
  if (isChecked && sure.n > 0)
    bench.check(`not acceptable of those over ${SURE}`, exactly(1 - sure.ok / sure.n), 1 - LEAST_SURE);
}

function printWorst(suggestions, failures) {
  const byId = new Map(suggestions.map((one) => [one.id, one]));
  printTable(
    ["not acceptable", "suggested", "confidence", "why", "ideal"],
    failures.map(({ id, name, ideal, problems, form }) => [
      id,
      name,
      byId.get(id).confidence.toFixed(2),
      [...problems, ...form].join(", "),
      ideal,
    ]),
  );
}

async function measureMany(bench, suggestNames) {
  const subjects = manySubjects();
  const taken = { isTaken: (name) => name.endsWith("_rows") };
  const rounds = bench.options.rounds ?? ROUNDS;
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    suggestNames(subjects, taken);
    times.push(performance.now() - start);
  }
  const { value, bytes } = await measuredHeap(async () => suggestNames(subjects, taken));
  const distinct = new Set(value.map(({ name }) => name)).size;
  times.sort((a, b) => a - b);
  printTable(
    [`${MANY.toLocaleString("en")} unnamed`, "min ms", "p50 ms", "µs each", "heap kept, KiB", "names"],
    [
      [
        "at once",
        times[0].toFixed(0),
        times[times.length >> 1].toFixed(0),
        ((1_000 * times[times.length >> 1]) / MANY).toFixed(0),
        (bytes / 1_024).toFixed(0),
        String(distinct),
      ],
    ],
  );
  if (distinct !== MANY) throw new Error(`${MANY - distinct} names were given twice`);
}

/**
 * Code as agents write it: reads, filters, writes, with many different words; every tenth is a near-duplicate of
 * another.
 */
function manySubjects() {
  const things = "orders invoices users tickets reports builds images pages leads sensors".split(" ");
  const states = "open stale failed overdue unused late broken paid empty recent".split(" ");
  const verbs = "List Find Count Delete Archive Export Close Summarize Rename Check".split(" ");
  const servers = "postgres github slack filesystem jira stripe".split(" ");
  return Array.from({ length: MANY }, (_, index) => {
    const thing = things[index % 10];
    const state = states[Math.floor(index / 10) % 10];
    const verb = verbs[Math.floor(index / 100)];
    const server = servers[index % servers.length];
    const tool = `list_${thing}`;
    return {
      id: `c${index}`,
      intent: `${verb} the ${state} ${thing} of the last ${1 + (index % 30)} days`,
      code: `const { items } = await mcp.${server}.${tool}({ since: args.since, status: "${state}" });
const found = items.filter((item) => item.state === "${state}" && item.age > ${index});
for (const item of found) await mcp.${server}.update_${thing}({ id: item.id, note: "${verb} ${index}" });
return found.map((item) => ({ id: item.id, name: item.name }));`,
      tools: [{ id: `${server}:${tool}` }, { id: `${server}:update_${thing}` }],
      parameters: ["since"],
    };
  });
}

function share(ok, n) {
  return n === 0 ? "-" : `${((100 * ok) / n).toFixed(1)} %`;
}

/** A share has no spread: the same cases give the same names. */
function exactly(value) {
  return { middle: value, low: value, high: value };
}
