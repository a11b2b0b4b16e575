/**
 * Deletes a capability inside one transaction: it marks the record, which keeps all data and reserves the names for a
 * while.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { DeleteRequest, UndeleteRequest } from "../registry/capability-store.js";
import type { DisplayName } from "../registry/display-name.js";
import { splitFqdn } from "../registry/fqdn.js";
import { creatorOf } from "../registry/visibility.js";
import { codeLock, findHolder, nameLock, refuseSameCode, takeLocks } from "./capability-names.js";
import { type Queryable, sql } from "./database.js";

const DELETE = sql("capability_delete")`update capability_records set
      deleted_at = now(), reserved_until = now() + make_interval(days => $2), updated_by = $3, updated_at = now(),
      revision = revision + 1
    where id = $1 and record_type = 'capability' and deleted_at is null`;

/**
 * By the clock: the `now()` of a transaction that has waited for locks since before the deletion would still be in the
 * reserved time.
 */
const DELETED = sql("capability_deleted")`select display_name, code_hash, forked_from,
      array(select alias from capability_aliases where target_fqdn = $1) as aliases,
      array(select distinct code_hash from capability_versions where capability_fqdn = $1) as codes
    from capability_records where id = $1 and deleted_at is not null and reserved_until > clock_timestamp()`;

const UNDELETE = sql("capability_undelete")`update capability_records set
      deleted_at = null, reserved_until = null, updated_by = $2, updated_at = now(), revision = revision + 1
    where id = $1 and deleted_at is not null and reserved_until > clock_timestamp()`;

interface DeletedRow {
  readonly display_name: DisplayName;
  readonly code_hash: string;
  readonly forked_from: string | null;
  readonly aliases: readonly DisplayName[];
  /** The code hashes of all versions. */
  readonly codes: readonly string[];
}

export async function deleteCapability(
  transaction: Queryable,
  { fqdn, scope, reserveDays }: DeleteRequest,
): Promise<void> {
  const { rowCount } = await transaction.query(DELETE, [fqdn, reserveDays, creatorOf(scope)]);
  if (rowCount === 0) throw new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${fqdn}`);
}

/** Restores a deleted capability. Its names were reserved, so they are free for it; its code was not. */
export async function undeleteCapability(
  transaction: Queryable,
  { fqdn, scope }: UndeleteRequest,
): Promise<void> {
  const home = splitFqdn(fqdn);
  const { rows } = await transaction.query<DeletedRow>(DELETED, [fqdn]);
  const [deleted] = rows;
  if (deleted === undefined) throw notDeleted(fqdn);
  // Transactions that learn code or take a name rely on these locks: no holder may appear meanwhile.
  await takeLocks(transaction, [
    ...deleted.codes.map((codeHash) => codeLock(home, codeHash)),
    ...[deleted.display_name, ...deleted.aliases].map((name) => nameLock(home, name)),
  ]);
  // While this transaction waited for the lock, the capability may have been restored, renamed and deleted again; then
  // the wrong name is locked.
  const [still] = (await transaction.query<DeletedRow>(DELETED, [fqdn])).rows;
  if (still?.display_name !== deleted.display_name) throw notDeleted(fqdn);
  const holder = await findHolder(transaction, home, deleted.display_name);
  // The reservation expired after this transaction began, and another capability took the name.
  if (holder?.fqdn !== fqdn) throw notDeleted(fqdn);
  if (deleted.forked_from === null)
    await refuseSameCode(
      transaction,
      home,
      deleted.code_hash,
      scope,
      (name) => `Cannot undelete ${deleted.display_name}: the same code is ${name} now`,
    );
  const { rowCount } = await transaction.query(UNDELETE, [fqdn, creatorOf(scope)]);
  if (rowCount === 0) throw notDeleted(fqdn);
}

function notDeleted(fqdn: string): PmlError {
  return new PmlError("CAPABILITY_NOT_FOUND", `Nothing to undelete: ${fqdn}`, {
    hint: "It is not deleted, or it can no longer be restored.",
  });
}
