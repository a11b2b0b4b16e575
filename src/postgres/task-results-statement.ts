import type { KeptResult } from "../execution/run/task-results.js";
import { type Queryable, sql } from "./database.js";
import { textOrNull, toSqlText } from "./sql-text.js";

const ADD = sql("task_results_add")`
    insert into task_results (workflow_id, task_id, org, project, user_name, result, not_kept, expires_at)
    select one.workflow_id, one.task_id, one.org, one.project, one.user_name, one.result::json, one.not_kept,
           one.expires_at
      from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                  $8::timestamptz[])
        as one (workflow_id, task_id, org, project, user_name, result, not_kept, expires_at)
    on conflict (workflow_id, task_id) do update
      set org = excluded.org, project = excluded.project, user_name = excluded.user_name, result = excluded.result,
          not_kept = excluded.not_kept, created_at = now(), expires_at = excluded.expires_at`;

/** A later result of the same task takes the place of the earlier. */
export async function addResults(queryable: Queryable, results: readonly KeptResult[]): Promise<void> {
  await queryable.query(ADD, [
    results.map(({ workflowId }) => toSqlText(workflowId)),
    results.map(({ taskId }) => toSqlText(taskId)),
    results.map(({ scope }) => scope.org),
    results.map(({ scope }) => scope.project),
    results.map(({ scope }) => scope.user),
    results.map(({ text }) => text ?? null),
    results.map(({ notKept }) => textOrNull(notKept)),
    results.map(({ expiresAt }) => expiresAt),
  ]);
}
