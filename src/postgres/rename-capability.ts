import { PmlError } from "../base/pml-error.js";
import type { Visibility } from "../registry/capability.js";
import type { RenameRequest } from "../registry/capability-store.js";
import { type DisplayName, foldDisplayName, isUnnamed } from "../registry/display-name.js";
import { splitFqdn } from "../registry/fqdn.js";
import { namedSince } from "../registry/missing-capability.js";
import { creatorOf } from "../registry/visibility.js";
import { findHolder, moveName, nameHeld, nameLock, takeLocks } from "./capability-names.js";
import type { NamedStatement, Queryable } from "./database.js";
import { toSqlText } from "./sql-text.js";

const LOCK: NamedStatement = {
  name: "capability_rename_lock",
  text: `select display_name, visibility from capability_records
     where id = $1 and record_type = 'capability' and deleted_at is null for no key update`,
};

const CHANGE: NamedStatement = {
  name: "capability_rename",
  text: `update capability_records set
      display_name = $2, display_name_fold = $3, visibility = $4, tags = coalesce($5::text[], tags),
      cache_policy = coalesce($7, cache_policy), ttl = case when $8::boolean then $9::integer else ttl end,
      cache_person_version = case when $7::text is null then cache_person_version when $10::boolean then version end,
      updated_by = $6, updated_at = now(), revision = revision + 1
    where id = $1`,
};

const DESCRIBE: NamedStatement = {
  name: "capability_describe",
  text: `update workflow_pattern set description = $2
    where pattern_id = (select workflow_pattern_id from capability_records where id = $1)`,
};

interface RecordRow {
  readonly display_name: DisplayName;
  readonly visibility: Visibility;
}

/** Changes what people call a capability and say of it, inside one transaction. Names are those of its own scope. */
export async function renameCapability(transaction: Queryable, request: RenameRequest): Promise<void> {
  const { fqdn, newName, from, description, tags, curatedBy } = request;
  const home = splitFqdn(fqdn);
  if (newName !== undefined) await takeLocks(transaction, [nameLock(home, newName)]);
  const { rows } = await transaction.query<RecordRow>(LOCK, [fqdn]);
  const [record] = rows;
  if (record === undefined) throw new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${fqdn}`);
  const oldName = record.display_name;
  if (from !== undefined && from !== oldName) throw namedSince(from, oldName);
  const renamedBy = creatorOf(request.scope);
  if (newName !== undefined && newName !== oldName) {
    const holder = await findHolder(transaction, home, newName);
    if (holder !== undefined && holder.fqdn !== fqdn)
      throw nameHeld(newName, request.scope, holder, "Choose another name.");
    await moveName(transaction, home, { fqdn, oldName, newName, actor: request.actor, renamedBy, curatedBy });
  }
  const name = newName ?? oldName;
  // What gets its first name is for the project from then on, unless it is said otherwise.
  const isFirstName = isUnnamed(oldName) && !isUnnamed(name) && record.visibility === "private";
  await transaction.query(CHANGE, [
    fqdn,
    name,
    foldDisplayName(name),
    request.visibility ?? (isFirstName ? "project" : record.visibility),
    tags === undefined ? null : tags.map(toSqlText),
    renamedBy,
    request.cachePolicy ?? null,
    request.ttlSeconds !== undefined,
    request.ttlSeconds ?? null,
    request.actor === "user",
  ]);
  if (description !== undefined)
    await transaction.query(DESCRIBE, [fqdn, description === "" ? null : toSqlText(description)]);
}
