import type { Migration } from "../migrate.js";

/** The savings of runs from memory, and the cost of the run that created a version. */
export const ledger: Migration = {
  id: "0022-ledger",
  isAdditive: true,
  statements: [
    // Null if no run is known to have created the version: it is older than this column, or was saved, imported, forked
    // or merged.
    `alter table capability_versions
       add column cold_ms double precision,
       add column cold_result_tokens bigint`,
    // Counted when the ledger is first read: versions are append-only, and most are never needed.
    `create table capability_code_tokens (
       capability_fqdn text collate "C" not null,
       version         integer not null,
       tokens          bigint not null check (tokens >= 0),
       primary key (capability_fqdn, version)
     )`,
    // Days are UTC; the sums of old days are in one row with the day -infinity.
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
