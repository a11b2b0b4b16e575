import type { Migration } from "../migrate.js";

/** Runs that wait for a person, their calls, and what was approved for good. */
export const workflows: Migration = {
  id: "0009-workflows",
  statements: [],
};
