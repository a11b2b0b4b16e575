import type { Migration } from "../migrate.js";

/** The source of code that was not written as code: the graph of tasks, or the tool that it stands for. */
export const sources: Migration = {
  id: "0012-sources",
  statements: ["alter table capability_versions add column definition json"],
};
