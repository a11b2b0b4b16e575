import type { Migration } from "../migrate.js";

const FEED_IS_ON = "current_setting('pml.feed', true) is distinct from 'off'";

/**
 * Announces changes of runs and approvals to people who watch them at another gateway of the store. A row of
 * `change_log` names a project as `org/project`, not a run: the watching gateway reads the list again.
 */
export const watchedRuns: Migration = {
  id: "0025-watched-runs",
  statements: [
    "alter table change_log drop constraint change_log_kind_check",
    `alter table change_log add constraint change_log_kind_check
       check (kind in ('capability', 'server', 'key', 'cache', 'tool', 'run', 'approval'))`,
    `create function pml_log_projects() returns trigger language plpgsql as $$
     begin
       insert into change_log (kind, id)
         select distinct tg_argv[0], org || '/' || project from changed
         on conflict do nothing;
       return null;
     end $$`,
    `create trigger execution_trace_log after insert on execution_trace
       referencing new table as changed for each statement when (${FEED_IS_ON})
       execute function pml_log_projects('run')`,
    `create trigger execution_trace_wake after insert on execution_trace
       for each statement when (${FEED_IS_ON}) execute function pml_wake()`,
    `create trigger workflow_runs_log_insert after insert on workflow_runs
       referencing new table as changed for each statement when (${FEED_IS_ON})
       execute function pml_log_projects('approval')`,
    // Not for renewed leases: each gateway renews those of its runs every few seconds.
    `create function pml_log_workflows() returns trigger language plpgsql as $$
     begin
       insert into change_log (kind, id)
         select distinct 'approval', changed.org || '/' || changed.project
           from changed join former using (workflow_id)
          where changed.state <> former.state or changed.expires_at <> former.expires_at
         on conflict do nothing;
       if found then perform pg_notify('pml_change', tg_table_schema); end if;
       return null;
     end $$`,
    `create trigger workflow_runs_log_update after update on workflow_runs
       referencing new table as changed old table as former for each statement when (${FEED_IS_ON})
       execute function pml_log_workflows()`,
    `create trigger workflow_runs_wake after insert on workflow_runs
       for each statement when (${FEED_IS_ON}) execute function pml_wake()`,
  ],
};
