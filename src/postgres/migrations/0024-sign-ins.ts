import type { Migration } from "../migrate.js";

/** Sign-ins to servers, sealed: see `registry/sign-in-store.ts`. */
export const signIns: Migration = {
  id: "0024-sign-ins",
  statements: [
    `create table sign_ins (
      server text not null,
      address text not null,
      owner text not null,
      key_id text not null,
      issuer text not null,
      sealed text not null,
      updated_at timestamptz not null default now(),
      primary key (server, address, owner, key_id)
    )`,
  ],
};
