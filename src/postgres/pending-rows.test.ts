import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { name, newScope, sign, succeeded } from "../../test/suites/capability-samples.js";
import { aheadStores, never, pendingText, withGate } from "../../test/support/ahead-stores.js";
import { type Log, silentLog } from "../base/log.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import { LearnAhead } from "./learn-ahead.js";
import { PendingRows } from "./pending-rows.js";
import { SqlError } from "./sql-error.js";

const { newDirectory, openDatabase, read, opened } = aheadStores();

describe("[EX-4] a capability that the store does not take at once", () => {
  const noRoom = new SqlError({ message: "could not extend file", code: "53100" });
  /** Until it is told that there is room. */
  function room() {
    const state = { isFull: true };
    const before = async () => {
      if (state.isFull) throw noRoom;
    };
    return { state, before };
  }

  it("is written before anything else that is asked once there is room", async () => {
    const { state, before } = room();
    const { store, learn } = await opened(before);
    const scope = newScope();
    const { capability } = await learn(succeeded(scope, "return 1", { name: name("fs:read") }));
    await expect(store.get(capability.fqdn)).resolves.toBeUndefined();
    state.isFull = false;
    const other = store.learn(succeeded(scope, "return 2", { name: name("fs:read") }), sign);
    await expect(other).rejects.toMatchObject({ code: "NAME_TAKEN" });
    expect((await store.get(capability.fqdn))?.displayName).toBe("fs:read");
  });

  it("keeps its name where other code asked for it before the store was known to be full", async () => {
    const { state, before } = room();
    const { store, learn, expected } = await opened(before);
    const scope = newScope();
    const { capability } = await learn(succeeded(scope, "return 1", { name: name("fs:read") }));
    const late = succeeded(scope, "return 2", { name: name("fs:read") });
    store.expect(expected(late));
    await expect.poll(() => store.get(capability.fqdn)).toBeUndefined();
    state.isFull = false;
    await store.get(capability.fqdn);
    await expect.poll(() => store.get(capability.fqdn)).toBeDefined();
    await expect(store.learn(late, sign)).rejects.toMatchObject({ code: "NAME_TAKEN" });
  });

  it("is told in the log where another has its name by then", async () => {
    const said: unknown[] = [];
    const log = { ...silentLog, error: (...line: unknown[]) => said.push(line) } as Log;
    const { state, before } = room();
    const { database, store, learn } = await opened(before, log);
    const scope = newScope();
    const { capability } = await learn(succeeded(scope, "return 1", { name: name("fs:read") }));
    const other = new PostgresCapabilityStore(database);
    await other.learn(succeeded(scope, "return 2", { name: name("fs:read") }), sign);
    state.isFull = false;
    await store.get(capability.fqdn);
    const { fqdn } = capability;
    const message = `Cannot save ${fqdn}: another capability has its name or its code now`;
    await expect.poll(() => said).toEqual([["capability.lost", { fqdn, message }]]);
  });

  it("is written as soon as there is room where the last process left it", async () => {
    const killed = await opened(() => never);
    const { capability } = await killed.learn(succeeded(newScope(), "return 1"));
    const { state, before } = room();
    const gated = withGate(killed.database, before);
    const pending = new PendingRows(killed.directory);
    await pending.replay(gated, silentLog);
    const ahead = new LearnAhead(gated, pending, silentLog);
    const store = new PostgresCapabilityStore(ahead.database, undefined, ahead);
    expect(await store.get(capability.fqdn)).toBeUndefined();
    expect(pendingText(killed.directory)).toContain(capability.fqdn);
    state.isFull = false;
    await store.get(capability.fqdn);
    expect(await store.get(capability.fqdn)).toEqual(capability);
    await expect.poll(() => pendingText(killed.directory)).toBe("");
    ahead.stop();
  });
});

describe("[EX-4] the file of what waits", () => {
  it("keeps what the last process left until it was read", async () => {
    const killed = await opened(() => never);
    const { capability } = await killed.learn(succeeded(newScope(), "return 1"));
    const next = new PendingRows(killed.directory);
    const result = { workflowId: "w", taskId: "n1", scope: newScope(), expiresAt: new Date(), text: "1" };
    expect(next.add([{ kind: "result", id: "r", result }])).toBe(false);
    next.done("r");
    await read(next);
    expect(await killed.store.get(capability.fqdn)).toEqual(capability);
  });

  it.each([
    ['{"format":1,"kind":"result","id":"a"}', "it is damaged"],
    ['{"format":1,"kind":"capability","id":"a","rows":{}}', "it is damaged"],
    ['{"format":1,"id":"a"}', "it is damaged"],
    ['{"format":2,"kind":"capability","id":"a"}', "unknown format 2"],
  ])("is emptied where it has what cannot be written: %s", async (line, message) => {
    const said: unknown[] = [];
    const log = { ...silentLog, error: (event: string, fields: object) => said.push({ event, ...fields }) };
    const directory = newDirectory();
    appendFileSync(join(directory, "pml-pending.jsonl"), `${line}\nnull\n`);
    await new PendingRows(directory).replay(await openDatabase(), log as Log);
    expect(pendingText(directory)).toBe("");
    expect(said).toMatchObject([{ event: "store.pending_lost", message }]);
  });

  it("is left alone where it cannot be used, and the store opens", async () => {
    const said: unknown[] = [];
    const directory = newDirectory();
    mkdirSync(join(directory, "pml-pending.jsonl"));
    const pending = new PendingRows(directory);
    const log = { ...silentLog, error: (event: string) => said.push(event) } as Log;
    await pending.replay(await openDatabase(), log);
    expect(said).toEqual(["store.pending_unusable"]);
    expect(pending.add([])).toBe(false);
  });
});
