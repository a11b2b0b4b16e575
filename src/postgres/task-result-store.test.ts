import {
  describeTaskResultStore,
  type OpenedResultStore,
} from "../../test/suites/task-result-store.suite.js";
import { DATABASES, type TestDatabase } from "../../test/support/databases.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresTaskResultStore } from "./task-result-store.js";

/** One migrated schema per database, emptied for each test. */
function emptied({ open }: TestDatabase): () => Promise<OpenedResultStore> {
  let migrated: Promise<Database> | undefined;
  const openMigrated = async (): Promise<Database> => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    return database;
  };
  return async () => {
    migrated ??= openMigrated();
    const database = await migrated;
    await database.query("truncate task_results, execution_trace");
    return {
      store: new PostgresTaskResultStore(database),
      trace: async (workflowId, tasks, at) => {
        const outcomes = tasks.map((taskId) => ({ taskId, tool: "a:b", success: true, durationMs: 1 }));
        await database.query(
          `insert into execution_trace (workflow_id, task_results, success, duration_ms, org, project, user_name, executed_at)
           values ($1, $2, true, 1, 'local', 'default', 'ada', $3)`,
          [workflowId, JSON.stringify(outcomes), at],
        );
      },
      count: async () => {
        const { rows } = await database.query<{ readonly n: number }>(
          "select count(*) as n from task_results",
        );
        return rows[0]?.n ?? 0;
      },
    };
  };
}

for (const target of DATABASES) describeTaskResultStore(target.name, emptied(target));
