import type { Migration } from "../migrate.js";

/** With the feed off nothing is logged, because an embedded store has only one gateway. */
const FEED_IS_ON = "current_setting('pml.feed', true) is distinct from 'off'";

/** Cached results, and why they were dropped. */
export const caches: Migration = {
  id: "0011-caches",
  statements: [
    `create table capability_cache (
       id                 bigint generated always as identity primary key,
       capability_id      uuid not null references workflow_pattern (pattern_id) on delete cascade,
       capability_version integer not null,
       org                text collate "C" not null,
       project            text collate "C" not null,
       user_name          text collate "C" not null,
       params_hash        text collate "C" not null,
       result             json not null,
       tools              json not null,
       depends_on         text[] collate "C" not null,
       hit_count          bigint not null default 0,
       created_at         timestamptz not null default clock_timestamp(),
       expires_at         timestamptz not null,
       unique (capability_id, org, project, user_name, params_hash)
     )`,
    "create index capability_cache_depends_on on capability_cache using gin (depends_on)",
    "create index capability_cache_expires_at on capability_cache (expires_at)",
    // Set if a person decided how a capability is cached: the version that the decision was about.
    "alter table capability_records add column cache_person_version integer",
    `create table cache_invalidation_log (
       id                  bigint generated always as identity primary key,
       trigger_type        text not null,
       tool_id             text,
       capability_id       uuid,
       entries_invalidated integer not null,
       invalidated_by      text,
       timestamp           timestamptz not null default now()
     )`,
    "create index cache_invalidation_log_timestamp on cache_invalidation_log (timestamp)",
    // Every gateway has results in memory, and drops those that another gateway has dropped.
    `alter table change_log drop constraint change_log_kind_check,
       add constraint change_log_kind_check check (kind in ('capability', 'server', 'key', 'cache'))`,
    `create function pml_log_invalidations() returns trigger language plpgsql as $$
     begin
       insert into change_log (kind, id) select 'cache', id::text from changed on conflict do nothing;
       return null;
     end $$`,
    `create trigger cache_invalidation_log_log after insert on cache_invalidation_log
       referencing new table as changed for each statement when (${FEED_IS_ON})
       execute function pml_log_invalidations()`,
    `create trigger cache_invalidation_log_wake after insert on cache_invalidation_log
       for each statement when (${FEED_IS_ON}) execute function pml_wake()`,
  ],
};
