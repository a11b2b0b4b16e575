/**
 * Measures the same tasks, the first time and later: the tokens in a model's context, the round trips, and the time of
 * the tools. All settings are defaults.
 *
 *   direct       the agent calls the tools of the servers itself, and sees every result
 *   cold         it sends code, which is run and remembered; it knows the tools from earlier use
 *   asking first like cold, but it first asks which tools exist for its intent
 *   warm         it calls the remembered capability; if that is not in its list of tools, it asks for it first
 *   by intent    it gives its intent and the values; a certain match runs at once, else it calls the match
 *
 * The servers are real. The agent is a script: in each way it makes no mistakes and needs no time to think. Calls that
 * can be made together count as one round trip, because models can do that. Each round trip also has a turn of the
 * model, which takes seconds and is not part of the time. Each way has its own files, which differ only in a tag, so
 * that no cache has an answer.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { graphLines, TEN_TASKS, writeFiles } from "./fixtures/agent-tasks.mjs";
import { TWENTY_TASKS } from "./fixtures/twenty-tasks.mjs";
import { builds } from "./harness/build.mjs";
import { connectStdio } from "./harness/clients.mjs";
import { Conversation, Session } from "./harness/conversation.mjs";
import { fillStore } from "./harness/filled-store.mjs";
import { backgroundHome } from "./harness/gateways.mjs";
import { sized } from "./harness/options.mjs";
import { median, medianWithSpread } from "./harness/sampling.mjs";
import { gatewayPool } from "./harness/sandboxes.mjs";
import { EVERYTHING, FILESYSTEM, MEMORY, manyTools } from "./harness/servers.mjs";
import { ms, printSpread, printTable, times } from "./harness/table.mjs";
import { benchmark, pause } from "./harness/workbench.mjs";

const ROUNDS = 3;
/** How long it takes until runs are counted and trusted. */
const COUNTED_MS = 1_500;
const SILENT = { debug() {}, info() {}, warn() {}, error: (event, fields) => console.error(event, fields) };

/** The ways with their own files, and their tags. */
const TAGS = { direct: "aaaaaa", cold: "bbbbbb", warm: "cccccc", "by intent": "dddddd" };
const WAYS = ["direct", "asking first", "cold", "warm", "by intent"];

/** As many tools as seven more servers need to make 200. */
const MORE_SERVERS = Object.fromEntries(
  Array.from({ length: 7 }, (_, n) => [`records${n}`, manyTools(n < 2 ? 24 : 23, 0)]),
);

/**
 * The settings, with upper limits compared with `direct`: tokens read with the list in every turn (`cold`, `warm`), the
 * same priced, and the share of tasks that are not run by intent. README.md explains the limits.
 */
const SETTINGS = sized(
  [
    {
      title: "ten tasks, three servers",
      tasks: TEN_TASKS,
      most: { cold: 0.2, warm: 0.1, notRun: 0.2, priced: { cold: 0.8, warm: 0.25 } },
    },
    { title: "twenty further tasks, three servers", tasks: TWENTY_TASKS, most: { cold: 0.25, warm: 0.35 } },
    {
      title: "ten tasks, ten servers with 200 tools",
      tasks: TEN_TASKS,
      more: MORE_SERVERS,
      most: { cold: 0.05, warm: 0.05, priced: { cold: 0.3, warm: 0.1 } },
    },
    {
      title: "ten tasks, three servers, 1,000 capabilities remembered",
      tasks: TEN_TASKS,
      capabilities: 1_000,
      most: { cold: 0.2, warm: 0.2 },
    },
  ],
  [{ title: "two tasks", tasks: TEN_TASKS.slice(0, 2), most: {} }],
);
/** The first setting, for which time is measured too. */
const FIRST = SETTINGS[0];
const TALK_MOST = { cold: 0.8, warm: 0.1 };
/** The default of `listing.leanTokens`. */
const LEAN_TOKENS = 1_200;
const TRIPS_MOST = 0.5;
const TIME_MOST = 1;

/** Figures of a conversation. */
const withList = ({ read, listRead }) => read + listRead;
const trips = (talk) => talk.trips;
const took = (talk) => talk.ms;
const priced = (talk) => talk.price;

await benchmark("cold-warm", "tasks of an agent, first and later", async (bench) => {
  const rounds = bench.options.rounds ?? ROUNDS;
  const [build] = await builds(bench);
  for (const setting of SETTINGS) {
    // Only time differs between rounds, and only the first setting is checked for it.
    const found = [];
    for (let round = 0; round < (setting === FIRST ? rounds : 1); round += 1)
      found.push(await oneRound(bench, build, setting));
    console.log(`### ${setting.title}\n`);
    printTasks(setting, found);
    printTotals(found);
    printLists(found);
    checkTokens(bench, setting, found);
    if (setting === FIRST) checkTalk(bench, found);
  }
  printSpread(rounds);
});

/** Starts a gateway that knows no task yet, and separate servers for the agent, on equal files. */
async function oneRound(bench, build, setting) {
  const root = bench.directory("files");
  const folders = Object.fromEntries(Object.entries(TAGS).map(([way, tag]) => [way, writeFiles(root, tag)]));
  const servers = serversOn(bench, root, setting);
  const direct = await directAgent(bench, servers);
  const pml = await pmlAgent(bench, build, servers, setting);
  /** @type {Map<object, Record<string, Conversation>>} */
  const costs = new Map(setting.tasks.map((task) => [task, {}]));
  const lists = {};
  for (const [way, agent] of Object.entries({ direct, ...pml.ways })) {
    await agent.before();
    lists[way] = { first: agent.session.listTokens };
    for (const task of setting.tasks)
      Object.assign(costs.get(task), await agent.work(task, task.args(folders[way], TAGS[way])));
    lists[way].last = agent.session.listTokens;
  }
  await Promise.all([...direct.clients, pml.client].map((client) => client.close()));
  await pml.home.stop();
  for (const [task, { cold, warm, "by intent": byIntent }] of costs)
    for (const other of [warm, byIntent]) sameResult(task, cold, other);
  return { costs, lists, tools: direct.tools };
}

async function directAgent(bench, servers) {
  const clients = new Map();
  for (const [name, args] of Object.entries(servers))
    clients.set(name, await connectStdio(bench, "other", args));
  const session = new Session();
  const tools = (await Promise.all([...clients.values()].map(toolsOf))).flat();
  const work = async (task, args) => {
    const talk = new Conversation(session);
    let under = 0;
    await task.direct(async (server, name, given) => {
      // A call that starts while another is running belongs to the same round trip.
      const isWaitedFor = under === 0;
      if (isWaitedFor) talk.beginTrip();
      under += 1;
      const answer = await talk.call(clients.get(server), name, given, { isWaitedFor });
      under -= 1;
      return answer;
    }, args);
    return { direct: talk.end() };
  };
  const before = () => session.readList(tools);
  return { session, work, before, clients: [...clients.values()], tools: tools.length };
}

async function pmlAgent(bench, build, servers, { capabilities = 0 }) {
  const home = backgroundHome(bench, build, servers, { approvals: { unannotated: "auto" } });
  writeFileSync(
    join(dirname(home.config), "mcp-permissions.yaml"),
    "servers:\n  filesystem:\n    tools:\n      write_file:\n        approvalMode: auto\n",
  );
  if (capabilities > 0) await remember(bench, build, home, capabilities);
  const client = await connectStdio(bench, "pml", home.serve());
  const whenFull = await gatewayPool(build, home);
  // The first run of a gateway compiles code that all later runs use.
  await client.callTool({ name: "pml_execute", arguments: { intent: "warm up", code: "return 1;" } });
  let listed = [];
  const knownSession = new Session();
  const call = async (talk, name, args) => {
    talk.beginTrip();
    await whenFull();
    return talk.call(client, name, args);
  };
  const execute = async (talk, request) => (await call(talk, "pml_execute", request)).structuredContent;
  const resultOf = ({ status, result, ...rest }, way, { name }) => {
    if (status !== "success") throw new Error(`${name}: ${JSON.stringify({ status, ...rest })}`);
    return plain(result, way);
  };
  /** Calls a remembered capability: by its own name, or found by its intent if the list has no room for it. */
  const recall = async (talk, task, args, way) => {
    const name = listed.find((text) => isWireName(text, task.name));
    if (name === undefined) {
      await call(talk, "pml_discover", { intent: task.again });
      talk.result = resultOf(
        await execute(talk, { intent: task.again, capability: task.name, args }),
        way,
        task,
      );
      return talk;
    }
    const { structuredContent, _meta } = await call(talk, name, args);
    if (_meta?.["pml/run"]?.cacheHit !== undefined) throw new Error(`${name} was answered from a cache`);
    const { result = structuredContent } = structuredContent;
    talk.result = plain(result, way);
    return talk;
  };
  const work = {
    cold: async (session, task, args) => {
      const talk = new Conversation(session);
      await call(talk, "pml_discover", { intent: task.intent });
      const { name, intent, code } = task;
      const answer = await call(talk, "pml_execute", { intent, code, args, name });
      talk.result = resultOf(answer.structuredContent, "cold", task);
      const toolsKnown = new Conversation(knownSession);
      toolsKnown.beginTrip();
      toolsKnown.add(answer.exchange);
      toolsKnown.result = talk.result;
      const both = { "asking first": talk.end(), cold: toolsKnown.end() };
      // Capabilities with a new name are in the list from now on.
      const tools = await toolsOf(client);
      for (const each of [session, knownSession]) each.readList(tools);
      return both;
    },
    warm: async (session, task, args) => ({
      warm: (await recall(new Conversation(session), task, args, "warm")).end(),
    }),
    "by intent": async (session, task, args) => {
      const talk = new Conversation(session);
      const answer = await execute(talk, { intent: task.again, context: args });
      if (answer.status === "success") talk.result = resultOf(answer, "by intent", task);
      else {
        talk.notRun = notRunOf(answer);
        await recall(talk, task, args, "by intent");
      }
      return { "by intent": talk.end() };
    },
  };
  const ways = Object.fromEntries(
    Object.entries(work).map(([way, of]) => {
      const session = new Session();
      const before = async () => {
        await pause(COUNTED_MS);
        const tools = await toolsOf(client);
        listed = tools.map(({ name }) => name);
        for (const each of [session, knownSession]) each.readList(tools);
      };
      return [way, { session, before, work: (task, args) => of(session, task, args) }];
    }),
  );
  return { home, client, ways };
}

/** Fills the store of a gateway that has run once, so that the rest of the data directory exists. */
async function remember(bench, build, home, count) {
  const client = await connectStdio(bench, "pml", home.serve());
  await toolsOf(client);
  await client.close();
  await home.stop();
  const { openStore } = await build.load("postgres/open-store.js");
  const store = await openStore({ dataDir: home.dataDir, log: SILENT });
  await fillStore(store.database, count);
  await store.close();
}

/** The servers as arguments of `node`; the graph has its own file, which the server gets through its environment. */
function serversOn(bench, root, { tasks, more = {} }) {
  const directory = bench.directory("graph");
  const file = join(directory, "environment");
  const graph = join(directory, "graph.jsonl");
  if (tasks === TWENTY_TASKS) writeFileSync(graph, graphLines(Object.values(TAGS)));
  writeFileSync(file, `MEMORY_FILE_PATH=${graph}\n`);
  mkdirSync(root, { recursive: true });
  return {
    filesystem: [FILESYSTEM[0], root],
    memory: [`--env-file=${file}`, ...MEMORY],
    everything: EVERYTHING,
    ...more,
  };
}

async function toolsOf(client) {
  return (await client.listTools(undefined, { cacheMode: "bypass" })).tools;
}

function isWireName(text, capability) {
  const [namespace, action] = capability.split(":");
  return new RegExp(`${namespace}_+${action}$`).test(text);
}

function plain(result, way) {
  return JSON.stringify(result).replaceAll(TAGS[way], "…");
}

function sameResult({ name }, { result }, other) {
  if (other.result !== result) throw new Error(`${name}: the first time ${result}, later ${other.result}`);
}

function notRunOf({ status, error, suggestions }) {
  const [first] = suggestions?.capabilities ?? [];
  return error?.message ?? first?.notRun ?? status;
}

function printTasks({ tasks }, found) {
  printTable(
    ["task: tokens sent + received, round trips, ms", ...WAYS],
    tasks.map((task) => [
      task.title,
      ...WAYS.map((way) => {
        const talks = found.map(({ costs }) => costs.get(task)[way]);
        const [{ sent, received, trips, notRun }] = talks;
        const shown = `${sent} + ${received}, ${trips}, ${ms(median(talks.map(took)))}`;
        return notRun === undefined ? shown : `(${shown})`;
      }),
    ]),
  );
  const [{ costs }] = found;
  for (const task of tasks) {
    const { notRun } = costs.get(task)["by intent"];
    if (notRun !== undefined) console.log(`(${task.title}: suggested and then called: ${notRun})\n`);
  }
}

function printTotals(found) {
  const figures = [
    ["tokens sent", ({ sent }) => sent],
    ["tokens received", ({ received }) => received],
    ["tokens sent and received", ({ tokens }) => tokens],
    ["round trips", trips],
    ["tokens read in all turns", ({ read }) => read],
    ["the same with the list of tools", withList],
    ["priced: cached × 0.1, written × 5", priced],
    ["ms of the tools", took],
  ];
  printTable(
    ["all tasks", ...WAYS, ...WAYS.slice(1).map((way) => `${way} × direct`)],
    figures.map(([label, figure]) => [
      label,
      ...WAYS.map((way) => median(found.map((round) => total(round, way, figure))).toFixed(0)),
      ...WAYS.slice(1).map((way) => times(ratio(found, way, "direct", figure))),
    ]),
  );
}

function printLists([{ lists, tools }]) {
  printTable(
    ["tokens of tools/list", "first", "last"],
    Object.entries(lists).map(([way, { first, last }]) => [
      way === "direct" ? `direct, ${tools} tools` : way,
      String(first),
      String(last),
    ]),
  );
}

function checkTokens(bench, { title, tasks, most }, found) {
  const check = (what, bounds, figure) => {
    for (const way of ["cold", "warm"])
      if (bounds?.[way] !== undefined)
        bench.check(
          `${title}: ${what}, ${way}, against direct`,
          ratio(found, way, "direct", figure),
          bounds[way],
        );
  };
  check("tokens with the list", most, withList);
  check("priced", most.priced, priced);
  const listed = medianWithSpread(found.map(({ lists }) => lists.warm.last / LEAN_TOKENS));
  bench.check(`${title}: the list at the end, against its budget`, listed, 1);
  if (most.notRun === undefined) return;
  const isNotRun = ({ notRun }) => (notRun === undefined ? 0 : 1 / tasks.length);
  const share = medianWithSpread(found.map((round) => total(round, "by intent", isNotRun)));
  bench.check(`${title}: not run by intent`, share, most.notRun);
}

function checkTalk(bench, found) {
  for (const [way, most] of Object.entries(TALK_MOST))
    bench.check(
      `tokens without the list, ${way}, against direct`,
      ratio(found, way, "direct", ({ read }) => read),
      most,
    );
  bench.check("round trips of warm calls, against direct", ratio(found, "warm", "direct", trips), TRIPS_MOST);
  bench.check("time of warm calls, against cold", ratio(found, "warm", "cold", took), TIME_MOST);
}

function total({ costs }, way, figure) {
  return [...costs.values()].reduce((sum, talks) => sum + figure(talks[way]), 0);
}

function ratio(found, way, other, figure) {
  return medianWithSpread(found.map((round) => total(round, way, figure) / total(round, other, figure)));
}
