/**
 * Which capability calls which, and whether code may call what it calls, inside the transaction that learns it: other gateways learn at the same time, and
 * memory may not know yet what they have learnt.
 *
 * Whoever changes what a stored capability calls has all calls for itself; new capabilities, which nothing can call yet,
 * keep only those out. That lock comes before all others.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Visibility } from "../registry/capability.js";
import type { NewCapability } from "../registry/capability-store.js";
import {
  type CallerOf,
  type DependencyStart,
  dependencyClosure,
  hiddenName,
  refuseDeepCallers,
} from "../registry/dependency-closure.js";
import type { DisplayName } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import { canSee } from "../registry/visibility.js";
import type { NamedStatement, Queryable } from "./database.js";

const LOCK_ALL: NamedStatement = {
  name: "capability_calls_lock_all",
  text: "select pg_advisory_xact_lock(hashtextextended('calls', 0))",
};

const LOCK_SHARED: NamedStatement = {
  name: "capability_calls_lock_shared",
  text: "select pg_advisory_xact_lock_shared(hashtextextended('calls', 0))",
};

const CALLS: NamedStatement = {
  name: "capability_calls",
  text: `select record.id, record.display_name, record.org, record.project, record.visibility, record.creators,
      pattern.dependencies
    from capability_records as record
    join workflow_pattern as pattern on pattern.pattern_id = record.workflow_pattern_id
   where record.deleted_at is null and record.id = any ($1::text[]) order by record.id`,
};

/**
 * From the patterns on and row by row (`offset 0`), and nothing but FQDNs: without statistics, which nothing gathers on
 * PGlite, a planner that joins more reads every record.
 */
const CALLER_FQDNS: NamedStatement = {
  name: "capability_caller_fqdns",
  text: `select record.id from workflow_pattern as pattern cross join lateral (
      select id, deleted_at from capability_records as same
       where same.workflow_pattern_id = pattern.pattern_id offset 0) as record
     where pattern.dependencies && $1::text[] and record.deleted_at is null
     order by record.id limit $2`,
};

interface CallsRow {
  readonly id: Fqdn;
  readonly display_name: DisplayName;
  readonly org: string;
  readonly project: string;
  readonly visibility: Visibility;
  readonly creators: readonly string[];
  readonly dependencies: readonly Fqdn[];
}

/** The live capabilities whose newest code calls any of these, by FQDN; the first `most` of them, or all. */
export async function callersOf(
  queryable: Queryable,
  callees: readonly Fqdn[],
  most?: number,
): Promise<readonly Fqdn[]> {
  const { rows } = await queryable.query<{ readonly id: Fqdn }>(CALLER_FQDNS, [callees, most ?? null]);
  return rows.map(({ id }) => id);
}

/** Held until the transaction ends. */
export async function lockCalls(
  transaction: Queryable,
  { dependencies, update }: Pick<NewCapability, "dependencies" | "update">,
): Promise<void> {
  if (dependencies.length > 0) await transaction.query(update ? LOCK_ALL : LOCK_SHARED);
}

/** Throws `CODE_REFUSED` with the path; `fqdn` is what the code becomes a version of. */
export async function checkCalls(
  transaction: Queryable,
  { name = "this code" as DisplayName, dependencies, scope }: NewCapability,
  fqdn?: Fqdn,
): Promise<void> {
  if (dependencies.length === 0) return;
  const callees = await readCallees(transaction, dependencies);
  const find = (callee: Fqdn) => {
    const row = callees.get(callee);
    // What is gone by now has been called already: it calls nothing more.
    return {
      displayName: row?.display_name ?? (callee as string as DisplayName),
      dependencies: row?.dependencies ?? [],
    };
  };
  const start: DependencyStart = { name, dependencies };
  if (fqdn === undefined) return void dependencyClosure(start, find);
  const callers = await readCallers(transaction, fqdn);
  refuseDeepCallers({ ...start, fqdn }, find, (callee) =>
    (callers.get(callee) ?? []).map(
      (row): CallerOf => ({ fqdn: row.id, name: canSee(row, scope) ? row.display_name : hiddenName }),
    ),
  );
}

/** All that these call, as far down as may be. */
async function readCallees(
  transaction: Queryable,
  dependencies: readonly Fqdn[],
): Promise<ReadonlyMap<Fqdn, CallsRow>> {
  const found = new Map<Fqdn, CallsRow>();
  let wanted: readonly Fqdn[] = dependencies;
  for (let level = 0; level <= LIMITS.capabilityDepth && wanted.length > 0; level += 1) {
    const { rows } = await transaction.query<CallsRow>(CALLS, [wanted]);
    for (const row of rows) found.set(row.id, row);
    wanted = [...new Set(rows.flatMap((row) => row.dependencies))].filter((fqdn) => !found.has(fqdn));
  }
  return found;
}

/** By what they call: all that calls this one, as far up as may be. */
async function readCallers(
  transaction: Queryable,
  fqdn: Fqdn,
): Promise<ReadonlyMap<Fqdn, readonly CallsRow[]>> {
  const callers = new Map<Fqdn, CallsRow[]>();
  let level: readonly Fqdn[] = [fqdn];
  for (let up = 0; up <= LIMITS.capabilityDepth && level.length > 0; up += 1) {
    const asked = new Map(level.map((callee): [Fqdn, CallsRow[]] => [callee, []]));
    const { rows } = await transaction.query<CallsRow>(CALLS, [await callersOf(transaction, level)]);
    for (const row of rows) for (const callee of row.dependencies) asked.get(callee)?.push(row);
    for (const [callee, found] of asked) callers.set(callee, found);
    level = [...new Set(rows.map(({ id }) => id))].filter((caller) => !callers.has(caller));
  }
  return callers;
}
