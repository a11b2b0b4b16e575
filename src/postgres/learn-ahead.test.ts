import { appendFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { name, newScope, run, sha256, sign, succeeded } from "../../test/suites/capability-samples.js";
import { describeCapabilityStore } from "../../test/suites/capability-store.suite.js";
import { aheadStores, never, pendingText, withGate } from "../../test/support/ahead-stores.js";
import { type Log, silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { NewCapability } from "../registry/capability-store.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { ToolId } from "../registry/tool-id.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import { firstFqdn, makeCapability } from "./create-capability.js";
import type { Database, NamedStatement, SqlValue } from "./database.js";
import { LearnAhead } from "./learn-ahead.js";
import { openStore, pendingRows } from "./open-store.js";
import { PendingRows } from "./pending-rows.js";
import { SqlError } from "./sql-error.js";
import { PostgresToolStore } from "./tool-store.js";

const { newDirectory, openDatabase, read, opened } = aheadStores();

// The same rules, whether the store is asked before the answer or not.
describeCapabilityStore("PGlite, answered before it is written", async () => {
  const {
    ahead: { database },
    store,
    expected,
  } = await opened();
  const told = Object.assign(Object.create(store) as PostgresCapabilityStore, {
    learn: (...[fresh, signed]: Parameters<PostgresCapabilityStore["learn"]>) => {
      store.expect(expected(fresh));
      return store.learn(fresh, signed);
    },
  });
  const bound = new Proxy(told, {
    get: (target, key) => {
      const value = Reflect.get(key === "learn" ? target : store, key);
      return typeof value === "function" ? value.bind(store) : value;
    },
  });
  return {
    store: bound,
    other: bound,
    rows: async (sql, values) => (await database.query(sql, values)).rows,
  };
});

describe("[EX-4] a capability that is answered before the store has it", () => {
  it("is in a file until the store has it", async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { directory, learn, count } = await opened(() => gate);
    const scope = newScope();
    const { kind, capability } = await learn(succeeded(scope, "return 1", { name: name("fs:read") }));
    expect([kind, capability.displayName, await count(scope)]).toEqual(["created", "fs:read", 0]);
    expect(pendingText(directory)).toContain(capability.fqdn);
    open();
    await expect.poll(() => count(scope)).toBe(1);
    await expect.poll(() => pendingText(directory)).toBe("");
  });

  it("stays in the file when the one before it is stored", async () => {
    let open = () => {};
    const gates = [
      new Promise<void>((resolve) => {
        open = resolve;
      }),
    ];
    const { directory, learn, count } = await opened(() => gates.shift() ?? never);
    const scope = newScope();
    const answered = [await learn(succeeded(scope, "return 1")), await learn(succeeded(scope, "return 2"))];
    open();
    await expect.poll(() => count(scope)).toBe(1);
    expect(pendingText(directory)).toContain(answered[1]?.capability.fqdn);
    const left = new PendingRows(directory);
    await left.replay(await openDatabase(), silentLog);
    left.close();
    expect(await count(scope)).toBe(2);
  });

  it("is as the store has it afterwards, whatever it is made of", async () => {
    const { learn, store } = await opened();
    const text = fc.string({ unit: "binary", maxLength: 8 });
    const fresh = fc.record({
      code: fc.uuid(),
      intent: text,
      description: fc.option(text, { nil: undefined }),
      tags: fc.array(text, { maxLength: 2 }),
      isNamed: fc.boolean(),
      hasRun: fc.boolean(),
      outcome: fc.option(text, { nil: undefined }),
      visibility: fc.constantFrom(undefined, "private", "org", "public"),
      versionTag: fc.constantFrom(undefined, "v1.2.0"),
      source: fc.constantFrom("code", "observed"),
      tools: fc.constantFrom<readonly ToolId[]>([], ["filesystem:read_file" as ToolId]),
    });
    await fc.assert(
      fc.asyncProperty(fresh, async ({ isNamed, hasRun, outcome, tools, visibility, ...more }) => {
        const scope = newScope();
        const trace = run(scope, {
          decisions: outcome === undefined ? [] : [{ nodeId: "d1", outcome }],
          loops: outcome === undefined ? [] : [{ nodeId: "l1", iterations: 3 }],
          durationMs: 12.6,
        });
        const { capability } = await learn({
          ...succeeded(scope, more.code, { toolsUsed: tools, ...more } as Partial<NewCapability>),
          name: isNamed ? name("fs:read") : undefined,
          ...(visibility === undefined ? {} : { visibility: visibility as "org" }),
          ...(hasRun ? { trace } : {}),
        } as NewCapability);
        expect(await store.get(capability.fqdn)).toEqual(capability);
      }),
      { numRuns: 60 },
    );
  });

  it("is written by the next process where this one was killed", async () => {
    const killed = await opened(() => never);
    const scope = newScope();
    const trace = run(scope, { decisions: [{ nodeId: "d1", outcome: "true" }], loops: [] });
    const { capability } = await killed.learn(succeeded(scope, "return 1", { trace: { ...trace } }));
    const cut = '{"format":1,"fqdn":"acme.';
    appendFileSync(join(killed.directory, "pml-pending.jsonl"), cut);
    const second = await killed.learn(succeeded(scope, "return 2"));
    expect(await killed.count(scope)).toBe(0);
    appendFileSync(join(killed.directory, "pml-pending.jsonl"), cut);

    for (let start = 0; start < 2; start += 1) {
      const pending = new PendingRows(killed.directory);
      await pending.replay(killed.database, silentLog);
      pending.close();
      expect(await killed.store.get(capability.fqdn)).toEqual(capability);
      expect(await killed.store.get(second.capability.fqdn)).toEqual(second.capability);
      expect(pendingText(killed.directory)).toBe("");
    }
  });

  it("is there as soon as the store is opened again", async () => {
    const dataDir = newDirectory();
    await (await openStore({ dataDir, log: silentLog })).close();
    const fresh = succeeded(newScope(), "return 1");
    const fqdn = firstFqdn(fresh) as Fqdn;
    const making = { fresh, displayName: name("fs:read"), sign, fqdn, isForced: false };
    const { rows } = await makeCapability({ ...making, madeAt: new Date() });
    const left = await read(pendingRows(dataDir));
    left.add([{ kind: "capability", id: rows.patternId, rows }]);
    left.close();
    const store = await openStore({ dataDir, log: silentLog });
    expect((await store.capabilities.load()).map((one) => one.fqdn)).toEqual([fqdn]);
    await store.close();
  });

  it("is not made again where it was changed before the process was killed", async () => {
    const { directory, database, learn, store } = await opened();
    const scope = newScope();
    const { capability } = await learn(succeeded(scope, "return 1", { name: name("fs:read") }));
    const { fqdn } = await store.delete({ fqdn: capability.fqdn, scope, reserveDays: 30 });
    const again = await opened(() => never);
    await again.learn(succeeded(newScope(), "return 1", { name: name("fs:read") }));
    const left = pendingText(again.directory).replaceAll(
      /acme\.p\d+-\d+/g,
      fqdn.split(".").slice(0, 2).join("."),
    );
    appendFileSync(join(directory, "pml-pending.jsonl"), left);
    const pending = new PendingRows(directory);
    await pending.replay(database, silentLog);
    pending.close();
    expect((await store.get(fqdn))?.deletedAt).toBeInstanceOf(Date);
  });

  it("is written later where the store has no room, and others wait for the store until then", async () => {
    let isFull = true;
    const { learn, count, directory } = await opened(async () => {
      if (isFull) throw new SqlError({ message: "could not extend file", code: "53100" });
    });
    const scope = newScope();
    await learn(succeeded(scope, "return 1"));
    await expect.poll(() => pendingText(directory)).toContain(scope.project);
    isFull = false;
    const other = await learn(succeeded(scope, "return 2"));
    expect([other.kind, await count(scope)]).toEqual(["created", 1]);
  });

  it("is told in the log where the store refuses it for good", async () => {
    const said: unknown[] = [];
    const log = { ...silentLog, error: (event: string, fields: unknown) => said.push(event, fields) };
    const refuse = async () => {
      throw new SqlError({ message: "value too long", code: "22001" });
    };
    const { learn, directory } = await opened(refuse, log as Log);
    const { capability } = await learn(succeeded(newScope(), "return 1"));
    await expect
      .poll(() => said)
      .toEqual(["capability.lost", { fqdn: capability.fqdn, message: "value too long" }]);
    expect(pendingText(directory)).toBe("");
  });
});

describe("[ID-3] [ID-8] code that is expected", () => {
  it("is one capability where it runs twice at once", async () => {
    const { learn, count } = await opened();
    const scope = newScope();
    const both = await Promise.all([
      learn(succeeded(scope, "return 1")),
      learn(succeeded(scope, "return 1")),
    ]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(["created", "known"]);
    expect(both[0]?.capability.id).toBe(both[1]?.capability.id);
    expect(await count(scope)).toBe(1);
  });

  it("does not take a name that other code took while it ran", async () => {
    const { store, expected } = await opened();
    const scope = newScope();
    const late = succeeded(scope, "return 1", { name: name("fs:read") });
    store.expect(expected(late));
    const early = succeeded(scope, "return 2", { name: name("fs:Read") });
    store.expect(expected(early));
    await store.learn(early, sign);
    await expect(store.learn(late, sign)).rejects.toMatchObject({ code: "NAME_TAKEN" });
  });

  it.each(["rename", "delete and rename", "learn without a word"])(
    "does not take a name that was taken by another way: %s",
    async (way) => {
      const { store, expected, learn } = await opened();
      const scope = newScope();
      const { capability } = await learn(succeeded(scope, "return 2", { name: name("fs:other") }));
      const late = succeeded(scope, "return 1", { name: name("fs:read") });
      store.expect(expected(late));
      // The answer of the store is there before the name is taken.
      await store.get(capability.fqdn);
      if (way === "learn without a word")
        await store.learn(succeeded(scope, "return 3", { name: name("fs:read") }), sign);
      else await store.rename({ fqdn: capability.fqdn, scope, actor: "user", newName: name("fs:read") });
      if (way === "delete and rename") await store.delete({ fqdn: capability.fqdn, scope, reserveDays: 30 });
      await expect(store.learn(late, sign)).rejects.toMatchObject({ code: "NAME_TAKEN" });
    },
  );

  it("has the troubles of a tool that changed while it ran", async () => {
    const { database, ahead, store, expected } = await opened();
    const tools = new PostgresToolStore(ahead.database, ahead);
    const sighting = (hash: string) => ({
      name: "read_file",
      hash: sha256(hash),
      tool: { name: "read_file", inputSchema: { type: "object" as const } },
    });
    await tools.observe("filesystem" as never, [sighting("a")] as never);
    const late = succeeded(newScope(), "return 1");
    store.expect(expected(late));
    await tools.observe("filesystem" as never, [sighting("b")] as never);
    const { capability } = await store.learn(late, sign);
    expect(capability.troubles?.map(({ kind }) => kind)).toEqual(["changed"]);
    const next = succeeded(newScope(), "return 1");
    store.expect(expected(next));
    expect((await store.learn(next, sign)).capability.troubles?.length).toBe(1);
    await database.query("truncate tool_schema");
  });

  it.each([
    ["by a computed name", "write_file", ["filesystem:read_file" as ToolId]],
    [
      "whose name has a backslash",
      "write\\file",
      ["filesystem:read_file" as ToolId, "filesystem:write\\file" as ToolId],
    ],
  ])("has the troubles of a tool that it called %s", async (_, tool, expectedTools) => {
    const { database, ahead, store, expected } = await opened();
    const tools = new PostgresToolStore(ahead.database, ahead);
    for (const hash of ["a", "b"])
      await tools.observe("filesystem" as never, [
        { name: tool, hash: sha256(hash), tool: { name: tool, inputSchema: { type: "object" as const } } },
      ]);
    const fresh = succeeded(newScope(), "return 1", {
      toolsUsed: ["filesystem:read_file" as ToolId, `filesystem:${tool}` as ToolId],
    });
    store.expect({ ...expected(fresh), toolsUsed: expectedTools });
    const { capability } = await store.learn(fresh, sign);
    expect(capability).toEqual(await store.get(capability.fqdn));
    expect(capability.troubles?.length).toBe(1);
    await database.query("truncate tool_schema");
  });

  it("waits for the store where the file cannot be written", async () => {
    const { database } = await opened();
    const warnings: unknown[] = [];
    const log = { ...silentLog, warn: (event: string) => warnings.push(event) };
    const ahead = new LearnAhead(
      database,
      await read(new PendingRows(join(newDirectory(), "nowhere"))),
      log as Log,
    );
    const store = new PostgresCapabilityStore(ahead.database, undefined, ahead);
    const fresh = succeeded(newScope(), "return 1");
    store.expect(fresh);
    const { capability } = await store.learn(fresh, sign);
    expect(warnings).toEqual(["capability.not_ahead"]);
    expect(await store.get(capability.fqdn)).toEqual(capability);
  });

  it("is left to the store where the store could not be asked", async () => {
    const database = await openDatabase();
    const asked: string[] = [];
    const away = {
      ...withGate(database, () => undefined),
      query: async (statement: string | NamedStatement, values?: readonly SqlValue[]) => {
        const statementName = typeof statement === "string" ? "" : statement.name;
        asked.push(statementName);
        if (statementName === "capability_is_new") throw new PmlError("STORE_FAILED", "Cannot query: away");
        return database.query(statement, values);
      },
    } as Database;
    const ahead = new LearnAhead(away, await read(new PendingRows(newDirectory())), silentLog);
    const store = new PostgresCapabilityStore(ahead.database, undefined, ahead);
    const fresh = succeeded(newScope(), "return 1");
    store.expect(fresh);
    expect((await store.learn(fresh, sign)).kind).toBe("created");
    expect(asked[0]).toBe("capability_is_new");
  });
});
