/**
 * The same ten tasks, cold and warm: what passes through a model's context, how often, and how long the tools take.
 *
 *   classic         the agent calls the tools of the servers itself, and sees every result
 *   cold            it sends code, which is run and remembered
 *   warm            it calls what was remembered, a tool like any other
 *   by intent       it says what it wants and gives the values; what fits is run where that is sure
 *
 * Real servers, and an agent that is a script: it makes no mistakes and needs no time to think, in any of the ways.
 * Calls that can be made together count as one round trip, since models can do that. What the agent says to its user in
 * the end is the same in all ways, and left out. A turn of the model comes with every round trip, takes seconds, and
 * is no part of the time. The ways have files of their own, alike but for a tag, so that no cache
 * knows an answer. Tokens are estimated: a quarter of the bytes.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { TASKS as ALL_TASKS, writeFiles } from "./fixtures/ten-tasks.mjs";
import { builds } from "./harness/build.mjs";
import { connectStdio } from "./harness/clients.mjs";
import { backgroundHome } from "./harness/gateways.mjs";
import { sized } from "./harness/options.mjs";
import { median, medianWithSpread } from "./harness/sampling.mjs";
import { gatewayPool } from "./harness/sandboxes.mjs";
import { EVERYTHING, FILESYSTEM, MEMORY } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark, pause } from "./harness/workbench.mjs";

const ROUNDS = 3;
const TASKS = sized(ALL_TASKS, ALL_TASKS.slice(0, 2));
const BYTES_A_TOKEN = 4;
/** Until what has run is counted, and trusted for it. */
const COUNTED_MS = 1_500;

const WAYS = { classic: "aaaaaa", cold: "bbbbbb", warm: "cccccc", "by intent": "dddddd" };
/** Warm against the others, all tasks together. */
const TOKENS_MOST = 0.25;
const TRIPS_MOST = 0.5;
const TIME_MOST = 1;

/** Which list an agent has before it. */
const LISTS = { classic: "classic", cold: "before", warm: "after", "by intent": "after" };
const LEAN_LISTS = { classic: "classic", cold: "leanBefore", warm: "leanAfter", "by intent": "leanAfter" };

/** What costs of two steps are added up by. */
const ADDED = ["sent", "received", "read", "trips", "ms"];

await benchmark("cold-warm", `${TASKS.length} tasks, first and later`, async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const [build] = await builds(bench);
  const found = [];
  for (let round = 0; round < rounds; round += 1) found.push(await oneRound(bench, build));
  printTasks(found);
  printTotals(found);
  printLists(found);
  printSpread(rounds);
  for (const other of ["classic", "cold"])
    bench.check(`tokens of warm calls, against ${other}`, ratio(found, "warm", other, tokens), TOKENS_MOST);
  bench.check(
    "round trips of warm calls, against classic",
    ratio(found, "warm", "classic", trips),
    TRIPS_MOST,
  );
  bench.check(
    "time of warm calls, against cold",
    ratio(found, "warm", "cold", (cost) => cost.ms),
    TIME_MOST,
  );
});

/** A gateway that knows nothing yet, and servers of the agent's own, on files alike. */
async function oneRound(bench, build) {
  const root = bench.directory("files");
  const folders = Object.fromEntries(Object.entries(WAYS).map(([way, tag]) => [way, writeFiles(root, tag)]));
  const lists = {};
  const classic = await classicAgent(bench, root, lists);
  const pml = await pmlAgent(bench, build, root, lists);
  const steps = { classic, ...pml.ways };
  /** @type {Map<object, Record<string, Cost>>} */
  const costs = new Map(TASKS.map((task) => [task, {}]));
  for (const [way, step] of Object.entries(steps)) {
    await pml.before[way]?.();
    for (const task of TASKS) costs.get(task)[way] = await step(task, task.args(folders[way], WAYS[way]));
  }
  await Promise.all([...classic.clients, pml.client].map((client) => client.close()));
  await pml.home.stop();
  for (const [task, { cold, warm, "by intent": byIntent }] of costs)
    for (const other of [warm, byIntent]) sameResult(task, cold, other);
  return { costs, lists };
}

/**
 * @typedef {object} Cost
 * @property {number} sent tokens
 * @property {number} received tokens
 * @property {number} read tokens of the conversation that the model reads in all of its turns together, the last included
 * @property {number} trips
 * @property {number} ms
 * @property {string | undefined} result as JSON, without the tag
 * @property {string | undefined} notRun why it was suggested only
 */

async function classicAgent(bench, root, lists) {
  const servers = Object.entries(serversOn(bench, root));
  const clients = new Map();
  for (const [name, args] of servers) clients.set(name, await connectStdio(bench, "other", args));
  lists.classic = 0;
  for (const client of clients.values()) lists.classic += await listTokens(client);
  const agent = async (task, args) => {
    const cost = newCost();
    let under = 0;
    await task.classic(async (server, name, given) => {
      // Whatever is called while something is under way was called with it.
      if (under === 0) beginTrip(cost);
      under += 1;
      const answer = await timedCall(cost, clients.get(server), name, given, { adds: under === 1 });
      under -= 1;
      return answer;
    }, args);
    return ended(cost);
  };
  return Object.assign(agent, { clients: [...clients.values()] });
}

async function pmlAgent(bench, build, root, lists) {
  const home = backgroundHome(bench, build, serversOn(bench, root), { approvals: { unannotated: "auto" } });
  writeFileSync(
    join(dirname(home.config), "mcp-permissions.yaml"),
    "servers:\n  filesystem:\n    tools:\n      write_file:\n        approvalMode: auto\n",
  );
  const client = await connectStdio(bench, "pml", home.serve());
  const whenFull = await gatewayPool(build, home);
  // The first run of a gateway compiles what all others use.
  await client.callTool({ name: "pml_execute", arguments: { intent: "warm up", code: "return 1;" } });
  lists.before = await listTokens(client);
  lists.leanBefore = await listTokens(client, isLean);
  let names = [];
  const execute = async (request) => {
    const cost = beginTrip(newCost());
    await whenFull();
    const { structuredContent } = await timedCall(cost, client, "pml_execute", request);
    return { cost: ended(cost), answer: structuredContent };
  };
  const warm = async ({ name }, args, way = "warm") => {
    const cost = beginTrip(newCost());
    await whenFull();
    const called = wireName(names, name);
    const { structuredContent, isError, _meta } = await timedCall(cost, client, called, args);
    if (isError || _meta?.["pml/run"]?.cacheHit !== undefined)
      throw new Error(`${name}: ${JSON.stringify({ structuredContent, _meta })}`);
    const { result = structuredContent } = structuredContent;
    return { ...ended(cost), result: plain(result, way) };
  };
  const ways = {
    cold: async ({ name, intent, code }, args) => {
      const { cost, answer } = await execute({ intent, code, args, name });
      if (answer.status !== "success") throw new Error(`${name}: ${JSON.stringify(answer)}`);
      return { ...cost, result: plain(answer.result, "cold") };
    },
    warm: (task, args) => warm(task, args),
    // What is only suggested is called then, by the name that the suggestion gives.
    "by intent": async (task, args) => {
      const { cost, answer } = await execute({ intent: task.again, context: args });
      if (answer.status === "success") return { ...cost, result: plain(answer.result, "by intent") };
      const called = await warm(task, args, "by intent");
      const added = Object.fromEntries(ADDED.map((key) => [key, cost[key] + called[key]]));
      // The second turn has the first step before it.
      const read = added.read + tokens(cost);
      return { ...called, ...added, read, notRun: notRunOf(answer) };
    },
  };
  const before = {
    warm: async () => {
      await pause(COUNTED_MS);
      const { tools } = await client.listTools(undefined, { cacheMode: "bypass" });
      names = tools.map(({ name }) => name);
      lists.after = await listTokens(client);
      lists.leanAfter = await listTokens(client, isLean);
    },
    "by intent": () => pause(COUNTED_MS),
  };
  return { home, client, ways, before };
}

/** The servers as arguments of `node`; the graph is kept in a file of its own, which its server is told by its environment. */
function serversOn(bench, root) {
  const directory = bench.directory("graph");
  const file = join(directory, "environment");
  writeFileSync(file, `MEMORY_FILE_PATH=${join(directory, "graph.jsonl")}\n`);
  mkdirSync(root, { recursive: true });
  return {
    filesystem: [FILESYSTEM[0], root],
    memory: [`--env-file=${file}`, ...MEMORY],
    everything: EVERYTHING,
  };
}

function newCost() {
  return { sent: 0, received: 0, read: 0, trips: 0, ms: 0, result: undefined, notRun: undefined };
}

/** The model has read all that was said before. */
function beginTrip(cost) {
  cost.read += tokens(cost);
  cost.trips += 1;
  return cost;
}

/** It reads everything once more, to answer. */
function ended(cost) {
  return { ...cost, read: cost.read + tokens(cost) };
}

/** Calls at the same time are waited for once. */
async function timedCall(cost, client, name, args, { adds = true } = {}) {
  const started = performance.now();
  const answer = await client.callTool({ name, arguments: args });
  if (adds) cost.ms += performance.now() - started;
  const text = answer.content.map((part) => part.text ?? "").join("\n");
  if (answer.isError && name !== "pml_execute") throw new Error(`${name}: ${text}`);
  cost.sent += tokensOf(JSON.stringify({ name, arguments: args }));
  cost.received += tokensOf(text);
  return answer;
}

function tokensOf(text) {
  return Buffer.byteLength(text) / BYTES_A_TOKEN;
}

/** What a client hands its model of a list. */
async function listTokens(client, isListed = () => true) {
  const { tools } = await client.listTools(undefined, { cacheMode: "bypass" });
  const shown = tools
    .filter(({ name }) => isListed(name))
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return tokensOf(JSON.stringify(shown));
}

/** Whether a gateway that keeps the tools of servers out of its list has this in it. */
function isLean(name) {
  return !/^mcp__(filesystem|memory|everything)__/.test(name);
}

function wireName(names, capability) {
  const [namespace, action] = capability.split(":");
  const name = names.find((text) => new RegExp(`${namespace}_+${action}$`).test(text));
  if (name === undefined) throw new Error(`no ${capability} among ${names.join(", ")}`);
  return name;
}

function plain(result, way) {
  return JSON.stringify(result).replaceAll(WAYS[way], "…");
}

function sameResult({ name }, { result }, other) {
  if (other.result !== result) throw new Error(`${name}: the first time ${result}, later ${other.result}`);
}

function notRunOf({ status, error, suggestions }) {
  const [first] = suggestions?.capabilities ?? [];
  return error?.message ?? first?.notRun ?? status;
}

function tokens({ sent, received }) {
  return sent + received;
}

function trips(cost) {
  return cost.trips;
}

function printTasks(found) {
  const ways = Object.keys(WAYS);
  printTable(
    ["task: tokens sent + received, round trips, ms", ...ways],
    TASKS.map((task) => [
      task.title,
      ...ways.map((way) => {
        const costs = found.map(({ costs }) => costs.get(task)[way]);
        const of = (figure) => median(costs.map(figure));
        const shown = `${of(({ sent }) => sent).toFixed(0)} + ${of(({ received }) => received).toFixed(0)}, ${of(trips)}, ${ms(of((cost) => cost.ms))}`;
        return costs.some(({ notRun }) => notRun !== undefined) ? `(${shown})` : shown;
      }),
    ]),
  );
  const [{ costs }] = found;
  for (const task of TASKS) {
    const { notRun } = costs.get(task)["by intent"];
    if (notRun !== undefined) console.log(`(${task.title}: suggested and then called: ${notRun})\n`);
  }
}

function printTotals(found) {
  const ways = Object.keys(WAYS);
  const figures = [
    ["tokens sent", ({ sent }) => sent],
    ["tokens received", ({ received }) => received],
    ["tokens sent and received", tokens],
    ["round trips", trips],
    ["tokens read in all turns", ({ read }) => read],
    ["the same with tools/list", withList(LISTS)],
    ["the same with tools/list, pml lean", withList(LEAN_LISTS)],
    ["ms of the tools", (cost) => cost.ms],
  ];
  printTable(
    ["all tasks", ...ways, "cold × classic", "warm × classic", "warm × cold"],
    figures.map(([label, figure]) => [
      label,
      ...ways.map((way) => median(found.map((round) => total(round, way, figure))).toFixed(0)),
      times(ratio(found, "cold", "classic", figure)),
      times(ratio(found, "warm", "classic", figure)),
      times(ratio(found, "warm", "cold", figure)),
    ]),
  );
}

/** Every turn, the last included, has the list before it. */
function withList(listOf) {
  return (cost, way, { lists }) => cost.read + (cost.trips + 1) * lists[listOf[way]];
}

function printLists(found) {
  const of = (key) => median(found.map(({ lists }) => lists[key])).toFixed(0);
  printTable(
    ["tools/list, once a session", "tokens"],
    [
      ["the servers themselves", of("classic")],
      ["pml, all servers behind, before", of("before")],
      [`pml, ${TASKS.length} capabilities later`, of("after")],
      ["pml, lean, before", of("leanBefore")],
      [`pml, lean, ${TASKS.length} capabilities later`, of("leanAfter")],
    ],
  );
}

function total(round, way, figure) {
  return [...round.costs.values()].reduce((sum, cost) => sum + figure(cost[way], way, round), 0);
}

function ratio(found, way, other, figure) {
  return medianWithSpread(found.map((round) => total(round, way, figure) / total(round, other, figure)));
}
