import type { Migration } from "../migrate.js";

/** An index on the tools of versions: a changed tool affects every version that uses it, not only the newest. */
export const versionTools: Migration = {
  id: "0028-version-tools",
  isAdditive: true,
  statements: [
    // No pending list: PGlite has no autovacuum to empty it.
    "create index capability_versions_tools_used on capability_versions using gin (tools_used) with (fastupdate = off)",
  ],
};
