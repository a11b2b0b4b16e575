import type { Migration } from "../migrate.js";

/** A capability gives its name up to a real tool of the same name; its history records which tool. */
export const names: Migration = {
  id: "0019-names",
  statements: [
    "alter table rename_history add column gave_way_to text",
    "create index rename_history_gave_way on rename_history (capability_fqdn) where gave_way_to is not null",
  ],
};
