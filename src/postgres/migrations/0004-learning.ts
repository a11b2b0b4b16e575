import type { Migration } from "../migrate.js";

/** What learning adds to the tables of capabilities: saved code, dependencies, creators, and trust. */
export const learning: Migration = {
  id: "0004-learning",
  statements: [
    // Literals of code become defaults of parameters. They are json, because jsonb refuses \u0000 and lone surrogates.
    `alter table workflow_pattern
       alter column parameters_schema type json using parameters_schema::json,
       alter column dag_structure drop default,
       alter column dag_structure type json using dag_structure::json,
       alter column dag_structure set default '{}',
       add column dependencies text[] not null default '{}'`,
    // Saved code has references to capabilities rewritten; null if there are none.
    `alter table capability_versions
       alter column parameters_schema type json using parameters_schema::json,
       add column saved_code text,
       add column tools_used text[] not null default '{}',
       add column dependencies text[] not null default '{}'`,
    // The revision orders the states of a record, for gateways that keep them in memory.
    `alter table capability_records
       add column creators text[] not null default '{}',
       add column revision bigint not null default 1`,
    "update capability_records set creators = array[created_by]",
    // One expression instead of three columns: PGlite gathers no statistics, and without them a planner considers the
    // index on (org, project, display_name) equally good, and reads the whole project.
    `create index capability_records_name_key
       on capability_records ((org || '.' || project || ':' || display_name_fold))`,
    // Separate from the versions, because those never change.
    `create table capability_trust (
       capability_fqdn   text collate "C" not null,
       version           integer not null,
       state             text not null check (state in ('provisional', 'verified', 'suspect', 'degraded')),
       first_args_hash   text,
       failures_in_a_row integer not null default 0 check (failures_in_a_row >= 0),
       updated_at        timestamptz not null default now(),
       primary key (capability_fqdn, version),
       constraint capability_trust_version foreign key (capability_fqdn, version)
         references capability_versions (capability_fqdn, version)
     )`,
    "alter table execution_trace add column args_hash text",
    "create index execution_trace_workflow on execution_trace (workflow_id)",
  ],
};
