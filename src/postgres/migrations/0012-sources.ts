import type { Migration } from "../migrate.js";

/** What code was made from, where it was not written. */
export const sources: Migration = {
  id: "0012-sources",
  statements: [],
};
