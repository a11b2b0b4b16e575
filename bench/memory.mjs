/**
 * Measures the idle memory of a gateway with three servers: all of PML's own processes, by process, some time after the
 * start. Processes of the servers behind it are shown, but not counted.
 */
import { builds } from "./harness/build.mjs";
import { connectHttp, connectStdio } from "./harness/clients.mjs";
import { backgroundHome, startPmlHttp } from "./harness/gateways.mjs";
import { sized } from "./harness/options.mjs";
import { startPeers } from "./harness/peers.mjs";
import { commandOf, hasProc, memoryOf, treeOf } from "./harness/processes.mjs";
import { medianWithSpread } from "./harness/sampling.mjs";
import { EVERYTHING, FILESYSTEM, MEMORY } from "./harness/servers.mjs";
import { printSpread, printTable } from "./harness/table.mjs";
import { benchmark, endGroup, pause } from "./harness/workbench.mjs";

const ROUNDS = 1;
const IDLE_MS = sized(60_000, 1);
/** Longer than the pause: a gateway whose only client is on HTTP must not end during it. */
const DAEMON = { daemon: { idleSeconds: 120 } };

/** [SC-1] */
const OWN_MOST_MB = 200;

const IDLE = "background gateway and pml serve, unused";
const USED = "background gateway and pml serve, after a run and a search";
const STATES = sized([IDLE, USED], [USED]);

const servers = { everything: EVERYTHING, ...sized({ filesystem: FILESYSTEM, memory: MEMORY }, {}) };
const serverScripts = Object.values(servers).map(([script]) => script);
/** A file or program on the command line of a process shows which part of PML it is. */
const PARTS = [
  ["main.js", "pml serve"],
  ["background.js", "gateway"],
  ["broker.js", "broker"],
  ["model-child.js", "model"],
  ["quickjs-child.js", "guest"],
  ["deno", "guest"],
];

await benchmark("memory", `idle memory ${IDLE_MS / 1_000} s after the start`, async (bench) => {
  if (!hasProc) return console.log("left out: it reads /proc, which this system does not have\n");
  const rounds = bench.options.rounds ?? ROUNDS;
  const measured = await builds(bench);
  /** @type {Map<string, { rss: number, pss: number, servers: number, parts: string }[]>} */
  const found = new Map();
  for (let round = 0; round < rounds; round += 1) {
    for (const start of startsOf(bench, measured)) {
      const { subjects, end } = await start();
      await pause(IDLE_MS);
      for (const { label, pids } of subjects) found.set(label, [...(found.get(label) ?? []), sizeOf(pids)]);
      await end();
    }
  }
  printTable(
    ["what runs", "PSS MB", "RSS MB", "PSS by process", "its servers, PSS MB"],
    [...found].map(([label, sizes]) => [
      label,
      mb(sizes.map(({ pss }) => pss)),
      mb(sizes.map(({ rss }) => rss)),
      sizes.at(-1).parts,
      mb(sizes.map((size) => size.servers)),
    ]),
  );
  printSpread(rounds);
  const [{ label }] = measured;
  for (const what of STATES)
    bench.check(
      `MB (PSS) of ${label}, ${what}`,
      medianWithSpread(found.get(`${label}: ${what}`).map(({ pss }) => pss)),
      OWN_MOST_MB,
    );
});

/**
 * One after the other: two gateways at once share pages of the same program, and each would seem smaller than it is.
 */
function startsOf(bench, measured) {
  const background = measured.flatMap((build) =>
    STATES.map((what) => () => startBackground(bench, build, what)),
  );
  return [...background, () => startOthers(bench, measured)];
}

async function startBackground(bench, build, what) {
  const home = backgroundHome(bench, build, servers, DAEMON);
  const client = await connectStdio(bench, "pml", home.serve());
  if (what === USED) await work(client);
  const pids = [client.pid, await home.gatewayPid()];
  const end = async () => {
    await client.close();
    await home.stop();
  };
  return { subjects: [{ label: `${build.label}: ${what}`, pids }], end };
}

/** The others, for comparison: all at once. */
async function startOthers(bench, measured) {
  const ends = [];
  const bare = bench.spawn("other", process.execPath, ["-e", "setInterval(() => {}, 1e9)"], {
    stdio: "ignore",
  });
  ends.push(() => endGroup(bare));
  const subjects = [{ label: "bare node", pids: [bare.pid] }];
  for (const build of measured) {
    const http = await startPmlHttp(bench, build, servers);
    subjects.push({ label: `${build.label} serve --http`, pids: [http.pid] });
    ends.push(() => http.end());
  }
  for (const { label, pid, url, sse, end } of await startPeers(bench, servers)) {
    ends.push(end);
    try {
      // Connects a client to each: some start their server only then.
      const client = await connectHttp(bench, url, { sse });
      ends.push(() => client.close());
      subjects.push({ label, pids: [pid] });
    } catch (error) {
      console.log(`left out: ${label} cannot be reached (${error.message})\n`);
    }
  }
  const end = async () => {
    for (const each of ends.reverse()) await each();
  };
  return { subjects, end };
}

async function work(client) {
  const code = `return await mcp.everything.echo({ message: "hello" });`;
  for (const [name, args] of [
    ["pml_execute", { intent: "say hello", code }],
    ["pml_discover", { intent: "read a file" }],
  ]) {
    const { isError } = await client.callTool({ name, arguments: args });
    if (isError === true) throw new Error(`${name} has failed`);
  }
}

/** The size of these processes and all their descendants; servers and their descendants are counted separately. */
function sizeOf(roots) {
  const all = [...new Set(roots.flatMap(treeOf))];
  const theirs = new Set(all.filter((pid) => serverScripts.includes(commandOf(pid)[1])).flatMap(treeOf));
  const own = all.filter((pid) => !theirs.has(pid)).map((pid) => ({ part: partOf(pid), ...memoryOf(pid) }));
  return {
    rss: sum(own.map(({ rss }) => rss)),
    pss: sum(own.map(({ pss }) => pss)),
    servers: sum([...theirs].map((pid) => memoryOf(pid).pss)),
    parts: own.map(({ part, pss }) => `${part} ${pss.toFixed(0)}`).join(", "),
  };
}

function partOf(pid) {
  const command = commandOf(pid);
  return PARTS.find(([word]) => command.some((each) => each.includes(word)))?.[1] ?? "other";
}

function mb(values) {
  const { middle } = medianWithSpread(values);
  return `${middle.toFixed(0)} (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
