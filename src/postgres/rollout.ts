/**
 * Promotes and rolls back versions, inside a transaction that has locked the record.
 *
 * The pattern and the record have the newest version that is not rolled back. While it is on trial, other users get
 * `promoted_version`. `capability_version_facts` has what is needed to switch the pattern to another version.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { PromoteRequest, Promotion, RolloutRules } from "../registry/rollout.js";
import { type Queryable, sql } from "./database.js";
import { fromSqlText, textOrNull, toSqlText } from "./sql-text.js";

/** Saves what the pattern has now, as facts of its version. */
const KEEP_FACTS = sql("rollout_keep_facts")`
    insert into capability_version_facts
      (capability_fqdn, version, source, intent, description, dag_structure, analysis_version, lifted_code, routing)
    select record.id, record.version, pattern.source, pattern.intent, pattern.description, pattern.dag_structure::text::json,
           pattern.analysis_version, coalesce(pattern.lifted_code, pattern.code), record.routing
      from capability_records as record
      join workflow_pattern as pattern on pattern.pattern_id = record.workflow_pattern_id
     where record.id = $1
    on conflict do nothing`;

const NOTE = sql("rollout_note")`
    insert into capability_promotions (capability_fqdn, version, kind, to_version, reason, decided_by)
    values ($1, $2, $3, $4, $5, $6)`;

/** The last decision about a version of the table `stored`, other than `held`; null if there is none. */
const LAST = `(select kind from capability_promotions as decided
    where decided.capability_fqdn = stored.capability_fqdn and decided.version = stored.version
      and decided.kind <> 'held' order by decided.id desc limit 1)`;

const STATE = sql("rollout_state")`
    select record.version as current, record.promoted_version, stored.version, ${LAST} as last,
           (select decided_by from capability_promotions as decided
             where decided.capability_fqdn = stored.capability_fqdn and decided.version = stored.version
               and decided.kind = 'promoted' order by decided.id desc limit 1) as promoted_by,
           coalesce(trust.runs, 0) as runs, coalesce(trust.successes, 0) as successes,
           exists (select from capability_version_facts as facts
                    where facts.capability_fqdn = stored.capability_fqdn and facts.version = stored.version) as has_facts
      from capability_records as record
      join capability_versions as stored on stored.capability_fqdn = record.id
      left join capability_trust as trust
        on trust.capability_fqdn = record.id and trust.version = stored.version
     where record.id = $1 and record.deleted_at is null
     order by stored.version desc`;

const SWITCH_PATTERN = sql("rollout_switch_pattern")`
    update workflow_pattern as pattern set
      source = facts.source, intent = facts.intent, description = facts.description, code = stored.code_snippet,
      canonical_code = stored.canonical_code, code_hash = stored.code_hash, parameters_schema = stored.parameters_schema,
      tools_used = stored.tools_used, dependencies = stored.dependencies, dag_structure = facts.dag_structure,
      analysis_version = facts.analysis_version, lifted_code = facts.lifted_code,
      intent_embedding = case when pattern.intent = facts.intent then pattern.intent_embedding end,
      embedding_model = case when pattern.intent = facts.intent then pattern.embedding_model end
    from capability_records as record
    join capability_versions as stored on stored.capability_fqdn = record.id
    join capability_version_facts as facts
      on facts.capability_fqdn = record.id and facts.version = stored.version
   where record.id = $1 and stored.version = $2 and pattern.pattern_id = record.workflow_pattern_id`;

const SWITCH_RECORD = sql("rollout_switch_record")`
    update capability_records as record set
      version = stored.version, version_tag = stored.version_tag, signature = stored.signature,
      public_key = stored.public_key, updated_at = now(),
      routing = case when record.routing_source = 'explicit' then record.routing else facts.routing end,
      verified = coalesce((select state = 'verified' from capability_trust as trust
        where trust.capability_fqdn = record.id and trust.version = stored.version), false)
    from capability_versions as stored
    join capability_version_facts as facts
      on facts.capability_fqdn = stored.capability_fqdn and facts.version = stored.version
   where record.id = $1 and stored.capability_fqdn = record.id and stored.version = $2`;

const SET_PROMOTED = sql("rollout_set_promoted")`
    update capability_records set promoted_version = nullif($2::integer, version), revision = revision + 1 where id = $1`;

const LIST = sql("rollout_list")`
    select version, kind, to_version, reason, decided_by, decided_at from capability_promotions
     where capability_fqdn = $1 order by id`;

const LOCK = sql("rollout_lock")`select id from capability_records where id = $1 for no key update`;

interface StateRow {
  readonly current: number;
  readonly promoted_version: number | null;
  readonly version: number;
  readonly last: Promotion["kind"] | null;
  readonly promoted_by: string | null;
  readonly runs: number;
  readonly successes: number;
  readonly has_facts: boolean;
}

interface PromotionRow {
  readonly version: number;
  readonly kind: Promotion["kind"];
  readonly to_version: number | null;
  readonly reason: string;
  readonly decided_by: string | null;
  readonly decided_at: Date;
}

/** Must be called before and after the pattern of a capability is switched to another version. */
export async function keepFacts(transaction: Queryable, fqdn: Fqdn): Promise<void> {
  await transaction.query(KEEP_FACTS, [fqdn]);
}

/** Records that a new version is on trial: other users do not get it yet. */
export async function beginTrial(
  transaction: Queryable,
  fqdn: Fqdn,
  version: number,
  by: string,
): Promise<void> {
  await note(transaction, fqdn, { version, kind: "trial", reason: "new version", by });
}

/** A version whose runs were just counted. */
export interface CountedVersion {
  readonly fqdn: Fqdn;
  readonly version: number;
  readonly failuresInARow: number;
}

/** Rolls the version back if it does worse than the previous one; its runs must already be counted. */
export async function judgeVersion(
  transaction: Queryable,
  { fqdn, version, failuresInARow }: CountedVersion,
  rules: RolloutRules,
): Promise<void> {
  const rows = await stateOf(transaction, fqdn);
  const own = rows.find((row) => row.version === version);
  const before = rows.find((row) => row.version < version && isForAll(row) && row.has_facts);
  if (own === undefined || before === undefined || own.last === "rolled_back" || own.runs > rules.window)
    return;
  // A version that was never on trial was current before trials existed; a version that a person promoted stays.
  if (own.last === null || (own.last === "promoted" && own.promoted_by !== null)) return;
  const reason = whyRolledBack(own, before, failuresInARow, rules);
  if (reason === undefined) return;
  await rollBack(transaction, fqdn, rows, own, before, reason);
}

function whyRolledBack(
  own: StateRow,
  before: StateRow,
  failuresInARow: number,
  { failuresInARow: most, margin, leastRuns }: RolloutRules,
): string | undefined {
  if (failuresInARow >= most) return `${failuresInARow} failures in a row`;
  if (own.runs < leastRuns || before.runs === 0) return undefined;
  const [now, then] = [own.successes / own.runs, before.successes / before.runs];
  if (now >= then - margin) return undefined;
  return `${percent(now)} of its runs succeed; of version ${before.version}, ${percent(then)}`;
}

async function rollBack(
  transaction: Queryable,
  fqdn: Fqdn,
  rows: readonly StateRow[],
  own: StateRow,
  before: StateRow,
  reason: string,
): Promise<void> {
  const { version, current } = own;
  await note(transaction, fqdn, { version, kind: "rolled_back", toVersion: before.version, reason });
  const promoted = own.promoted_version ?? current;
  if (version === current) {
    // The next lower version may be on trial for another user.
    const next =
      rows.find((row) => row.version < version && row.last !== "rolled_back" && row.has_facts) ?? before;
    await switchTo(transaction, fqdn, next.version);
  }
  await transaction.query(SET_PROMOTED, [fqdn, promoted === version ? before.version : promoted]);
}

/** Makes a version the one that all users get. If a person decides, all later versions are rolled back. */
export async function promoteVersion(
  transaction: Queryable,
  { fqdn, version, reason, by }: PromoteRequest,
): Promise<boolean> {
  await transaction.query(LOCK, [fqdn]);
  const rows = await stateOf(transaction, fqdn);
  const own = rows.find((row) => row.version === version);
  if (own === undefined) throw new PmlError("VERSION_NOT_FOUND", `Version ${version} not found for ${fqdn}`);
  const { current, promoted_version: promoted } = own;
  if (by === undefined) {
    if (own.last !== "trial" || promoted === null || version <= promoted) return false;
  } else if (version === (promoted ?? current) && own.last !== "trial") return false;
  await note(transaction, fqdn, { version, kind: "promoted", reason, ...(by !== undefined && { by }) });
  if (by === undefined) {
    await transaction.query(SET_PROMOTED, [fqdn, version]);
    return true;
  }
  for (const row of rows)
    if (row.version > version && row.last !== "rolled_back")
      await note(transaction, fqdn, {
        version: row.version,
        kind: "rolled_back",
        toVersion: version,
        reason: `version ${version} was promoted`,
        by,
      });
  if (version !== current) {
    if (!own.has_facts)
      throw new PmlError(
        "VERSION_NOT_FOUND",
        `Version ${version} of ${fqdn} cannot be promoted: it was saved before PML had promotions`,
        {
          hint: "Save its code again: that makes a new version of it.",
        },
      );
    await switchTo(transaction, fqdn, version);
  }
  await transaction.query(SET_PROMOTED, [fqdn, version]);
  return true;
}

/** Records that a version has enough successes but fails its recordings; the same reason is recorded once. */
export async function holdVersion(
  transaction: Queryable,
  { fqdn, version, reason }: PromoteRequest,
): Promise<void> {
  await transaction.query(LOCK, [fqdn]);
  const said = (await promotionsOf(transaction, fqdn)).filter((one) => one.version === version).at(-1);
  if (said?.kind !== "held" || said.reason !== reason)
    await note(transaction, fqdn, { version, kind: "held", reason });
}

/** Returns the oldest first. */
export async function promotionsOf(queryable: Queryable, fqdn: Fqdn): Promise<readonly Promotion[]> {
  const { rows } = await queryable.query<PromotionRow>(LIST, [fqdn]);
  return rows.map(({ version, kind, to_version, reason, decided_by, decided_at }) => ({
    version,
    kind,
    ...(to_version !== null && { toVersion: to_version }),
    reason: fromSqlText(reason),
    ...(decided_by !== null && { by: fromSqlText(decided_by) }),
    at: decided_at,
  }));
}

async function switchTo(transaction: Queryable, fqdn: Fqdn, version: number): Promise<void> {
  await keepFacts(transaction, fqdn);
  await transaction.query(SWITCH_PATTERN, [fqdn, version]);
  await transaction.query(SWITCH_RECORD, [fqdn, version]);
}

async function note(
  transaction: Queryable,
  fqdn: Fqdn,
  { version, kind, toVersion, reason, by }: Omit<Promotion, "at">,
): Promise<void> {
  const values = [fqdn, version, kind, toVersion ?? null, toSqlText(reason), textOrNull(by)];
  await transaction.query(NOTE, values);
}

async function stateOf(transaction: Queryable, fqdn: Fqdn): Promise<readonly StateRow[]> {
  return (await transaction.query<StateRow>(STATE, [fqdn])).rows;
}

function isForAll({ last }: StateRow): boolean {
  return last === null || last === "promoted";
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
