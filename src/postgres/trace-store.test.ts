import { describeTraceStore } from "../../test/suites/trace-store.suite.js";
import { storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { migratedOnce } from "../../test/support/migrated.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import { PostgresTraceStore } from "./trace-store.js";

/** Each test has its own project. */
function traceStores(target: TestDatabase) {
  const open = migratedOnce(target);
  return async () => {
    const [database, again] = await open();
    return {
      capabilities: new PostgresCapabilityStore(database),
      traces: new PostgresTraceStore(database),
      other: { capabilities: new PostgresCapabilityStore(again), traces: new PostgresTraceStore(again) },
      rows: async (sql: string, values: readonly string[] = []) =>
        (await database.query<object>(sql, values)).rows,
    };
  };
}

for (const target of storeDatabases()) describeTraceStore(target.name, traceStores(target));
