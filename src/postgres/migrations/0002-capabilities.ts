import type { Migration } from "../migrate.js";

/**
 * Capabilities: `workflow_pattern` has the content, `capability_records` has the identity. Unique constraints are not
 * deferrable: deferrable ones deadlock under concurrent renames, and `on conflict` cannot use them.
 */
export const capabilities: Migration = {
  id: "0002-capabilities",
  statements: [
    // Rates and averages are derived: several gateways can add to counters at once, but not to averages. Embeddings are
    // bytes, so that a server without pgvector can keep them too. The code of a dag or a tool is the JSON that
    // describes it.
    `create table workflow_pattern (
       pattern_id        uuid primary key default gen_random_uuid(),
       source            text not null check (source in ('code', 'dag', 'tool')),
       intent            text not null,
       description       text,
       code              text not null,
       canonical_code    text not null,
       lifted_code       text,
       code_hash         text not null check (code_hash ~ '^[0-9a-f]{64}$'),
       parameters_schema jsonb,
       tools_used        text[] not null default '{}',
       dag_structure     jsonb not null default '{}',
       intent_embedding  bytea,
       embedding_model   text,
       analysis_version  integer not null default 1,
       usage_count       bigint not null default 0,
       success_count     bigint not null default 0,
       total_latency_ms  bigint not null default 0,
       created_at        timestamptz not null default now(),
       last_used_at      timestamptz,
       constraint workflow_pattern_embedding_is_whole check ((intent_embedding is null) = (embedding_model is null)),
       constraint workflow_pattern_counts check (success_count between 0 and usage_count and total_latency_ms >= 0)
     )`,
    "create index workflow_pattern_code_hash on workflow_pattern (code_hash)",
    // Finds the capabilities that a changed tool affects. No pending list: PGlite has no autovacuum to empty it.
    "create index workflow_pattern_tools_used on workflow_pattern using gin (tools_used) with (fastupdate = off)",

    // `hash` is the short label in the FQDN, `code_hash` the identity of the code. A server has no code; a capability
    // must have some.
    `create table capability_records (
       id                  text collate "C" primary key,
       display_name        text collate "C" not null,
       display_name_fold   text collate "C" not null,
       record_type         text not null default 'capability' check (record_type in ('capability', 'mcp-server')),
       org                 text collate "C" not null,
       project             text collate "C" not null,
       namespace           text collate "C" not null,
       action              text collate "C" not null,
       hash                text collate "C" not null,
       code_hash           text check (code_hash ~ '^[0-9a-f]{64}$'),
       workflow_pattern_id uuid references workflow_pattern (pattern_id),
       created_by          text collate "C" not null,
       created_at          timestamptz not null default now(),
       updated_by          text,
       updated_at          timestamptz,
       version             integer not null default 1 check (version >= 1),
       version_tag         text,
       verified            boolean not null default false,
       signature           text,
       usage_count         bigint not null default 0,
       success_count       bigint not null default 0,
       total_latency_ms    bigint not null default 0,
       tags                text[] not null default '{}',
       visibility          text not null default 'private'
                           check (visibility in ('private', 'project', 'org', 'public')),
       routing             text not null default 'local' check (routing in ('local', 'cloud')),
       code_url            text,
       cache_policy        text not null default 'none',
       ttl                 integer check (ttl >= 0),
       parent_id           text references capability_records (id),
       forked_from         text,
       deleted_at          timestamptz,
       reserved_until      timestamptz,
       unique (org, project, namespace, action, hash),
       constraint capability_records_code check (
         record_type = 'mcp-server' or (code_hash is not null and workflow_pattern_id is not null)
       ),
       constraint capability_records_counts check (success_count between 0 and usage_count and total_latency_ms >= 0),
       constraint capability_records_reservation check (reserved_until is null or deleted_at is not null)
     )`,
    // One live capability per name. A predicate cannot use the time, so the transaction that gives a name checks that
    // names of deleted capabilities stay reserved.
    `create unique index capability_records_live_name
       on capability_records (org, project, display_name_fold) where deleted_at is null`,
    // If the same code is learnt twice at the same time, one insert wins.
    `create unique index capability_records_live_code
       on capability_records (org, project, code_hash) where deleted_at is null and code_hash is not null`,
    "create index capability_records_scope on capability_records (org, project)",
    "create index capability_records_display_name on capability_records (org, project, display_name)",
    "create index capability_records_namespace on capability_records (namespace)",
    "create index capability_records_created_by on capability_records (created_by)",
    "create index capability_records_tags on capability_records using gin (tags) with (fastupdate = off)",
    "create index capability_records_visibility on capability_records (visibility)",
    // PostgreSQL does not index foreign keys automatically.
    "create index capability_records_pattern on capability_records (workflow_pattern_id)",

    `create table capability_aliases (
       alias       text collate "C" not null,
       alias_fold  text collate "C" not null,
       org         text collate "C" not null,
       project     text collate "C" not null,
       target_fqdn text collate "C" not null references capability_records (id),
       created_at  timestamptz not null default now(),
       primary key (org, project, alias),
       unique (org, project, alias_fold)
     )`,
    "create index capability_aliases_target on capability_aliases (target_fqdn)",

    `create table rename_history (
       id              bigint generated always as identity primary key,
       capability_fqdn text collate "C" not null references capability_records (id),
       old_name        text not null,
       new_name        text not null,
       actor           text not null check (actor in ('user', 'agent', 'auto')),
       renamed_by      text not null,
       renamed_at      timestamptz not null default now()
     )`,
    "create index rename_history_capability on rename_history (capability_fqdn)",

    // The signature covers canonical code, parameters and FQDN; an imported version keeps the key that signed it.
    `create table capability_versions (
       id                bigint generated always as identity primary key,
       capability_fqdn   text collate "C" not null references capability_records (id),
       version           integer not null check (version >= 1),
       version_tag       text,
       code_snippet      text not null,
       canonical_code    text not null,
       code_hash         text not null check (code_hash ~ '^[0-9a-f]{64}$'),
       parameters_schema jsonb,
       signature         text,
       public_key        text,
       updated_by        text not null,
       updated_at        timestamptz not null default now(),
       change_summary    text,
       unique (capability_fqdn, version)
     )`,
    "create index capability_versions_code_hash on capability_versions (code_hash)",

    // Signatures and audits depend on the history, so the database itself refuses to change it.
    `create function pml_refuse_change() returns trigger language plpgsql as $$
     begin
       raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op)
         using errcode = 'restrict_violation';
     end $$`,
    `create trigger capability_versions_append_only before update or delete on capability_versions
       for each row execute function pml_refuse_change()`,
    `create trigger capability_versions_no_truncate before truncate on capability_versions
       for each statement execute function pml_refuse_change()`,
    `create trigger rename_history_append_only before update or delete on rename_history
       for each row execute function pml_refuse_change()`,
    `create trigger rename_history_no_truncate before truncate on rename_history
       for each statement execute function pml_refuse_change()`,
  ],
};
