import type { Migration } from "../migrate.js";

/** The origin of records, their signatures and cache policies, and the trusted keys. */
export const registry: Migration = {
  id: "0006-registry",
  statements: [
    // The key of the newest version, beside its signature: whether a capability is listed depends on whether its key is
    // trusted.
    `alter table capability_records
       add column routing_source text not null default 'tools' check (routing_source in ('tools', 'explicit')),
       add column merged_from text[] not null default '{}',
       add column public_key text,
       alter column cache_policy set default 'auto'`,
    `update capability_records as record set cache_policy = 'auto', public_key = stored.public_key
       from capability_versions as stored
      where stored.capability_fqdn = record.id and stored.version = record.version`,
    "update capability_records set cache_policy = 'auto'",
    `alter table capability_records add constraint capability_records_cache_policy
       check (cache_policy in ('auto', 'none', 'memoize', 'persistent'))`,
    // A fork starts with the same code, but is a separate capability.
    "drop index capability_records_live_code",
    `create unique index capability_records_live_code on capability_records (org, project, code_hash)
       where deleted_at is null and code_hash is not null and forked_from is null`,
    // A caller that pins a version calls what that version called, so callers are also searched among versions.
    `create index capability_versions_dependencies on capability_versions using gin (dependencies)
       with (fastupdate = off)`,
    // Code that was saved and has not run yet is trusted less than code that has succeeded once.
    "alter table capability_trust drop constraint capability_trust_state_check",
    `alter table capability_trust add constraint capability_trust_state_check
       check (state in ('unproven', 'provisional', 'verified', 'suspect', 'degraded'))`,
    `create table trusted_keys (
       public_key text collate "C" primary key,
       name       text not null,
       trusted_by text not null,
       trusted_at timestamptz not null default now()
     )`,
  ],
};
