/**
 * Tests whether a gateway loses data when it is killed.
 *
 *   node scripts/kill-gateway-rounds.mjs [rounds=200]
 *
 * Each round starts `pml serve`, lists tools and calls them continuously, and kills the background gateway with SIGKILL
 * at a random moment: while it starts, opens its store, names tools, answers, or writes. Then the store is opened and
 * must contain
 *   - a row of tool_usage for every call that was answered more than a second before the kill, if the store was
 *     open by then,
 *   - no more rows than calls,
 *   - every wire name from an answer, or no name for that tool,
 *   - every pin as first seen,
 * and the next round must list the same names. Needs a build. Exits with 1 if anything is lost.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { openStore } = await import(join(root, "dist/postgres/open-store.js"));

const ROUNDS_PER_DIRECTORY = 10;
/** Half of the kills happen during the start or soon after, half while a gateway with an open store works. */
const KILL_IN_START_MS = 2_500;
const KILL_IN_WORK_MS = 1_500;
/** Counters may lag by this much. */
const LAG_MS = 1_000;
const log = { debug() {}, info() {}, warn() {}, error() {} };
const healthy = { command: process.execPath, args: [join(root, "test/faults/servers/healthy.mjs")] };
/** Clients fold these two names to one: the tool that gets the plain wire name must stay the same. */
const config = { mcpServers: { "x-y": healthy, x_y: healthy }, discovery: { embedder: "none" } };
const TOOLS = ["x-y:echo", "x_y:echo"];

const rounds = Number(process.argv[2] ?? 200);
const found = {
  rounds,
  killedBeforeFirstAnswer: 0,
  killedBeforeStoreOpen: 0,
  calls: 0,
  callsThatMustBeKept: 0,
  /** Calls that were answered more than a second before the kill, but before the store was open for a second. */
  callsWhileStoreOpened: 0,
  rowsKept: 0,
  lostRows: 0,
  extraRows: 0,
  renamed: 0,
  repinned: 0,
  unopenable: 0,
  slowestOpenMs: 0,
};

const scratch = mkdtempSync(join(tmpdir(), "pml-kill-gateway-"));
try {
  let seen;
  for (let round = 0; round < rounds; round += 1) {
    const directory = join(scratch, String(Math.floor(round / ROUNDS_PER_DIRECTORY)));
    if (round % ROUNDS_PER_DIRECTORY === 0) seen = { names: new Map(), pins: new Map() };
    await check(directory, round, await runAndKill(directory, round), seen);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(JSON.stringify(found));
const { lostRows, extraRows, renamed, repinned, unopenable } = found;
if (lostRows + extraRows + renamed + repinned + unopenable > 0) process.exitCode = 1;

/** Returns what happened before the kill: when each call was answered, and the listed names. */
async function runAndKill(directory, round) {
  const file = `${directory}.json`;
  writeFileSync(file, JSON.stringify(config));
  const args = ["serve", "--config", file, "--data-dir", directory, "--scope", `kill/r${round}`];
  const client = spawn(process.execPath, [join(root, "dist/cli/main.js"), ...args], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { PATH: process.env.PATH, HOME: scratch, TMPDIR: scratch },
  });
  const told = { startedAt: Date.now(), sent: 0, answeredAt: [], names: [], killedAt: 0 };
  const ask = (id, method, params) =>
    client.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const call = () => {
    told.sent += 1;
    const name = TOOLS[told.sent % TOOLS.length];
    ask(`call ${told.sent}`, "tools/call", { name, arguments: { text: "x" } });
  };
  client.stdin.on("error", () => {});
  const clientInfo = { name: "kill", version: "1" };
  ask("initialize", "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  // The client is killed with its gateway, because pml serve would start another one.
  const killer = killGateway(directory, told, round % 2 === 1).then(() => client.kill("SIGKILL"));
  for await (const line of createInterface({ input: client.stdout })) {
    const { id, result } = JSON.parse(line);
    if (id === "initialize") {
      client.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
      ask("list", "tools/list", {});
      call();
    } else if (id === "list") {
      told.names = (result?.tools ?? []).map((tool) => [tool._meta["pml/id"], tool.name]);
    } else if (String(id).startsWith("call ")) {
      if (result?.isError !== true && result !== undefined) told.answeredAt.push(Date.now());
      // With pauses, because otherwise the store would hold little else.
      setTimeout(call, 2);
    }
  }
  client.kill("SIGKILL");
  told.isOver = true;
  await killer;
  return told;
}

async function killGateway(directory, told, inWork) {
  if (inWork) {
    const isInWork = () => told.answeredAt.length > 0 && openedAt(directory, told.startedAt) <= Date.now();
    while (!told.isOver && !isInWork()) await pause(50);
    await pause(LAG_MS + 200 + Math.random() * KILL_IN_WORK_MS);
  } else {
    await pause(Math.random() * KILL_IN_START_MS);
  }
  // If it does not own the directory yet, it is killed as soon as it does.
  while (!told.isOver) {
    const pid = ownerPid(directory);
    told.killedAt = Date.now();
    try {
      if (pid !== undefined) return void process.kill(pid, "SIGKILL");
    } catch {
      // This is the owner of the previous round, whose file still exists.
    }
    await pause(5);
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function ownerPid(directory) {
  try {
    return JSON.parse(readFileSync(join(directory, "owner.json"), "utf8")).pid;
  } catch {
    return undefined;
  }
}

/** When the store of this round was opened, according to the gateway's log. */
function openedAt(directory, since) {
  const file = join(directory, "gateway.log");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  const times = lines.flatMap((line) => {
    try {
      const { time, event } = JSON.parse(line);
      return event === "store.opened" ? [Date.parse(time)] : [];
    } catch {
      return [];
    }
  });
  return times.findLast((time) => time >= since) ?? Number.POSITIVE_INFINITY;
}

async function check(directory, round, told, seen) {
  const before = performance.now();
  const opened = openedAt(directory, told.startedAt);
  if (told.answeredAt.length === 0) found.killedBeforeFirstAnswer += 1;
  if (opened > told.killedAt) found.killedBeforeStoreOpen += 1;
  found.calls += told.sent;
  let store;
  try {
    store = await openStore({ dataDir: directory, log });
  } catch (thrown) {
    console.error(`round ${round}: cannot be opened:`, thrown);
    found.unopenable += 1;
    return;
  }
  found.slowestOpenMs = Math.max(found.slowestOpenMs, Math.round(performance.now() - before));
  try {
    const { rows } = await store.database.query(
      "select count(*) as n from tool_usage where org = 'kill' and project = $1",
      [`r${round}`],
    );
    const kept = Number(rows[0].n);
    const due = told.answeredAt.filter((at) => Math.max(at, opened) + LAG_MS < told.killedAt).length;
    found.callsThatMustBeKept += due;
    found.callsWhileStoreOpened += told.answeredAt.filter((at) => at + LAG_MS < told.killedAt).length - due;
    found.rowsKept += kept;
    found.lostRows += Math.max(0, due - kept);
    found.extraRows += Math.max(0, kept - told.sent);
    if (kept < due) console.error(`round ${round}: ${kept} rows of ${due}`);
    checkNames(
      round,
      told.names,
      new Map((await store.wireNames.load()).map(({ id, name }) => [id, name])),
      seen,
    );
    for (const { server, name, pinnedHash, changedAt } of await store.tools.list()) {
      const id = `${server}:${name}`;
      if ((seen.pins.get(id) ?? pinnedHash) !== pinnedHash || changedAt !== undefined) found.repinned += 1;
      seen.pins.set(id, pinnedHash);
    }
  } finally {
    await store.close();
  }
}

function checkNames(round, listed, kept, seen) {
  for (const [id, name] of listed) {
    const known = [seen.names.get(id) ?? name, kept.get(id) ?? name];
    if (known.some((other) => other !== name)) {
      console.error(`round ${round}: ${id} is ${name}, and was ${known.join(", ")}`);
      found.renamed += 1;
    }
    seen.names.set(id, name);
  }
}
