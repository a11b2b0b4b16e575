import type { Migration } from "../migrate.js";

/** A result of a task that is deleted, or was never kept, leaves a row that says so. */
export const results: Migration = {
  id: "0014-results",
  statements: [
    // Compressing a result that is kept for an hour takes longer than writing it.
    `alter table task_results
       alter column result drop not null,
       alter column result set storage external,
       add column not_kept text`,
    // For deleting results: rows without a result are not visited again.
    "create index task_results_kept on task_results (expires_at) where result is not null",
    "create index if not exists execution_trace_workflow on execution_trace (workflow_id)",
  ],
};
