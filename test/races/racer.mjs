/**
 * One gateway's registry in a process of its own, on a store that others share: pool, memory and feed are real, and
 * the built ones. It does what it is told, a line of JSON each, and answers with a line.
 */
import { createHash, randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { silentLog } from "../../dist/base/log.js";
import { PostgresChangeFeed } from "../../dist/postgres/change-feed.js";
import { openStore } from "../../dist/postgres/open-store.js";
import { CapabilityRegistry } from "../../dist/registry/capability-registry.js";
import { foldDisplayName } from "../../dist/registry/display-name.js";

const [url, user, project] = process.argv.slice(2);
const scope = { org: "acme", project, user };
const store = await openStore({ url, dataDir: "", log: silentLog });
const feed = new PostgresChangeFeed({ database: store.database, log: silentLog });
const registry = new CapabilityRegistry({ store: store.capabilities, log: silentLog, feed });
await registry.loaded();

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** Shows what was signed. */
const sign = ({ fqdn, canonicalCode }) => ({
  signature: `signed ${fqdn} ${sha256(canonicalCode)}`,
  publicKey: "key",
});

function trace(success = true) {
  return {
    traceId: randomUUID(),
    workflowId: "w",
    intent: "race",
    executedPath: [],
    decisions: [],
    loops: [],
    tasks: [],
    success,
    durationMs: 1,
    argsHash: sha256("{}"),
    executedAt: new Date(),
    scope,
  };
}

function fresh(code, { name, update = false, runs = true, forkedFrom }) {
  return {
    scope,
    name,
    inferredNamespace: "util",
    source: "code",
    intent: "race",
    description: undefined,
    code,
    savedCode: code,
    canonicalCode: code,
    codeHash: sha256(code),
    parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
    toolsUsed: [],
    dependencies: [],
    routing: "local",
    routingSource: "tools",
    structure: { nodes: [], edges: [] },
    liftedCode: code,
    analysisVersion: 1,
    versionTag: undefined,
    changeSummary: undefined,
    update,
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(runs ? { trace: trace() } : {}),
  };
}

/** Each answers with a line of text, or throws. */
const deeds = {
  async learn({ code, ...more }) {
    const { capability, version, kind } = await registry.learn(fresh(code, more), sign);
    return `${capability.deletedAt === undefined ? kind : `${kind}-though-deleted`} ${capability.fqdn}@${version}`;
  },
  async rename({ fqdn, name, visibility }) {
    const newName = name === undefined ? {} : { newName: name };
    const seen = visibility === undefined ? {} : { visibility };
    return (await registry.rename({ fqdn, scope, actor: "user", ...newName, ...seen })).displayName;
  },
  async delete({ fqdn, reserveDays = 30 }) {
    return (await registry.delete({ fqdn, scope, reserveDays })).displayName;
  },
  async undelete({ fqdn }) {
    return (await registry.undelete({ fqdn, scope })).displayName;
  },
  async use({ fqdn, version }) {
    for (const one of await store.capabilities.addUses([{ fqdn, version, trace: trace() }]))
      registry.directory.put(one);
    return "used";
  },
  async find({ text }) {
    const { capability, version, warnings } = await registry.find(text, scope);
    return `${capability.fqdn}@${version}${warnings.length > 0 ? " by an alias" : ""}`;
  },
  /** The same without memory: what is in the tables at this moment. */
  async findStored({ text }) {
    const { org } = scope;
    const found = await store.capabilities.find({ kind: "name", org, project, fold: foldDisplayName(text) });
    const live = found.filter(({ deletedAt }) => deletedAt === undefined);
    if (live.length !== 1)
      throw new Error(`${text} is held by ${live.length}: ${live.map(({ fqdn }) => fqdn)}`);
    return `${live[0].fqdn}@${live[0].version}`;
  },
  /** Renames, deletes, forks, … the capability that has that name, as an agent does it. */
  async renameNamed({ text, name }) {
    return await deeds.rename({ fqdn: (await registry.findToChange(text, scope)).capability.fqdn, name });
  },
  async deleteNamed({ text, reserveDays }) {
    const { fqdn } = (await registry.findToChange(text, scope)).capability;
    return await deeds.delete({ fqdn, reserveDays });
  },
  async undeleteNamed({ text }) {
    return await deeds.undelete({ fqdn: (await registry.findDeleted(text, scope)).fqdn });
  },
  async forkNamed({ text, name }) {
    const { capability, version } = await registry.find(text, scope);
    const { code } = await store.capabilities.version(capability.fqdn, version);
    return await deeds.learn({ code, name, runs: false, forkedFrom: capability.fqdn });
  },
  async useNamed({ text }) {
    const { capability, version } = await registry.find(text, scope);
    return await deeds.use({ fqdn: capability.fqdn, version });
  },
};

/** `+` and the answer, or the code of the error; what has none, or is the store's, comes with its message. */
async function done(deed) {
  try {
    return `+${await deeds[deed.do](deed)}`;
  } catch (error) {
    const isPlain = error.code !== undefined && error.code !== "STORE_FAILED";
    return isPlain ? error.code : `${error.code ?? "THROWN"}: ${error.message} (${JSON.stringify(deed)})`;
  }
}

const orders = {
  /** All at once. */
  all: ({ deeds: all }) => Promise.all(all.map(done)),

  /** One after the other in so many lanes; answers how often each answer came, and the time at the end. */
  async lanes({ deeds: all, lanes }) {
    const counts = {};
    const left = all.values();
    const lane = async () => {
      for (const deed of left) {
        const answer = (await done(deed)).replace(/^\+.*$/s, "done");
        const key = `${deed.do} ${answer}`;
        counts[key] = (counts[key] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return counts;
  },

  /** Does these over and over until told to stop; answers how often, and every answer that was not one of `expected`. */
  async readUntilStopped({ deeds: all }) {
    const wrong = [];
    let reads = 0;
    while (!isStopped && wrong.length < 20) {
      for (const { expected, ...deed } of all) {
        const answer = await done(deed);
        reads += 1;
        if (!answer.startsWith(`+${expected}@`)) wrong.push(`${JSON.stringify(deed)}: ${answer}`);
      }
      // Answers from memory come without a turn of the event loop: others must have theirs.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { reads, wrong };
  },

  stop() {
    isStopped = true;
    return "stopped";
  },

  /** Asks over and over until the answer is `expected`; answers when that was, or what the last answer was. */
  async watch({ deed, expected, ms }) {
    const end = Date.now() + ms;
    let answer = await done(deed);
    while (answer !== expected && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      answer = await done(deed);
    }
    return { at: Date.now(), answer };
  },

  async timed({ deed }) {
    const answer = await done(deed);
    return { at: Date.now(), answer };
  },

  /** All that memory has: what it would answer from. */
  memory() {
    return [...registry.directory.all()]
      .filter((one) => one.project === project)
      .map(
        (one) => `${one.fqdn}@${one.version} ${one.displayName} ${one.aliases.join(",")} ${one.visibility}`,
      )
      .sort((a, b) => (a < b ? -1 : 1));
  },
};

let isStopped = false;

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { id, order, ...rest } = JSON.parse(line);
  Promise.resolve(orders[order](rest)).then(
    (value) => process.stdout.write(`${JSON.stringify({ id, value })}\n`),
    (error) => process.stdout.write(`${JSON.stringify({ id, error: String(error?.stack ?? error) })}\n`),
  );
}
await registry.stop();
await store.close();
