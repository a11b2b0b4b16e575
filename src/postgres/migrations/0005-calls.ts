import type { Migration } from "../migrate.js";

/** Who calls a capability? Asked whenever one is updated or looked up. */
export const calls: Migration = {
  id: "0005-calls",
  statements: [
    "create index workflow_pattern_dependencies on workflow_pattern using gin (dependencies) with (fastupdate = off)",
  ],
};
