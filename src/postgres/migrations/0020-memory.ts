import type { Migration } from "../migrate.js";

/** Further intents that a capability was created or named for, and the shape of its results so far. */
export const memory: Migration = {
  id: "0020-memory",
  statements: [
    "alter table capability_records add column other_intents text[] not null default '{}'",
    `create table capability_results (
       capability_fqdn text not null,
       version         integer not null,
       schema          json not null,
       updated_at      timestamptz not null default now(),
       primary key (capability_fqdn, version)
     )`,
  ],
};
