import type { Migration } from "../migrate.js";

/** How much of the tools each scope lists, and in which order: a list that changes costs clients their prompt cache. */
export const toolLists: Migration = {
  id: "0021-tool-lists",
  statements: [
    `create table tool_list (
      view text primary key,
      mode text not null check (mode in ('all', 'lean')),
      ranked text[] not null,
      fresh text[] not null,
      ranked_at timestamptz not null
    )`,
  ],
};
