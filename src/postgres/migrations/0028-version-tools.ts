import type { Migration } from "../migrate.js";

/** A changed tool concerns every version that uses it, not the newest alone. */
export const versionTools: Migration = {
  id: "0028-version-tools",
  isAdditive: true,
  statements: [
    // No pending list: PGlite has no autovacuum to empty it.
    "create index capability_versions_tools_used on capability_versions using gin (tools_used) with (fastupdate = off)",
  ],
};
