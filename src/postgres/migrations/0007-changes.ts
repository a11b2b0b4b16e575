import type { Migration } from "../migrate.js";

/** With the feed off nothing is logged, because an embedded store has only one gateway. */
const FEED_IS_ON = "current_setting('pml.feed', true) is distinct from 'off'";

/**
 * The log of changes, for the other gateways of the store (`change-feed.ts` reads it).
 *
 * Rows are identified by the transaction that wrote them, not by a serial number: numbers are assigned before
 * transactions commit, so a reader that remembers the highest number misses those that commit later.
 */
export const changes: Migration = {
  id: "0007-changes",
  statements: [
    // An empty id means that all of this kind must be read again.
    `create table change_log (
       xid  xid8 not null default pg_current_xact_id(),
       kind text collate "C" not null check (kind in ('capability', 'server', 'key')),
       id   text collate "C" not null,
       primary key (xid, kind, id)
     )`,
    // Changes that were committed before this mark may be deleted when the mark is old. A time in the rows would not
    // work: a row may be hours old when its transaction commits.
    `create table change_mark (
       is_only  boolean primary key default true check (is_only),
       snapshot pg_snapshot not null default pg_current_snapshot(),
       taken_at timestamptz not null default now()
     )`,
    "insert into change_mark default values",
    `create function pml_log_records() returns trigger language plpgsql as $$
     begin
       insert into change_log (kind, id)
         select case record_type when 'mcp-server' then 'server' else 'capability' end, id from changed
         on conflict do nothing;
       return null;
     end $$`,
    `create function pml_log_kind() returns trigger language plpgsql as $$
     begin
       insert into change_log (kind, id) values (tg_argv[0], '') on conflict do nothing;
       return null;
     end $$`,
    // Only a wake-up, without data: listeners read the log. All stores of the database share the channel.
    `create function pml_wake() returns trigger language plpgsql as $$
     begin
       perform pg_notify('pml_change', tg_table_schema);
       return null;
     end $$`,
    `create trigger capability_records_log_insert after insert on capability_records
       referencing new table as changed for each statement when (${FEED_IS_ON}) execute function pml_log_records()`,
    `create trigger capability_records_log_update after update on capability_records
       referencing new table as changed for each statement when (${FEED_IS_ON}) execute function pml_log_records()`,
    `create trigger capability_records_log_delete after delete on capability_records
       referencing old table as changed for each statement when (${FEED_IS_ON}) execute function pml_log_records()`,
    `create trigger capability_records_wake after insert or delete on capability_records
       for each statement when (${FEED_IS_ON}) execute function pml_wake()`,
    // Not for counters, which change all the time, nor for what is written together with them: other gateways find
    // those with their next poll.
    `create trigger capability_records_wake_update
       after update of display_name, version, version_tag, tags, visibility, routing, code_url, deleted_at, updated_at
       on capability_records for each statement when (${FEED_IS_ON}) execute function pml_wake()`,
    `create trigger trusted_keys_log after insert or update or delete on trusted_keys
       for each statement when (${FEED_IS_ON}) execute function pml_log_kind('key')`,
    `create trigger trusted_keys_wake after insert or update or delete on trusted_keys
       for each statement when (${FEED_IS_ON}) execute function pml_wake()`,
  ],
};
