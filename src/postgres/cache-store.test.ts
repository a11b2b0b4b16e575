import { describeCacheStore, type OpenedCacheStore } from "../../test/suites/cache-store.suite.js";
import { DATABASES, type TestDatabase } from "../../test/support/databases.js";
import { PostgresCacheStore } from "./cache-store.js";
import { PostgresCapabilityStore } from "./capability-store.js";
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

for (const target of DATABASES) describeCacheStore(target.name, opener(target));
