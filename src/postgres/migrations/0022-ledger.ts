import type { Migration } from "../migrate.js";

/** What runs from memory saved, and what the run that created a version took. */
export const ledger: Migration = {
  id: "0022-ledger",
  isAdditive: true,
  statements: [
    // Null where no run is known that created the version: it is older, or was saved, imported, forked or merged.
    `alter table capability_versions
       add column cold_ms double precision,
       add column cold_result_tokens bigint`,
    // Counted when the ledger is first read: versions are append-only, and most are never asked for.
    `create table capability_code_tokens (
       capability_fqdn text collate "C" not null,
       version         integer not null,
       tokens          bigint not null check (tokens >= 0),
       primary key (capability_fqdn, version)
     )`,
    // Days are UTC; those that are long past are added together as -infinity.
    `create table capability_savings (
       capability_fqdn text collate "C" not null,
       version         integer not null,
       day             date not null,
       runs            bigint not null,
       code_runs       bigint not null,
       sent_tokens     bigint not null,
       result_tokens   bigint not null,
       ms              bigint not null,
       primary key (capability_fqdn, version, day),
       constraint capability_savings_version foreign key (capability_fqdn, version)
         references capability_versions (capability_fqdn, version),
       constraint capability_savings_counts check (
         code_runs between 0 and runs and sent_tokens >= 0 and result_tokens >= 0 and ms >= 0)
     )`,
  ],
};
