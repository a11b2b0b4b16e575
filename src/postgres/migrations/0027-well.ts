import type { Migration } from "../migrate.js";

/** Recordings of runs, versions on trial, and former objects of changed tools. */
export const well: Migration = {
  id: "0027-well",
  statements: [
    // Recordings are kept for the version that made them; later versions are tested with them until they have their
    // own.
    `create table capability_recordings (
       capability_fqdn text collate "C" not null,
       version         integer not null,
       digest          text collate "C" not null check (digest ~ '^[0-9a-f]{64}$'),
       body            json not null,
       made_by         text not null,
       made_at         timestamptz not null default now(),
       primary key (capability_fqdn, version, digest),
       constraint capability_recordings_version foreign key (capability_fqdn, version)
         references capability_versions (capability_fqdn, version)
     )`,
    // Counted for each version, so that a new one can be compared with the previous one.
    `alter table capability_trust
       add column runs      bigint not null default 0,
       add column successes bigint not null default 0`,
    `update capability_trust as trust set runs = record.usage_count, successes = record.success_count
       from capability_records as record
      where record.id = trust.capability_fqdn and record.version = 1 and trust.version = 1`,
    // What the pattern had for a version, to restore it when a later version is rolled back.
    `create table capability_version_facts (
       capability_fqdn  text collate "C" not null,
       version          integer not null,
       source           text not null,
       intent           text not null,
       description      text,
       dag_structure    json,
       analysis_version integer not null,
       lifted_code      text not null,
       routing          text not null,
       primary key (capability_fqdn, version),
       constraint capability_version_facts_version foreign key (capability_fqdn, version)
         references capability_versions (capability_fqdn, version)
     )`,
    // `promoted_version` is the version for all users while newer ones are on trial for their authors; null: all users
    // get the current version. `newest_version` differs from the current version after a rollback; null: they are the
    // same.
    `alter table capability_records
       add column promoted_version integer,
       add column newest_version   integer`,
    `create table capability_promotions (
       id              bigint generated always as identity primary key,
       capability_fqdn text collate "C" not null,
       version         integer not null,
       kind            text collate "C" not null check (kind in ('trial', 'promoted', 'held', 'rolled_back')),
       to_version      integer,
       reason          text not null,
       decided_by      text,
       decided_at      timestamptz not null default now(),
       constraint capability_promotions_version foreign key (capability_fqdn, version)
         references capability_versions (capability_fqdn, version)
     )`,
    "create index capability_promotions_capability on capability_promotions (capability_fqdn, version, id)",
    `create trigger capability_promotions_append_only before update or delete on capability_promotions
       for each row execute function pml_refuse_change()`,
    `create trigger capability_promotions_no_truncate before truncate on capability_promotions
       for each statement execute function pml_refuse_change()`,
    `create trigger capability_records_wake_promotion after update of promoted_version on capability_records
       for each statement when (current_setting('pml.feed', true) is distinct from 'off') execute function pml_wake()`,
    // Former tool objects, for capabilities that are in trouble because the tool has changed.
    `create table tool_objects (
       hash text collate "C" primary key,
       tool json not null
     )`,
    "alter table capability_troubles add column before_hash text",
  ],
};
