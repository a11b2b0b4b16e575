import type { Migration } from "../migrate.js";

/**
 * Real tools: their objects as sent by the servers, their wire names, and their usage.
 *
 * Names sort as bytes (`collate "C"`): an order that depends on the server's locale would differ between PGlite and
 * PostgreSQL.
 */
export const tools: Migration = {
  id: "0001-tools",
  statements: [
    // Tool objects are json, not jsonb: servers may send any text, and jsonb refuses \u0000 and lone surrogates and
    // loses the order of keys. Nothing searches inside them.
    `create table tool_schema (
       server                 text collate "C" not null,
       name                   text collate "C" not null,
       pinned_hash            text not null,
       pinned_tool            json not null,
       current_hash           text,
       current_tool           json,
       changed_at             timestamptz,
       first_seen_at          timestamptz not null default now(),
       last_seen_at           timestamptz not null default now(),
       observed_output_schema json,
       primary key (server, name),
       constraint tool_schema_change_is_whole check (
         (current_hash is null) = (current_tool is null) and (current_hash is null) = (changed_at is null)
       )
     )`,
    // Capabilities are counted here too, under the server pml-capabilities, so there is no foreign key to a tool.
    `create table tool_usage (
       id          bigint generated always as identity primary key,
       server_id   text collate "C" not null,
       tool_name   text collate "C" not null,
       org         text not null,
       project     text not null,
       user_name   text not null,
       called_at   timestamptz not null,
       duration_ms double precision not null,
       success     boolean not null,
       error_code  text
     )`,
    // For deleting old rows.
    "create index tool_usage_called_at on tool_usage (called_at)",
    // Clients may treat names with the same fold as one name, so the fold must be unique.
    `create table wire_name (
       id       text collate "C" primary key,
       name     text collate "C" not null,
       fold     text collate "C" not null unique,
       given_at timestamptz not null default now()
     )`,
  ],
};
