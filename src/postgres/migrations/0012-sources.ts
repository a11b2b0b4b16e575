import type { Migration } from "../migrate.js";

/** What code was made from, where it was not written: the graph of tasks, or the tool that it stands for. */
export const sources: Migration = {
  id: "0012-sources",
  statements: ["alter table capability_versions add column definition json"],
};
