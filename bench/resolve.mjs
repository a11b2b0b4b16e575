/**
 * Resolving names in memory, against a bare `Map.get` with the same names in the same run.
 *
 * Names are asked for in random order, as text that was just read from somewhere: not the very strings that are
 * stored, whose hashes are known already.
 */
import { createHash } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { builds } from "./harness/build.mjs";
import { interleave, ratioOf, summary } from "./harness/sampling.mjs";
import { printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark } from "./harness/workbench.mjs";

const ROUNDS = 25;
const SIZES = [10_000, 1_000_000];
const LOOKUPS = 20_000;
const SCOPE = { org: "local", project: "default", user: "ada" };

const MOST = 10;

/** What is the same for all of them, and so counts once: real ones are as much larger as their intents and schemas. */
const PARAMETERS = { type: "object", properties: {}, required: [], additionalProperties: false };
const NONE = [];
const CREATORS = ["ada@local"];
const CREATED_AT = new Date();

await benchmark("resolve", "names of capabilities in memory, in process", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const [build] = await builds(bench);
  const { CapabilityDirectory } = await build.load("registry/capability-directory.js");
  for (const size of SIZES) {
    const records = measuredHeap(() => Array.from({ length: size }, (_, index) => capability(index)));
    const directory = measuredHeap(() => new CapabilityDirectory(records.value));
    const bare = measuredHeap(() => new Map(records.value.map((one) => [one.displayName, one])));
    const asked = Array.from({ length: LOOKUPS }, () => capability(Math.floor(Math.random() * size)));
    const { value: all } = directory;
    const paths = [
      path(
        "Map.get",
        asked,
        ({ displayName }) => displayName,
        (text) => bare.value.get(text),
      ),
      path(
        "by name",
        asked,
        ({ displayName }) => displayName,
        (text) => all.resolve(text, SCOPE),
      ),
      path(
        "by alias",
        asked,
        ({ aliases }) => aliases[0],
        (text) => all.resolve(text, SCOPE),
      ),
      path(
        "by FQDN",
        asked,
        ({ fqdn }) => fqdn,
        (text) => all.resolve(text, SCOPE),
      ),
      path(
        "by id",
        asked,
        ({ id }) => id,
        (text) => all.resolve(text, SCOPE),
      ),
      path(
        "spelled otherwise",
        asked,
        ({ displayName }) => displayName.toUpperCase(),
        (text) => all.resolve(text, SCOPE),
      ),
      path(
        "with a version",
        asked,
        ({ displayName }) => `${displayName}@v1`,
        (text) => all.resolve(text, SCOPE),
      ),
      path(
        "no such name",
        asked,
        ({ displayName }) => `${displayName}x`,
        (text) => all.resolve(text, SCOPE) === undefined,
      ),
    ];
    for (const one of paths) for (let time = 0; time < 3; time += 1) one.sample();
    const series = await interleave(paths, rounds, async (one) => one.sample());
    const base = series.get(paths[0]);
    printTable(
      [`${size.toLocaleString("en")} names`, "min ns", "p50 ns", "p95 ns", "p50 × Map.get"],
      paths.map((one) => {
        const { min, p50, p95 } = summary(series.get(one));
        return [
          one.label,
          min.toFixed(0),
          p50.toFixed(0),
          p95.toFixed(0),
          times(ratioOf(series.get(one), base)),
        ];
      }),
    );
    const each = (bytes) => (bytes / size).toFixed(0);
    printTable(
      ["memory", "bytes a record"],
      [
        ["the records themselves", each(records.bytes)],
        ["the directory, beside them", each(directory.bytes)],
        ["a bare Map, beside them", each(bare.bytes)],
      ],
    );
    for (const one of paths.slice(1, 4))
      bench.check(`${one.label}, ${size.toLocaleString("en")} names`, ratioOf(series.get(one), base), MOST);
  }
  printSpread(rounds);
});

/** A way to look up; `sample` answers nanoseconds per lookup. */
function path(label, asked, textOf, resolve) {
  const texts = asked.map((one) => flat(textOf(one)));
  return {
    label,
    sample: () => {
      const started = performance.now();
      let missed = 0;
      for (const text of texts) if (!resolve(text)) missed += 1;
      const took = performance.now() - started;
      if (missed > 0) throw new Error(`${label}: ${missed} not found`);
      return (took * 1_000_000) / texts.length;
    },
  };
}

/** As the store gives it back: one literal, so that its shape is that of a real one. */
function capability(index) {
  const codeHash = createHash("sha256").update(String(index)).digest("hex");
  const action = `do_thing_${index}`;
  return {
    fqdn: flat(`local.default.ns${index % 50}.${action}.${codeHash.slice(0, 4)}`),
    id: flat(codeHash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")),
    displayName: flat(`ns${index % 50}:${action}`),
    isNamed: true,
    org: SCOPE.org,
    project: SCOPE.project,
    namespace: flat(`ns${index % 50}`),
    action: flat(action),
    source: "code",
    codeHash,
    intent: "do a thing",
    description: undefined,
    parameters: PARAMETERS,
    toolsUsed: NONE,
    dependencies: NONE,
    routing: "local",
    visibility: "project",
    tags: NONE,
    version: 1,
    versionTag: undefined,
    trust: "provisional",
    usageCount: 1,
    successCount: 1,
    totalLatencyMs: 10,
    createdBy: "ada@local",
    creators: CREATORS,
    createdAt: CREATED_AT,
    updatedAt: undefined,
    aliases: [flat(`old${index % 50}:${action}`)],
    revision: 1,
  };
}

/** A string of its own that nobody has looked up yet, as it comes from a socket. */
function flat(text) {
  return Buffer.from(text).toString();
}

function measuredHeap(make) {
  collect();
  const before = process.memoryUsage().heapUsed;
  const value = make();
  collect();
  return { value, bytes: process.memoryUsage().heapUsed - before };
}

function collect() {
  setFlagsFromString("--expose_gc");
  runInNewContext("gc")();
}
