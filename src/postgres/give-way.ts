import { PmlError } from "../base/pml-error.js";
import type { GivenWay, GiveWayRequest } from "../registry/capability-store.js";
import { type DisplayName, foldDisplayName } from "../registry/display-name.js";
import { splitFqdn } from "../registry/fqdn.js";
import { namedSince } from "../registry/missing-capability.js";
import { findHolder, freeAlias, nameHeld, nameLock, takeLocks } from "./capability-names.js";
import { type CapabilityRow, SELECT_CAPABILITIES, toCapability } from "./capability-rows.js";
import type { NamedStatement, Queryable } from "./database.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const LOCK: NamedStatement = {
  name: "capability_give_way_lock",
  text: `select display_name from capability_records
     where id = $1 and record_type = 'capability' and deleted_at is null for no key update`,
};

const CHANGE: NamedStatement = {
  name: "capability_give_way",
  text: `update capability_records set
      display_name = $2, display_name_fold = $3, updated_at = now(), revision = revision + 1
    where id = $1`,
};

const DROP_ALIAS: NamedStatement = {
  name: "capability_give_way_alias",
  text: "delete from capability_aliases where org = $1 and project = $2 and alias_fold = $3 and target_fqdn = $4",
};

const ADD_HISTORY: NamedStatement = {
  name: "rename_history_gave_way",
  text: `insert into rename_history (capability_fqdn, old_name, new_name, actor, renamed_by, gave_way_to)
    values ($1, $2, $3, 'auto', 'pml', $4)`,
};

/** The last that each gave way to, of those that are still called what they were called then. */
const GIVEN: NamedStatement = {
  name: "capability_given_way",
  text: `select record.id as fqdn, past.old_name, past.gave_way_to from capability_records as record
      join lateral (select old_name, new_name, gave_way_to from rename_history as past
             where past.capability_fqdn = record.id and gave_way_to is not null order by past.id desc limit 1) as past
        on past.new_name = record.display_name
     where record.deleted_at is null
       and record.id in (select capability_fqdn from rename_history where gave_way_to is not null)
     order by record.id limit $1`,
};

const RECORDS: NamedStatement = {
  name: "capability_given_way_records",
  text: `${SELECT_CAPABILITIES} and record.id = any ($1::text[])`,
};

interface GivenRow {
  readonly fqdn: string;
  readonly old_name: DisplayName;
  readonly gave_way_to: string;
}

/**
 * A name, or an alias where no new name is given, goes to a real tool, inside one transaction. It is no alias afterwards,
 * and free for others once the tool is gone.
 */
export async function giveWay(
  transaction: Queryable,
  { fqdn, name, tool, newName }: GiveWayRequest,
): Promise<void> {
  const home = splitFqdn(fqdn);
  if (newName !== undefined) await takeLocks(transaction, [nameLock(home, newName)]);
  const { rows } = await transaction.query<{ display_name: DisplayName }>(LOCK, [fqdn]);
  const [record] = rows;
  if (record === undefined) throw new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${fqdn}`);
  const current = record.display_name;
  if (newName === undefined) {
    const values = [home.org, home.project, foldDisplayName(name), fqdn];
    const { rowCount } = await transaction.query(DROP_ALIAS, values);
    // Another gateway was first.
    if (rowCount === 0) return;
  } else {
    if (current !== name) throw namedSince(name, current);
    const holder = await findHolder(transaction, home, newName);
    if (holder !== undefined && holder.fqdn !== fqdn)
      throw nameHeld(newName, { ...home, user: "pml" }, holder, "Choose another name.");
    await freeAlias(transaction, home, newName);
  }
  const after = newName ?? current;
  await transaction.query(CHANGE, [fqdn, after, foldDisplayName(after)]);
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
