import { PmlError } from "../base/pml-error.js";
import type { Visibility } from "../registry/capability.js";
import type { GivenWay, GiveWayRequest, RenameRequest } from "../registry/capability-store.js";
import { type DisplayName, foldDisplayName, isUnnamed } from "../registry/display-name.js";
import { splitFqdn } from "../registry/fqdn.js";
import { namedSince } from "../registry/missing-capability.js";
import { creatorOf } from "../registry/visibility.js";
import { findHolder, freeAlias, moveName, nameHeld, nameLock, takeLocks } from "./capability-names.js";
import { type CapabilityRow, SELECT_CAPABILITIES, toCapability } from "./capability-rows.js";
import { type Queryable, sql } from "./database.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const LOCK = sql("capability_rename_lock")`select display_name, visibility from capability_records
     where id = $1 and record_type = 'capability' and deleted_at is null for no key update`;

const CHANGE = sql("capability_rename")`update capability_records set
      display_name = $2, display_name_fold = $3, visibility = $4, tags = coalesce($5::text[], tags),
      cache_policy = coalesce($7, cache_policy), ttl = case when $8::boolean then $9::integer else ttl end,
      cache_person_version = case when $7::text is null then cache_person_version when $10::boolean then version end,
      updated_by = $6, updated_at = now(), revision = revision + 1
    where id = $1`;

const DESCRIBE = sql("capability_describe")`update workflow_pattern set description = $2
    where pattern_id = (select workflow_pattern_id from capability_records where id = $1)`;

interface RecordRow {
  readonly display_name: DisplayName;
  readonly visibility: Visibility;
}

/**
 * Changes the names, description, tags and settings of a capability, inside one transaction. Names belong to its own
 * scope.
 */
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
  // A capability that gets its first name becomes visible to the project, unless the request says otherwise.
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

const LOCK_OF_ID = sql("capability_give_way_lock")`select display_name from capability_records
     where id = $1 and record_type = 'capability' and deleted_at is null for no key update`;

const CHANGE_NAME = sql("capability_give_way")`update capability_records set
      display_name = $2, display_name_fold = $3, updated_at = now(), revision = revision + 1
    where id = $1`;

const DROP_ALIAS = sql("capability_give_way_alias")`
    delete from capability_aliases where org = $1 and project = $2 and alias_fold = $3 and target_fqdn = $4`;

const ADD_HISTORY = sql("rename_history_gave_way")`
    insert into rename_history (capability_fqdn, old_name, new_name, actor, renamed_by, gave_way_to)
    values ($1, $2, $3, 'auto', 'pml', $4)`;

/**
 * The last tool to which each capability gave its name up, for capabilities that still have their name from that time.
 */
const GIVEN = sql("capability_given_way")`
    select record.id as fqdn, past.old_name, past.gave_way_to from capability_records as record
      join lateral (select old_name, new_name, gave_way_to from rename_history as past
             where past.capability_fqdn = record.id and gave_way_to is not null order by past.id desc limit 1) as past
        on past.new_name = record.display_name
     where record.deleted_at is null
       and record.id in (select capability_fqdn from rename_history where gave_way_to is not null)
     order by record.id limit $1`;

const RECORDS = sql("capability_given_way_records")`${SELECT_CAPABILITIES} and record.id = any ($1::text[])`;

interface GivenRow {
  readonly fqdn: string;
  readonly old_name: DisplayName;
  readonly gave_way_to: string;
}

/**
 * Gives a name to a real tool, inside one transaction: the capability is renamed, or loses an alias if there is no new
 * name. The old name does not become an alias, so it is free for others once the tool is gone.
 */
export async function giveWay(
  transaction: Queryable,
  { fqdn, name, tool, newName }: GiveWayRequest,
): Promise<void> {
  const home = splitFqdn(fqdn);
  if (newName !== undefined) await takeLocks(transaction, [nameLock(home, newName)]);
  const { rows } = await transaction.query<{ display_name: DisplayName }>(LOCK_OF_ID, [fqdn]);
  const [record] = rows;
  if (record === undefined) throw new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${fqdn}`);
  const current = record.display_name;
  if (newName === undefined) {
    const values = [home.org, home.project, foldDisplayName(name), fqdn];
    const { rowCount } = await transaction.query(DROP_ALIAS, values);
    // Another gateway did it first.
    if (rowCount === 0) return;
  } else {
    if (current !== name) throw namedSince(name, current);
    const holder = await findHolder(transaction, home, newName);
    if (holder !== undefined && holder.fqdn !== fqdn)
      throw nameHeld(newName, { ...home, user: "pml" }, holder, "Choose another name.");
    await freeAlias(transaction, home, newName);
  }
  const after = newName ?? current;
  await transaction.query(CHANGE_NAME, [fqdn, after, foldDisplayName(after)]);
  await transaction.query(ADD_HISTORY, [fqdn, name, after, toSqlText(tool)]);
}

export async function readGivenWay(queryable: Queryable, most: number): Promise<readonly GivenWay[]> {
  const { rows: given } = await queryable.query<GivenRow>(GIVEN, [most]);
  if (given.length === 0) return [];
  const { rows } = await queryable.query<CapabilityRow>(RECORDS, [given.map(({ fqdn }) => fqdn)]);
  const capabilities = new Map<string, ReturnType<typeof toCapability>>(
    rows.map(toCapability).map((capability) => [capability.fqdn, capability]),
  );
  return given.flatMap(({ fqdn, old_name: oldName, gave_way_to }) => {
    const capability = capabilities.get(fqdn);
    return capability === undefined ? [] : [{ capability, oldName, tool: fromSqlText(gave_way_to) }];
  });
}
