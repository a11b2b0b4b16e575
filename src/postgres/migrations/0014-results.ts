import type { Migration } from "../migrate.js";

/** Results of tasks that are gone, or were never kept, leave a row that says so. */
export const results: Migration = {
  id: "0014-results",
  statements: [
    // Compressing what is kept for an hour takes longer than writing it.
    `alter table task_results
       alter column result drop not null,
       alter column result set storage external,
       add column not_kept text`,
    // What is removed next: rows that only say that something was there are not looked at again.
    "create index task_results_kept on task_results (expires_at) where result is not null",
    "create index if not exists execution_trace_workflow on execution_trace (workflow_id)",
  ],
};
