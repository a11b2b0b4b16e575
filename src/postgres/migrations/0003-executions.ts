import type { Migration } from "../migrate.js";

/** Runs: what happened in each, and results that were too long to show at once. */
export const executions: Migration = {
  id: "0003-executions",
  statements: [
    // A failed run may be of code that never became a capability. The parent is not a foreign key: a nested run ends
    // before its parent, and is written first. Results are json, not jsonb, which refuses \u0000.
    `create table execution_trace (
       trace_id           uuid primary key default gen_random_uuid(),
       parent_trace_id    uuid,
       workflow_id        text,
       capability_id      text collate "C",
       capability_version integer,
       code_hash          text check (code_hash ~ '^[0-9a-f]{64}$'),
       intent             text,
       executed_path      text[] not null default '{}',
       decisions          jsonb not null default '[]',
       task_results       json not null default '[]',
       success            boolean not null,
       duration_ms        double precision not null check (duration_ms >= 0),
       error_code         text,
       error_message      text,
       org                text collate "C" not null,
       project            text collate "C" not null,
       user_name          text not null,
       executed_at        timestamptz not null default now(),
       constraint execution_trace_version foreign key (capability_id, capability_version)
         references capability_versions (capability_fqdn, version),
       constraint execution_trace_capability check ((capability_id is null) = (capability_version is null)),
       constraint execution_trace_error check (not success or (error_code is null and error_message is null))
     )`,
    "create index execution_trace_capability on execution_trace (capability_id, executed_at)",
    "create index execution_trace_parent on execution_trace (parent_trace_id)",
    "create index execution_trace_executed_at on execution_trace (executed_at)",
    `create table task_results (
       workflow_id text collate "C" not null,
       task_id     text collate "C" not null,
       org         text collate "C" not null,
       project     text collate "C" not null,
       user_name   text not null,
       result      json not null,
       created_at  timestamptz not null default now(),
       expires_at  timestamptz not null,
       primary key (workflow_id, task_id)
     )`,
    "create index task_results_expires_at on task_results (expires_at)",
  ],
};
