import { describeTraceStore } from "../../test/suites/trace-store.suite.js";
import { DATABASES, type TestDatabase } from "../../test/support/databases.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresTraceStore } from "./trace-store.js";

/** One migrated schema per database: each test has a project of its own. */
function migratedOnce({ open, openAgain }: TestDatabase) {
  let opened: Promise<readonly [Database, Database]> | undefined;
  const migrated = async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return [database, await openAgain()] as const;
  };
  return async () => {
    opened ??= migrated();
    const [database, again] = await opened;
    return {
      capabilities: new PostgresCapabilityStore(database),
      traces: new PostgresTraceStore(database),
      other: { capabilities: new PostgresCapabilityStore(again), traces: new PostgresTraceStore(again) },
      rows: async (sql: string, values: readonly string[] = []) =>
        (await database.query<object>(sql, values)).rows,
    };
  };
}

for (const target of DATABASES) describeTraceStore(target.name, migratedOnce(target));
