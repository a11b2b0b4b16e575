import type { Migration } from "../migrate.js";

/**
 * Learning from tool calls that clients make one by one. No values are stored: only counts, keyed hashes and decisions.
 */
export const observation: Migration = {
  id: "0026-observation",
  statements: [
    "alter table workflow_pattern drop constraint workflow_pattern_source_check",
    `alter table workflow_pattern add constraint workflow_pattern_source_check
       check (source in ('code', 'dag', 'tool', 'observed'))`,
    // Recognised by the hash of its calls, so a rejected candidate stays rejected.
    `create table observed_candidates (
       org             text not null,
       project         text not null,
       user_name       text not null,
       calls_hash      text not null,
       capability_fqdn text not null,
       state           text not null check (state in ('offered', 'accepted', 'rejected')),
       support         bigint not null check (support >= 0),
       evidence        json not null,
       created_at      timestamptz not null default clock_timestamp(),
       decided_at      timestamptz,
       primary key (org, project, user_name, calls_hash)
     )`,
    // One row for each time that calls with the same flow were made; both hashes are keyed.
    `create table observed_flows (
       org             text not null,
       project         text not null,
       user_name       text not null,
       flow_hash       text not null,
       occurrence_hash text not null,
       seen_at         timestamptz not null default clock_timestamp(),
       primary key (org, project, user_name, flow_hash, occurrence_hash)
     )`,
    "create index observed_flows_seen on observed_flows (seen_at)",
  ],
};
