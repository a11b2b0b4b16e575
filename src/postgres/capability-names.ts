/**
 * Gives names inside a transaction, one transaction at a time, and only names that are free.
 *
 * Names and aliases are in two tables, so no constraint can keep them apart. A transaction that takes a name locks it
 * first; a name changes from free to held only under that lock. The holder is read in one statement, whose snapshot
 * sees a rename entirely or not at all. Locks on names are always taken before locks on rows.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { Capability, Visibility } from "../registry/capability.js";
import { type DisplayName, foldDisplayName, nameTaken } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import { reservedHint } from "../registry/missing-capability.js";
import type { Scope } from "../registry/scope.js";
import { canSee, hiddenName } from "../registry/visibility.js";
import { type Queryable, sql } from "./database.js";

/** Takes the locks in the given order. */
const LOCK = sql("capability_lock")`
    select pg_advisory_xact_lock(hashtextextended(lock, 0)) from unnest($1::text[]) as lock`;

const LOCK_RECORDS = sql("capability_lock_records")`
    select id from capability_records where id = any ($1::text[]) order by id for no key update`;

/** The expression of the index on names; `record` is the table's name in the statement. */
export const NAME_KEY = "(record.org || '.' || record.project || ':' || record.display_name_fold)";

/**
 * Selects these columns of the name's holder, which has it as name, alias, or reserved name of a deleted capability.
 */
export function heldName(columns: string, org: string, project: string, fold: string): string {
  return `
    select ${columns}
      from capability_records as record
     where ${NAME_KEY} = ${org} || '.' || ${project} || ':' || ${fold}
       and (record.deleted_at is null or record.reserved_until > now())
    union all
    select ${columns}
      from capability_aliases as former join capability_records as record on record.id = former.target_fqdn
     where former.org = ${org} and former.project = ${project} and former.alias_fold = ${fold}
       and (record.deleted_at is null or record.reserved_until > now())`;
}

const HOLDER_COLUMNS = `record.id as fqdn, record.deleted_at, record.reserved_until, record.visibility, record.org,
           record.project, record.creators, record.display_name`;

const HOLDER = sql("capability_name_holder")`${heldName(HOLDER_COLUMNS, "$1", "$2", "$3")}
     order by deleted_at nulls first limit 1`;

const FREE_ALIAS = sql("capability_alias_free")`
    delete from capability_aliases where org = $1 and project = $2 and alias_fold = $3`;

const ADD_ALIAS = sql("capability_alias_add")`
    insert into capability_aliases (alias, alias_fold, org, project, target_fqdn)
    values ($4, $3, $1, $2, $5)`;

const ADD_HISTORY = sql("rename_history_add")`
    insert into rename_history (capability_fqdn, old_name, new_name, actor, renamed_by, curated_by)
    values ($1, $2, $3, $4, $5, $6)`;

type OrgAndProject = Pick<Scope, "org" | "project">;

export interface Holder extends Pick<Capability, "visibility" | "org" | "project" | "creators"> {
  readonly fqdn: Fqdn;
  readonly display_name: DisplayName;
  readonly deleted_at: Date | null;
  readonly reserved_until: Date | null;
}

export function nameLock({ org, project }: OrgAndProject, name: DisplayName): string {
  return `name ${org}.${project} ${foldDisplayName(name)}`;
}

export function codeLock({ org, project }: OrgAndProject, codeHash: string): string {
  return `code ${org}.${project} ${codeHash}`;
}

/** Takes the locks until the transaction ends, in one global order, which prevents deadlocks. */
export async function takeLocks(transaction: Queryable, locks: readonly string[]): Promise<void> {
  await transaction.query(LOCK, [[...locks].sort((a, b) => (a < b ? -1 : 1))]);
}

/** Locks the records until the transaction ends. Called after all locks on names and code are taken. */
export async function lockRecords(transaction: Queryable, fqdns: readonly Fqdn[]): Promise<void> {
  await transaction.query(LOCK_RECORDS, [[...new Set(fqdns)]]);
}

/** The holder of the name: as name, alias, or reserved name of a deleted capability. */
export async function findHolder(
  transaction: Queryable,
  { org, project }: OrgAndProject,
  name: DisplayName,
): Promise<Holder | undefined> {
  const { rows } = await transaction.query<Holder>(HOLDER, [org, project, foldDisplayName(name)]);
  return rows[0];
}

/** Frees a name that is only an alias of the taker, or of a deleted capability. */
export async function freeAlias(
  transaction: Queryable,
  { org, project }: OrgAndProject,
  name: DisplayName,
): Promise<void> {
  await transaction.query(FREE_ALIAS, [org, project, foldDisplayName(name)]);
}

export interface Renaming {
  readonly fqdn: Fqdn;
  readonly oldName: DisplayName;
  readonly newName: DisplayName;
  readonly actor: "user" | "agent" | "auto";
  readonly renamedBy: string;
  readonly curatedBy?: string | undefined;
}

/**
 * Does everything for a rename except changing the record's own columns. The new name is locked, and is free or belongs
 * to the capability itself.
 */
export async function moveName(
  transaction: Queryable,
  scope: OrgAndProject,
  { fqdn, oldName, newName, actor, renamedBy, curatedBy }: Renaming,
): Promise<void> {
  // Another spelling of the same name needs no alias: it resolves by its fold.
  if (foldDisplayName(oldName) !== foldDisplayName(newName)) {
    await freeAlias(transaction, scope, newName);
    const { org, project } = scope;
    await transaction.query(ADD_ALIAS, [org, project, foldDisplayName(oldName), oldName, fqdn]);
  }
  await transaction.query(ADD_HISTORY, [fqdn, oldName, newName, actor, renamedBy, curatedBy ?? null]);
}

/** If the asker may not see the holder, the error says only that the name is not free. */
export function nameHeld(name: DisplayName, asker: Scope, holder: Holder, whatToDo: string): PmlError {
  if (!canSee(holder, asker)) return nameTaken(name, holder, { hint: "Choose another name." });
  const { deleted_at, reserved_until, display_name } = holder;
  const hint = deleted_at === null ? whatToDo : reservedHint(name, deleted_at, reserved_until);
  return nameTaken(name, holder, { hint, holder: display_name });
}

// A project has one capability for the same code: which one that is, as far as the asker may know.

/**
 * Versions of a project with this code. It joins by FQDN (enforced by `offset 0`), not by scope: without statistics a
 * planner considers both equally good.
 */
export function versionsWithCode(org: string, project: string, codeHash: string): string {
  return `capability_versions as stored
      cross join lateral (
        select * from capability_records as same where same.id = stored.capability_fqdn offset 0) as record
     where stored.code_hash = ${codeHash} and record.org = ${org} and record.project = ${project}
       and record.deleted_at is null`;
}

/**
 * Excludes forks, because their code came from another capability, and capabilities that were learnt from the calls of
 * one user.
 */
const SAME_CODE = sql("capability_same_code")`
    select display_name, visibility, org, project, creators from capability_records
     where org = $1 and project = $2 and code_hash = $3 and deleted_at is null and forked_from is null
       and observed_for is null`;

interface SameCodeRow {
  readonly display_name: DisplayName;
  readonly visibility: Visibility;
  readonly org: string;
  readonly project: string;
  readonly creators: readonly string[];
}

/**
 * Throws `CAPABILITY_EXISTS` if a live capability of the project was created from this code; `message` receives its
 * name.
 */
export async function refuseSameCode(
  transaction: Queryable,
  { org, project }: Pick<Scope, "org" | "project">,
  codeHash: string,
  asker: Scope,
  message: (name: string) => string,
): Promise<void> {
  const { rows } = await transaction.query<SameCodeRow>(SAME_CODE, [org, project, codeHash]);
  const [same] = rows;
  if (same === undefined) return;
  if (!canSee(same, asker)) throw new PmlError("CAPABILITY_EXISTS", message(hiddenName));
  const { display_name: name } = same;
  throw new PmlError("CAPABILITY_EXISTS", message(name), { hint: `Call ${name}, or delete it first.` });
}
