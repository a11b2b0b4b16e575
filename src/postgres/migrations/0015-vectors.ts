import type { Migration } from "../migrate.js";

/** Vectors of texts, by content: equal texts share a vector. */
export const vectors: Migration = {
  id: "0015-vectors",
  statements: [
    `create table embeddings (
       model_id     text collate "C" not null,
       content_hash bytea not null,
       vector       bytea not null,
       used_at      timestamptz not null default now(),
       primary key (model_id, content_hash)
     )`,
    // Vectors do not compress well.
    "alter table embeddings alter column vector set storage external",
    "create index embeddings_used on embeddings (used_at)",
  ],
};
