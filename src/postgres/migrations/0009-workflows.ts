import type { Migration } from "../migrate.js";

/** Runs that wait for a person, their calls, and permanent approvals. */
export const workflows: Migration = {
  id: "0009-workflows",
  statements: [
    // Texts of agents and tools are json, not jsonb, which refuses \u0000 and changes the text: texts are compared to
    // see whether a run still asks what a person decided about.
    `create table workflow_runs (
       workflow_id text collate "C" primary key,
       org         text collate "C" not null,
       project     text collate "C" not null,
       user_name   text collate "C" not null,
       mode        text not null,
       state       text not null check (state in ('waiting', 'approved', 'running', 'rejected', 'ended')),
       request     json not null,
       fingerprint text not null,
       seed        text not null,
       started_at  bigint not null,
       approval    json,
       approved    json,
       decided_by  text,
       decided_at  timestamptz,
       owner       text collate "C",
       lease_until timestamptz,
       created_at  timestamptz not null default now(),
       expires_at  timestamptz not null,
       answer      json,
       constraint workflow_runs_asked check (state <> 'waiting' or approval is not null),
       constraint workflow_runs_owner check ((state = 'running') = (owner is not null)),
       constraint workflow_runs_lease check ((owner is null) = (lease_until is null)),
       constraint workflow_runs_answer check ((state = 'ended') = (answer is not null))
     )`,
    `create index workflow_runs_waiting on workflow_runs (org, project, created_at, workflow_id)
       where state = 'waiting'`,
    `create index workflow_runs_open on workflow_runs (org, project, user_name, fingerprint)
       where state in ('waiting', 'approved')`,
    "create index workflow_runs_expires_at on workflow_runs (expires_at)",
    `create table workflow_calls (
       workflow_id text collate "C" not null references workflow_runs (workflow_id) on delete cascade,
       seq         integer not null check (seq >= 1),
       task_id     text collate "C" not null,
       tool        text collate "C" not null,
       args        json not null,
       args_hash   text not null,
       seen        integer not null check (seen >= 0),
       clock       json,
       state       text not null check (state in ('held', 'sent', 'answered')),
       answer_seq  integer check (answer_seq >= 1),
       answer      json,
       duration_ms double precision check (duration_ms >= 0),
       sent_at     timestamptz,
       doubt       json,
       primary key (workflow_id, seq),
       constraint workflow_calls_task unique (workflow_id, task_id),
       constraint workflow_calls_answer_seq unique (workflow_id, answer_seq),
       constraint workflow_calls_answered check (
         (state = 'answered') = (answer_seq is not null)
         and (answer_seq is null) = (answer is null) and (answer is null) = (duration_ms is null))
     )`,
    // A changed tool object counts as another tool: gateways that see different versions of a server have one row each.
    `create table tool_approvals (
       org         text collate "C" not null,
       project     text collate "C" not null,
       tool        text collate "C" not null,
       hash        text collate "C" not null,
       approved_by text not null,
       approved_at timestamptz not null,
       primary key (org, project, tool, hash)
     )`,
  ],
};
