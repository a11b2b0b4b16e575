import {
  describeTaskResultStore,
  type OpenedResultStore,
} from "../../test/suites/task-result-store.suite.js";
import { storeDatabases, type TestDatabase } from "../../test/support/databases.js";
import { migratedOnce } from "../../test/support/migrated.js";
import { PostgresTaskResultStore } from "./task-result-store.js";

/** Emptied for each test. */
function emptied(target: TestDatabase): () => Promise<OpenedResultStore> {
  const open = migratedOnce(target);
  return async () => {
    const [database] = await open();
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

for (const target of storeDatabases()) describeTaskResultStore(target.name, emptied(target));
