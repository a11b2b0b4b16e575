/** Other entries for a pool that runs: which servers keep their processes. */
import { expect, it, onTestFinished } from "vitest";
import { fixture, isAlive, until } from "../../test/faults/support/pml.js";
import { silentLog } from "../base/log.js";
import type { ServerName } from "../registry/tool-id.js";
import type { ServerEntry } from "./server-entry.js";
import { ServerPool } from "./server-pool.js";

const entry = (name: string, more: Partial<ServerEntry> = {}) =>
  ({
    name: name as ServerName,
    naming: "prefixed",
    transport: "stdio",
    protocol: "2025",
    callTimeoutMs: 20_000,
    env: { PATH: process.env.PATH ?? "" },
    cwd: process.cwd(),
    ...fixture("healthy"),
    ...more,
  }) as ServerEntry;

async function running(...names: readonly string[]) {
  const pool = new ServerPool(
    names.map((name) => entry(name)),
    silentLog,
  );
  onTestFinished(() => pool.stop());
  pool.start();
  await pool.settled("tools", 20_000);
  const of = (name: string) => pool.statuses().find((status) => status.name === name);
  return {
    pool,
    of,
    pid: (name: string) => of(name)?.pid ?? 0,
    replace: (entries: readonly ServerEntry[], ...changed: readonly string[]) =>
      pool.replace(entries, new Set(changed as ServerName[])),
  };
}

it("[FH-4] keeps what did not change, restarts what did, stops what is gone, and starts what is new", async () => {
  const { pool, of, pid, replace } = await running("changes", "goes", "stays");
  const before = { changes: pid("changes"), goes: pid("goes"), stays: pid("stays") };
  const told = new Set<string>();
  pool.listen({ offerChanged: (name) => told.add(name), resourceUpdated() {}, logged() {} });
  await replace([entry("stays"), entry("changes", { callTimeoutMs: 5_000 }), entry("new")], "changes");
  expect(pool.statuses().map(({ name, state }) => `${name} ${state}`)).toEqual([
    "changes ready",
    "new ready",
    "stays ready",
  ]);
  expect(pid("stays")).toBe(before.stays);
  expect(pid("changes")).not.toBe(before.changes);
  await until("both have ended", () => !isAlive(before.changes) && !isAlive(before.goes));
  expect(new Set(told)).toEqual(new Set(["changes", "goes", "new"]));
  expect(pool.offers().map(({ server, place }) => `${server} ${place}`)).toEqual([
    "changes 1",
    "new 2",
    "stays 0",
  ]);
  expect(of("changes")).toMatchObject({ restarts: 1 });
  await expect(pool.subscribe("goes" as ServerName, "x:y")).rejects.toThrow("it is not configured");
});

it("[FH-4] shows a server with a broken entry, keeps its tools, and starts it once the entry is repaired", async () => {
  const { pool, of, replace } = await running("one", "other");
  const tools = of("one")?.tools;
  const problem = { code: "CONFIG_INVALID", message: "the variable T is not set", hint: "Set it." };
  await replace([entry("one", { problem }), entry("other")], "one");
  expect(of("one")).toMatchObject({
    state: "unavailable",
    problem: problem.message,
    problemCode: problem.code,
    hint: problem.hint,
    tools,
  });
  expect(pool.offers().map(({ server, available }) => [server, available])).toEqual([
    ["one", false],
    ["other", true],
  ]);
  const call = { method: "tools/call", params: { name: "echo", arguments: {} } } as const;
  const caller = { connection: "c", capabilities: {}, signal: new AbortController().signal, onLog() {} };
  await expect(pool.request("one" as ServerName, call, caller)).rejects.toMatchObject({
    code: "SERVER_UNAVAILABLE",
    message: `Cannot reach server "one": ${problem.message}`,
    hint: problem.hint,
  });
  await replace([entry("one"), entry("other")], "one");
  expect(of("one")).toMatchObject({ state: "ready", lastError: { message: problem.message } });
  expect(of("one")?.problem).toBeUndefined();
});

it.each([
  ["that is not there", { command: "/no/such/program" }, 'the command "/no/such/program" was not found'],
  ["that no system can start", { args: ["/srv/own\0"] }, "/srv/own"],
])("[DO-2] tells people of a command %s, and agents only that it fails", async (_, wrong, told) => {
  const { pool, of, replace } = await running("one");
  await replace([entry("one", wrong as Partial<ServerEntry>)], "one");
  await until("it has failed", () => of("one")?.state === "unavailable");
  expect(of("one")?.problem).toContain(told);
  const call = { method: "tools/call", params: { name: "echo", arguments: {} } } as const;
  const caller = { connection: "c", capabilities: {}, signal: new AbortController().signal, onLog() {} };
  await expect(pool.request("one" as ServerName, call, caller)).rejects.toMatchObject({
    code: "SERVER_UNAVAILABLE",
    message: 'Cannot reach server "one": it cannot be started',
  });
});

it("[FH-4] ends with the last of several entries that come at once", async () => {
  const { pool, of, replace } = await running("one");
  const dead = entry("one", { command: "/no/such/program" } as Partial<ServerEntry>);
  const all = [dead, entry("one"), dead, entry("one")].map((next) => replace([next], "one"));
  await Promise.all(all);
  expect(of("one")?.state).toBe("ready");
  const pids = new Set(pool.statuses().map(({ pid }) => pid));
  await replace([]);
  for (const pid of pids) await until("it has ended", () => !isAlive(pid ?? 0));
});

it("[FH-4] has not stopped before a server that is gone, and did not want to end, has ended", async () => {
  const { pool, pid, replace } = await running();
  const { command, args } = fixture("healthy");
  const stays = "process.exit = () => {}; process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  await replace([
    entry("stubborn", {
      command,
      args: ["--import", `data:text/javascript,${stays}`, ...args],
    } as Partial<ServerEntry>),
  ]);
  const process = pid("stubborn");
  expect(isAlive(process)).toBe(true);
  const replaced = replace([]);
  await pool.stop();
  expect(isAlive(process)).toBe(false);
  await replaced;
});

it("[DO-5] tells no secret that an error or a server quotes", async () => {
  const secret = "s3cret-that-is-quoted";
  const pool = new ServerPool(
    [
      entry("far", {
        transport: "http",
        url: new URL("http://127.0.0.1:9/"),
        headers: { Authorization: `Bearer\n${secret}` },
      } as Partial<ServerEntry>),
    ],
    silentLog,
    (text) => text.replaceAll(secret, "…"),
  );
  onTestFinished(() => pool.stop());
  pool.start();
  await pool.settled("tools", 20_000);
  const [status] = pool.statuses();
  expect(status?.problem).toContain("…");
  expect(JSON.stringify(status)).not.toContain(secret);
  const call = { method: "tools/call", params: { name: "echo", arguments: {} } } as const;
  const caller = { connection: "c", capabilities: {}, signal: new AbortController().signal, onLog() {} };
  const refused = pool.request("far" as ServerName, call, caller);
  await expect(refused).rejects.toThrow("…");
  await expect(refused).rejects.not.toThrow(secret);
});
