import type { Migration } from "../migrate.js";

/** Results that are kept for the next time, and why they were dropped. */
export const caches: Migration = {
  id: "0011-caches",
  statements: [],
};
