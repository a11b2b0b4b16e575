import type { Migration } from "../migrate.js";

/** What was learnt from the calls of one user is a separate capability, even if another has the same code. */
export const observedApart: Migration = {
  id: "0029-observed-apart",
  statements: [
    "alter table capability_records add column observed_for text",
    "drop index capability_records_live_code",
    `create unique index capability_records_live_code
       on capability_records (org, project, code_hash, coalesce(observed_for, ''))
       where deleted_at is null and code_hash is not null and forked_from is null`,
  ],
};
