import { describeWorkflowCalls } from "../../test/suites/workflow-calls.suite.js";
import type { OpenedWorkflowStore } from "../../test/suites/workflow-samples.js";
import { describeWorkflowStore } from "../../test/suites/workflow-store.suite.js";
import { storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresWorkflowStore } from "./workflow-store.js";

/** The server has other sessions, of tests that wait for each other. */
const WAITING = `select 1 from pg_locks as wanted join pg_stat_activity as session using (pid)
  where not wanted.granted and session.query like '%workflow_calls%'`;

/** One migrated schema for all tests: each has its own runs. */
function opener({ open, openAgain }: TestDatabase): () => Promise<OpenedWorkflowStore> {
  let opened: Promise<OpenedWorkflowStore> | undefined;
  const openOnce = async (): Promise<OpenedWorkflowStore> => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    const again = await openAgain();
    const hold: OpenedWorkflowStore["hold"] = (sql, values, meanwhile) =>
      database.transaction(async (transaction) => {
        await transaction.query(sql, values);
        await meanwhile();
      });
    return {
      store: new PostgresWorkflowStore(database),
      other: new PostgresWorkflowStore(again),
      rows: async (sql, values) => (await database.query(sql, values)).rows,
      hold: database.kind === "pglite" ? undefined : hold,
      someoneWaits: async () => {
        while ((await again.query(WAITING)).rowCount === 0);
      },
    };
  };
  return () => {
    opened ??= openOnce();
    return opened;
  };
}

for (const target of storeDatabases()) {
  const open = opener(target);
  describeWorkflowStore(target.name, open);
  describeWorkflowCalls(target.name, open);
}
