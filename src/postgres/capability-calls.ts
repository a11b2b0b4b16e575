/**
 * Reads which capability calls which, and checks whether code may call its callees. Both happen inside the transaction
 * that learns the code, because other gateways learn at the same time and memory may not have their changes yet.
 *
 * A pattern holds the calls of the newest code; a version holds its own calls, which apply to callers that pin it.
 *
 * A transaction that changes the calls of a stored capability locks all calls exclusively. Transactions that add new
 * capabilities, which nothing can call yet, share the lock. It is taken before all other locks.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Visibility } from "../registry/capability.js";
import {
  type CapabilityRef,
  formatCapabilityRef,
  fqdnOfRef,
  nameAt,
  splitCapabilityRef,
} from "../registry/capability-ref.js";
import type { NewCapability } from "../registry/capability-store.js";
import {
  type CalleeLinks,
  type CallerOf,
  dependencyClosure,
  refuseDeepCallers,
} from "../registry/dependency-closure.js";
import type { DisplayName } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { Scope } from "../registry/scope.js";
import { canSee, hiddenName } from "../registry/visibility.js";
import { type Queryable, sql } from "./database.js";

const LOCK_ALL = sql("capability_calls_lock_all")`select pg_advisory_xact_lock(hashtextextended('calls', 0))`;

const LOCK_SHARED = sql("capability_calls_lock_shared")`
    select pg_advisory_xact_lock_shared(hashtextextended('calls', 0))`;

const CALLS = sql("capability_calls")`
    select record.id, record.display_name, record.org, record.project, record.visibility, record.creators,
      pattern.dependencies
    from capability_records as record
    join workflow_pattern as pattern on pattern.pattern_id = record.workflow_pattern_id
   where record.deleted_at is null and record.id = any ($1::text[]) order by record.id`;

/**
 * Starts from the patterns, works row by row (`offset 0`), and selects only FQDNs: PGlite gathers no statistics, and
 * without them a planner that joins more tables reads every record.
 */
const CALLER_FQDNS = sql("capability_caller_fqdns")`
    select record.id from workflow_pattern as pattern cross join lateral (
      select id, deleted_at from capability_records as same
       where same.workflow_pattern_id = pattern.pattern_id offset 0) as record
     where pattern.dependencies && $1::text[] and record.deleted_at is null
     order by record.id limit $2`;

/** Likewise works version by version, starting from the wanted ones. */
const VERSION_CALLS = sql("capability_version_calls")`
    select wanted.id, wanted.version, record.display_name, record.org, record.project, record.visibility,
      record.creators, stored.dependencies
    from unnest($1::text[], $2::integer[]) as wanted (id, version)
    cross join lateral (select dependencies from capability_versions
       where capability_fqdn = wanted.id and version = wanted.version offset 0) as stored
    cross join lateral (select display_name, org, project, visibility, creators from capability_records as own
       where own.id = wanted.id offset 0) as record`;

/** Includes older versions that no code pins. */
const CALLER_VERSIONS = sql("capability_caller_versions")`
    select capability_fqdn as id, version from capability_versions where dependencies && $1::text[]`;

const NEWEST_VERSIONS = sql("capability_newest_versions")`
    select id, version from capability_records where id = any ($1::text[])`;

interface VersionKey {
  readonly id: Fqdn;
  readonly version: number;
}

interface CallsRow {
  readonly id: Fqdn;
  /** Set if the row is a pinned version. */
  readonly version?: number;
  readonly display_name: DisplayName;
  readonly org: string;
  readonly project: string;
  readonly visibility: Visibility;
  readonly creators: readonly string[];
  readonly dependencies: readonly CapabilityRef[];
}

/**
 * The live capabilities whose newest code calls any version of these, sorted by FQDN; at most `most` of them, default:
 * all.
 */
export async function callersOf(
  queryable: Queryable,
  callees: readonly Fqdn[],
  most?: number,
): Promise<readonly Fqdn[]> {
  const { rows } = await queryable.query<VersionKey>(NEWEST_VERSIONS, [callees]);
  const pinned = rows.flatMap(({ id: fqdn, version: newest }) =>
    Array.from({ length: newest }, (_, index) => formatCapabilityRef({ fqdn, version: index + 1 })),
  );
  return await callersOfExactly(queryable, [...callees, ...pinned], most);
}

async function callersOfExactly(
  queryable: Queryable,
  refs: readonly CapabilityRef[],
  most?: number,
): Promise<readonly Fqdn[]> {
  const { rows } = await queryable.query<{ readonly id: Fqdn }>(CALLER_FQDNS, [refs, most ?? null]);
  return rows.map(({ id }) => id);
}

/** Locks the calls until the transaction ends. */
export async function lockCalls(
  transaction: Queryable,
  { dependencies, update }: Pick<NewCapability, "dependencies" | "update">,
): Promise<void> {
  if (dependencies.length > 0) await transaction.query(update ? LOCK_ALL : LOCK_SHARED);
}

/** Throws `CODE_REFUSED` with the path of the calls; the code becomes a version of `fqdn`. */
export async function checkCalls(
  transaction: Queryable,
  {
    name = "this code" as DisplayName,
    dependencies,
    scope,
  }: Pick<NewCapability, "name" | "dependencies" | "scope">,
  fqdn?: Fqdn,
): Promise<void> {
  if (dependencies.length === 0) return;
  const callees = await readCallees(transaction, dependencies);
  const find = (ref: CapabilityRef): CalleeLinks => {
    const row = callees.get(ref);
    // A capability that was deleted meanwhile stays a callee, but has no callees itself.
    return row === undefined ? { name: ref, dependencies: [] } : linksOf(row, scope);
  };
  if (fqdn === undefined) return void dependencyClosure({ name, dependencies }, find);
  const callers = await readCallers(transaction, fqdn);
  refuseDeepCallers({ name, fqdn, dependencies }, find, (callee) =>
    (callers.get(callee) ?? []).map((row): CallerOf => ({ ref: refOf(row), name: linksOf(row, scope).name })),
  );
}

function linksOf(row: CallsRow, asker: Scope): CalleeLinks {
  const { display_name, version, dependencies } = row;
  return { name: canSee(row, asker) ? nameAt(display_name, version) : hiddenName, dependencies };
}

function refOf({ id: fqdn, version }: CallsRow): CapabilityRef {
  return version === undefined ? fqdn : formatCapabilityRef({ fqdn, version });
}

/** All direct and indirect callees of these, up to the depth limit. */
async function readCallees(
  transaction: Queryable,
  dependencies: readonly CapabilityRef[],
): Promise<ReadonlyMap<CapabilityRef, CallsRow>> {
  const found = new Map<CapabilityRef, CallsRow>();
  let wanted: readonly CapabilityRef[] = dependencies;
  for (let level = 0; level <= LIMITS.capabilityDepth && wanted.length > 0; level += 1) {
    const rows = await readCalls(transaction, wanted);
    for (const row of rows) found.set(refOf(row), row);
    wanted = [...new Set(rows.flatMap((row) => row.dependencies))].filter((ref) => !found.has(ref));
  }
  return found;
}

/** All direct and indirect callers of this capability up to the depth limit, by their callees. */
async function readCallers(
  transaction: Queryable,
  fqdn: Fqdn,
): Promise<ReadonlyMap<CapabilityRef, readonly CallsRow[]>> {
  const callers = new Map<CapabilityRef, CallsRow[]>();
  let level: readonly CapabilityRef[] = [fqdn];
  for (let up = 0; up <= LIMITS.capabilityDepth && level.length > 0; up += 1) {
    const asked = new Map(level.map((callee): [CapabilityRef, CallsRow[]] => [callee, []]));
    const newest = await callersOfExactly(transaction, level);
    const { rows: versions } = await transaction.query<VersionKey>(CALLER_VERSIONS, [level]);
    const pinned = versions.map(({ id, version }) => formatCapabilityRef({ fqdn: id, version }));
    const rows = await readCalls(transaction, [...newest, ...pinned]);
    for (const row of rows) for (const callee of row.dependencies) asked.get(callee)?.push(row);
    for (const [callee, found] of asked) callers.set(callee, found);
    level = [...new Set(rows.map(refOf))].filter((caller) => !callers.has(caller));
  }
  return callers;
}

/** The callees of each reference: those of the pinned version, or else of the newest code of a live capability. */
async function readCalls(
  transaction: Queryable,
  refs: readonly CapabilityRef[],
): Promise<readonly CallsRow[]> {
  const pinned = refs.flatMap((ref) => {
    const { fqdn, version } = splitCapabilityRef(ref);
    return version === undefined ? [] : [{ fqdn, version }];
  });
  const plain = refs.filter((ref) => fqdnOfRef(ref) === ref);
  const { rows } = await transaction.query<CallsRow>(CALLS, [plain]);
  if (pinned.length === 0) return rows;
  const versions = await transaction.query<CallsRow>(VERSION_CALLS, [
    pinned.map(({ fqdn }) => fqdn),
    pinned.map(({ version }) => version),
  ]);
  return [...rows, ...versions.rows];
}
