/**
 * Counts runs: writes counters, trust, creators, learning, savings and traces of any number of uses, inside one
 * transaction.
 *
 * It first locks the rows of the capabilities, in one order. So it can compute the trust here and write it back, and
 * concurrent additions elsewhere are not lost.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { TrustState } from "../registry/capability.js";
import { formatCapabilityRef } from "../registry/capability-ref.js";
import type { CapabilityUse, ServedUse } from "../registry/capability-store.js";
import { type DisplayName, isUnnamed } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { RolloutRules } from "../registry/rollout.js";
import type { Scope } from "../registry/scope.js";
import { type EarnedTrust, NO_TRUST_YET, trustAfter } from "../registry/trust.js";
import { creatorOf } from "../registry/visibility.js";
import { addLearning } from "./capability-learning.js";
import { type Queryable, sql } from "./database.js";
import { insertTraces, knownTraces } from "./execution-traces.js";
import { judgeVersion } from "./rollout.js";
import { addSavings } from "./savings-store.js";

const LOCK = sql("capability_uses_lock")`select id, display_name, version, creators from capability_records
     where id = any ($1::text[]) order by id for no key update`;

/** Selects only versions that exist. */
const TRUST = sql("capability_uses_trust")`
    select stored.capability_fqdn, stored.version, trust.state, trust.first_args_hash, trust.failures_in_a_row,
           coalesce(trust.runs, 0) as runs,
           exists (select from capability_troubles as trouble
                    where trouble.capability_fqdn = used.fqdn and trouble.version = used.version
                      and trouble.accepted_at is not null) as awaits_proof
      from unnest($1::text[], $2::integer[]) as used (fqdn, version)
      join capability_versions as stored on stored.capability_fqdn = used.fqdn and stored.version = used.version
      left join capability_trust as trust
        on trust.capability_fqdn = used.fqdn and trust.version = used.version`;

/** Updates the counters of the records and of their patterns. */
const COUNT = sql("capability_uses_count")`
    with used as (
      select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::timestamptz[])
        as used (id, uses, successes, latency_ms, verified, last_used_at)),
    counted as (
      update capability_records as record set
        usage_count = record.usage_count + used.uses,
        success_count = record.success_count + used.successes,
        total_latency_ms = record.total_latency_ms + used.latency_ms,
        verified = coalesce(used.verified, record.verified),
        revision = record.revision + 1
      from used where record.id = used.id
      returning record.id, record.workflow_pattern_id as pattern_id)
    update workflow_pattern as pattern set
      usage_count = pattern.usage_count + used.uses,
      success_count = pattern.success_count + used.successes,
      total_latency_ms = pattern.total_latency_ms + used.latency_ms,
      last_used_at = greatest(pattern.last_used_at, used.last_used_at)
    from used join counted on counted.id = used.id
   where pattern.pattern_id = counted.pattern_id`;

const KEEP_TRUST = sql("capability_uses_keep_trust")`
    insert into capability_trust as kept
      (capability_fqdn, version, state, first_args_hash, failures_in_a_row, runs, successes)
    select * from unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::integer[], $6::bigint[], $7::bigint[])
    on conflict (capability_fqdn, version) do update set
      state = excluded.state, first_args_hash = excluded.first_args_hash,
      failures_in_a_row = excluded.failures_in_a_row, runs = kept.runs + excluded.runs,
      successes = kept.successes + excluded.successes, updated_at = now()`;

/** Deletes troubles with tools whose change was accepted: these versions have succeeded with the changed tools. */
const PROVEN = sql("capability_uses_proven")`
    delete from capability_troubles as trouble using unnest($1::text[], $2::integer[]) as used (fqdn, version)
     where trouble.capability_fqdn = used.fqdn and trouble.version = used.version
       and trouble.accepted_at is not null`;

const ADD_CREATORS = sql("capability_uses_add_creators")`
    update capability_records set creators = creators || $2::text[] where id = $1`;

/** A person vouches for the version, so earlier failures no longer count. */
const VERIFY = sql("capability_verify")`insert into capability_trust (capability_fqdn, version, state)
    select capability_fqdn, version, 'verified' from capability_versions where capability_fqdn = $1 and version = $2
    on conflict (capability_fqdn, version) do update set
      state = 'verified', failures_in_a_row = 0, updated_at = now()`;

const NOTE_VERIFIED = sql("capability_note_verified")`update capability_records set
      verified = verified or version = $2, updated_by = $3, updated_at = now(), revision = revision + 1
    where id = $1 and deleted_at is null`;

interface RecordRow {
  readonly id: Fqdn;
  readonly display_name: DisplayName;
  readonly version: number;
  readonly creators: readonly string[];
}

interface TrustRow {
  readonly capability_fqdn: Fqdn;
  readonly version: number;
  readonly state: TrustState | null;
  readonly first_args_hash: string | null;
  readonly failures_in_a_row: number | null;
  readonly awaits_proof: boolean;
  readonly runs: number;
}

/** Adds the uses in the given order. Uses of missing versions leave traces only, and are not counted. */
export async function applyUses(
  transaction: Queryable,
  given: readonly CapabilityUse[],
  rules: RolloutRules,
): Promise<void> {
  if (given.length === 0) return;
  const ids = [...new Set(given.map(({ fqdn }) => fqdn))];
  const { rows: records } = await transaction.query<RecordRow>(LOCK, [ids]);
  // Uses may come a second time, if the answer to their commit was lost.
  const known = await knownTraces(transaction, given);
  const uses = known.size === 0 ? given : given.filter(({ trace }) => !known.has(trace.traceId));
  if (uses.length === 0) return;
  const trust = await readTrust(transaction, uses);
  const isStored = (use: CapabilityUse) => trust.has(formatCapabilityRef(use));
  const stored = uses.filter(isStored);
  const unproven = [...trust.values()].filter(({ awaitsProof }) => awaitsProof);
  for (const { fqdn, version, trace } of stored) {
    const { argsHash, success } = trace;
    if (argsHash === undefined) continue;
    const key = formatCapabilityRef({ fqdn, version });
    const before = trust.get(key) ?? { runs: 0, ...NO_TRUST_YET };
    trust.set(key, { fqdn, version, runs: before.runs, ...trustAfter(before, { success, argsHash }) });
  }
  await keepTrust(transaction, [...trust.values()], stored);
  await proven(
    transaction,
    unproven.filter((version) => trust.get(formatCapabilityRef(version))?.awaitsProof === false),
  );
  const usesOf = new Map<string, CapabilityUse[]>();
  for (const { id } of records) usesOf.set(id, []);
  for (const use of stored) usesOf.get(use.fqdn)?.push(use);
  const totals = records.map((record) => totalOf(record, usesOf.get(record.id) ?? [], trust));
  await count(transaction, totals);
  for (const { record, creators } of totals)
    if (creators.length > 0) await transaction.query(ADD_CREATORS, [record.id, creators]);
  await addLearning(transaction, stored);
  await addSavings(transaction, stored);
  await insertTraces(
    transaction,
    uses
      .filter(({ isUntraced }) => isUntraced !== true)
      .map((use) => (isStored(use) ? use : { trace: use.trace })),
  );
  // Old versions are no longer judged, and a first version has no version to roll back to.
  for (const version of trust.values())
    if (version.version > 1 && version.runs < rules.window && stored.some((use) => isSame(use, version)))
      await judgeVersion(transaction, version, rules);
}

function isSame(one: Version, other: Version): boolean {
  return one.fqdn === other.fqdn && one.version === other.version;
}

/** Counts uses that were answered from a cache. */
export async function applyServed(transaction: Queryable, uses: readonly ServedUse[]): Promise<void> {
  const ids = [...new Set(uses.map(({ fqdn }) => fqdn))];
  const { rows: records } = await transaction.query<RecordRow>(LOCK, [ids]);
  await count(
    transaction,
    records.map((record) => {
      const served = uses.filter(({ fqdn }) => fqdn === record.id).length;
      return {
        record,
        uses: served,
        successes: served,
        latencyMs: 0,
        lastUsedAt: new Date(),
        isVerified: null,
        creators: [],
      };
    }),
  );
  await addSavings(transaction, uses);
}

export async function verifyVersion(
  transaction: Queryable,
  fqdn: Fqdn,
  version: number,
  scope: Scope,
): Promise<void> {
  const noted = await transaction.query(NOTE_VERIFIED, [fqdn, version, creatorOf(scope)]);
  if (noted.rowCount === 0) throw new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${fqdn}`);
  const { rowCount } = await transaction.query(VERIFY, [fqdn, version]);
  if (rowCount === 0) throw new PmlError("VERSION_NOT_FOUND", `Version ${version} not found for ${fqdn}`);
  await proven(transaction, [{ fqdn, version }]);
}

type Version = Pick<CapabilityUse, "fqdn" | "version">;
/** `runs` is the number of runs that were counted before. */
type VersionTrust = Version & EarnedTrust & { readonly runs: number };

async function readTrust(
  transaction: Queryable,
  uses: readonly CapabilityUse[],
): Promise<Map<string, VersionTrust>> {
  const distinct = [...new Map(uses.map((use) => [formatCapabilityRef(use), use])).values()];
  const { rows } = await transaction.query<TrustRow>(TRUST, [
    distinct.map(({ fqdn }) => fqdn),
    distinct.map(({ version }) => version),
  ]);
  const found = new Map(
    rows.map((row) => [formatCapabilityRef({ fqdn: row.capability_fqdn, version: row.version }), row]),
  );
  const trust = new Map<string, VersionTrust>();
  for (const { fqdn, version } of distinct) {
    const row = found.get(formatCapabilityRef({ fqdn, version }));
    if (row !== undefined)
      trust.set(formatCapabilityRef({ fqdn, version }), {
        fqdn,
        version,
        runs: row.runs,
        ...earnedTrust(row),
      });
  }
  return trust;
}

function earnedTrust({ state, first_args_hash, failures_in_a_row, awaits_proof }: TrustRow): EarnedTrust {
  if (state === null) return { ...NO_TRUST_YET, awaitsProof: awaits_proof };
  return {
    state,
    firstArgsHash: first_args_hash ?? undefined,
    failuresInARow: failures_in_a_row ?? 0,
    awaitsProof: awaits_proof,
  };
}

async function proven(transaction: Queryable, versions: readonly Version[]): Promise<void> {
  if (versions.length === 0) return;
  const values = [versions.map(({ fqdn }) => fqdn), versions.map(({ version }) => version)];
  await transaction.query(PROVEN, values);
}

async function keepTrust(
  transaction: Queryable,
  all: readonly VersionTrust[],
  uses: readonly CapabilityUse[],
): Promise<void> {
  if (all.length === 0) return;
  const counts = new Map<string, { runs: number; successes: number }>();
  for (const use of uses) {
    const key = formatCapabilityRef(use);
    const { runs, successes } = counts.get(key) ?? { runs: 0, successes: 0 };
    counts.set(key, { runs: runs + 1, successes: successes + (use.trace.success ? 1 : 0) });
  }
  const countOf = (version: Version, what: "runs" | "successes") =>
    counts.get(formatCapabilityRef(version))?.[what] ?? 0;
  await transaction.query(KEEP_TRUST, [
    all.map(({ fqdn }) => fqdn),
    all.map(({ version }) => version),
    all.map(({ state }) => state),
    all.map(({ firstArgsHash }) => firstArgsHash ?? null),
    all.map(({ failuresInARow }) => failuresInARow),
    all.map((version) => countOf(version, "runs")),
    all.map((version) => countOf(version, "successes")),
  ]);
}

interface Total {
  readonly record: RecordRow;
  readonly uses: number;
  readonly successes: number;
  readonly latencyMs: number;
  readonly lastUsedAt: Date | null;
  /** Whether the current version is verified; null if its trust did not change. */
  readonly isVerified: boolean | null;
  /** Users who ran an unnamed capability for the first time. */
  readonly creators: readonly string[];
}

function totalOf(
  record: RecordRow,
  uses: readonly CapabilityUse[],
  trust: ReadonlyMap<string, EarnedTrust>,
): Total {
  const current = trust.get(formatCapabilityRef({ fqdn: record.id, version: record.version }));
  // A user whose code calls it indirectly may never have seen it, so nested runs do not count here.
  const own = isUnnamed(record.display_name)
    ? uses.filter(({ trace }) => trace.parentTraceId === undefined)
    : [];
  const users = own.map(({ trace }) => creatorOf(trace.scope));
  return {
    record,
    uses: uses.length,
    successes: uses.filter(({ trace }) => trace.success).length,
    latencyMs: uses.reduce((sum, { trace }) => sum + Math.max(0, Math.round(trace.durationMs)), 0),
    lastUsedAt: uses.reduce<Date | null>(
      (latest, { trace }) => (latest === null || trace.executedAt > latest ? trace.executedAt : latest),
      null,
    ),
    isVerified: current === undefined ? null : current.state === "verified",
    creators: [...new Set(users)].filter((user) => !record.creators.includes(user)),
  };
}

async function count(transaction: Queryable, totals: readonly Total[]): Promise<void> {
  if (totals.length === 0) return;
  const counters = [
    totals.map(({ record }) => record.id),
    totals.map(({ uses }) => uses),
    totals.map(({ successes }) => successes),
    totals.map(({ latencyMs }) => latencyMs),
  ];
  const verified = totals.map(({ isVerified }) => isVerified);
  await transaction.query(COUNT, [...counters, verified, totals.map(({ lastUsedAt }) => lastUsedAt)]);
}
