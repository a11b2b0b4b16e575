import type { Migration } from "../migrate.js";

/** What runs have in common: paths and decisions, counted beside the traces. */
export const paths: Migration = {
  id: "0010-paths",
  statements: [],
};
