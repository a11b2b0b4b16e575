import { expect, it } from "vitest";
import { describeCacheStore, type OpenedCacheStore } from "../../test/suites/cache-store.suite.js";
import { name, newScope, sha256, sign, succeeded } from "../../test/suites/capability-samples.js";
import { PGLITE, storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { PostgresCacheStore } from "./cache-store.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

/** One migrated schema for all tests. */
function opener({ open, openAgain }: TestDatabase): () => Promise<OpenedCacheStore> {
  let opened: Promise<OpenedCacheStore> | undefined;
  const openOnce = async (): Promise<OpenedCacheStore> => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return {
      store: new PostgresCacheStore(database),
      other: new PostgresCacheStore(await openAgain()),
      capabilities: new PostgresCapabilityStore(database),
      rows: async (sql, values) => (await database.query(sql, values)).rows,
    };
  };
  return () => {
    opened ??= openOnce();
    return opened;
  };
}

for (const target of storeDatabases()) describeCacheStore(target.name, opener(target));

it("[SC-2] asks an embedded store only for results that it may have", async () => {
  const database = await PGLITE.open();
  await migrate(database, MIGRATIONS);
  const scope = newScope();
  const capabilities = new PostgresCapabilityStore(database);
  const { capability } = await capabilities.learn(
    succeeded(scope, "return 1;", { name: name("fs:one") }),
    sign,
  );
  const asked: string[] = [];
  let isBroken = false;
  const watched: Database = {
    ...database,
    kind: database.kind,
    transaction: (work) => database.transaction(work),
    close: () => database.close(),
    query: (statement, values) => {
      if (isBroken) throw new Error("broken");
      asked.push(typeof statement === "string" ? statement : statement.name);
      return database.query(statement, values);
    },
  };
  const open = () => new PostgresCacheStore(watched, { isAlone: true });
  const key = (text: string) => ({ capabilityId: capability.id, scope, paramsHash: sha256(text) });
  const kept = {
    ...{ version: 1, text: "1", tools: [], servers: [], capabilities: [] },
    ...{ livesMs: 60_000, ageMs: 0, maxEntries: 10 },
  };
  const store = open();

  isBroken = true;
  await expect(store.find(key("a"))).rejects.toThrow();
  isBroken = false;
  expect(await store.find(key("a"))).toBeUndefined();
  expect(await store.find(key("b"))).toBeUndefined();
  expect(asked).toEqual(["cache_hashes"]);

  await store.keep([{ ...key("a"), ...kept }]);
  expect((await store.find(key("a")))?.text).toBe("1");
  expect((await open().find(key("a")))?.text).toBe("1");
  await store.invalidate({ trigger: "manual" }, 0);
  expect(await store.find(key("a"))).toBeUndefined();
});
