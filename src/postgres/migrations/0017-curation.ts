import type { Migration } from "../migrate.js";

/** Suggested names, the runs of curation, and the origin of given names. */
export const curation: Migration = {
  id: "0017-curation",
  statements: [
    // `basis` identifies what a suggestion was made from; the suggestion is valid as long as that is unchanged.
    `create table name_suggestions (
       capability_fqdn text collate "C" primary key references capability_records (id),
       basis           text not null,
       name            text not null,
       confidence      double precision not null check (confidence between 0 and 1),
       tools_part      double precision not null,
       intent_part     double precision not null,
       uniqueness_part double precision not null,
       reasons         text[] not null,
       description     text not null,
       tags            text[] not null,
       near            text[] not null,
       suggested_by    text not null,
       suggested_at    timestamptz not null default clock_timestamp()
     )`,
    // A gateway that is killed leaves its run open: another gateway continues it when the lease has expired.
    `create table curation_runs (
       org         text collate "C" not null,
       project     text collate "C" not null,
       user_name   text collate "C" not null,
       owner       text not null,
       lease_until timestamptz not null,
       is_open     boolean not null,
       started_at  timestamptz not null default clock_timestamp(),
       primary key (org, project, user_name)
     )`,
    "alter table rename_history add column curated_by text",
  ],
};
