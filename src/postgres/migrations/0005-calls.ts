import type { Migration } from "../migrate.js";

/** An index to find the callers of a capability, for each update and lookup. */
export const calls: Migration = {
  id: "0005-calls",
  statements: [
    "create index workflow_pattern_dependencies on workflow_pattern using gin (dependencies) with (fastupdate = off)",
  ],
};
