import type { Migration } from "../migrate.js";

const FEED_IS_ON = "current_setting('pml.feed', true) is distinct from 'off'";

/** Access tokens for HTTP, and the audit log of decisions of people. */
export const doors: Migration = {
  id: "0023-doors",
  statements: [
    // A row without a valid signature is ignored. The signature does not cover the time of the last use.
    `create table access_tokens (
       name         text primary key,
       hash         text not null unique check (hash ~ '^[0-9a-f]{64}$'),
       role         text not null check (role in ('agent', 'person', 'reader')),
       org          text not null,
       project      text not null,
       user_name    text not null,
       created_by   text not null,
       created_at   timestamptz not null,
       expires_at   timestamptz,
       signature    text not null,
       last_used_at timestamptz
     )`,
    // Other gateways read keys and tokens again after a change. The use of a token is not logged.
    `create trigger access_tokens_log after insert or delete on access_tokens
       for each statement when (${FEED_IS_ON}) execute function pml_log_kind('key')`,
    `create trigger access_tokens_wake after insert or delete on access_tokens
       for each statement when (${FEED_IS_ON}) execute function pml_wake()`,
    // Each row has the hash of the previous one, so that no row can be changed, removed or moved unnoticed.
    `create table audit_log (
       number    bigint primary key check (number > 0),
       at        timestamptz not null,
       actor     text not null,
       role      text not null,
       via       text not null,
       org       text not null,
       project   text not null,
       operation text not null,
       subject   text not null,
       outcome   text not null,
       previous  text not null,
       hash      text not null check (hash ~ '^[0-9a-f]{64}$')
     )`,
    `create trigger audit_log_append_only before update or delete on audit_log
       for each row execute function pml_refuse_change()`,
    `create trigger audit_log_no_truncate before truncate on audit_log
       for each statement execute function pml_refuse_change()`,
  ],
};
