import type { Migration } from "../migrate.js";

/** Versions become a chain: each has the hash of its signed content. Rows of trusted keys are signed too. */
export const signatures: Migration = {
  id: "0018-signatures",
  statements: [
    // Null if a version was signed before there was a chain.
    `alter table capability_versions
       add column signed_hash text check (signed_hash ~ '^[0-9a-f]{64}$')`,
    "create index capability_versions_no_hash on capability_versions (capability_fqdn) where signed_hash is null",
    // A signature may be replaced, for instance after a change of the key. The signed content may not change, and a
    // hash is set once.
    `create function pml_refuse_version_change() returns trigger language plpgsql as $$
     declare
       same capability_versions%rowtype;
     begin
       if tg_op = 'UPDATE' then
         same := new;
         same.signature := old.signature;
         same.public_key := old.public_key;
         if old.signed_hash is null then
           same.signed_hash := null;
         end if;
         if same::text = old::text then
           return new;
         end if;
       end if;
       raise exception '% is append-only: % is refused', tg_table_name, lower(tg_op)
         using errcode = 'restrict_violation';
     end $$`,
    "drop trigger capability_versions_append_only on capability_versions",
    `create trigger capability_versions_append_only before update or delete on capability_versions
       for each row execute function pml_refuse_version_change()`,
    // Null means trusted for every org. A row without a valid signature is ignored.
    `alter table trusted_keys
       add column orgs text[],
       add column signature text`,
  ],
};
