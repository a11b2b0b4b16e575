/**
 * Writes a new capability with its first version and the run that it comes from, in one statement. What the statement
 * writes is a value, {@link NewRows}: so it can be kept in a file until the store has it (`learn-ahead.ts`).
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { defined } from "../base/defined.js";
import { PmlError } from "../base/pml-error.js";
import type { Capability } from "../registry/capability.js";
import type { NewCapability, RunTrace, SignVersion } from "../registry/capability-store.js";
import { type DisplayName, foldDisplayName, recordPartsOf } from "../registry/display-name.js";
import { type Fqdn, fqdnCandidates, splitFqdn } from "../registry/fqdn.js";
import { signedHash } from "../registry/signature.js";
import { NO_TRUST_YET, trustAfter } from "../registry/trust.js";
import { creatorOf } from "../registry/visibility.js";
import { TROUBLES_OF_USED } from "./capability-content.js";
import { addFlow } from "./capability-learning.js";
import { heldName, versionsWithCode } from "./capability-names.js";
import {
  type CapabilityRow,
  FIRST_TRUST,
  PATTERN_COLUMNS,
  RECORD_COLUMNS,
  TROUBLE_JSON,
  toCapability,
} from "./capability-rows.js";
import { type Queryable, sql } from "./database.js";
import { flowOf } from "./execution-traces.js";
import { textOrNull, toSqlText } from "./sql-text.js";

/**
 * `$1` is one JSON object with all fields except JSON values, because these can contain characters that text cannot.
 * The parts of the statement do not see each other's rows; foreign keys are checked at its end. Indexes are of the
 * collation "C", and serve comparisons in it only. Answers nothing where the FQDN is taken, also by what was deleted.
 *
 * `$7` to `$11` are null, or names and code that must not exist yet: if one exists, the statement writes nothing. They
 * are parameters of their own, since a planner without statistics reads whole tables for columns of `$1`.
 */
const CREATE = sql("capability_create")`
    with wanted as (
      select * from json_to_record($1) as wanted (
        fqdn text collate "C", org text collate "C", project text collate "C", namespace text, action text, hash text,
        code_hash text, display_name text, display_name_fold text collate "C", pattern_id uuid, creator text,
        version_tag text, visibility text, routing text, routing_source text, signature text, public_key text, signed_hash text, tags text[], forked_from text,
        merged_from text[], observed_for text, source text, intent text, description text, code text, saved_code text,
        canonical_code text, tools_used text[], dependencies text[], analysis_version integer, lifted_code text,
        change_summary text, cold_ms double precision, cold_result_tokens bigint, runs bigint, successes bigint,
        latency_ms bigint, trust text, first_args_hash text, failures_in_a_row integer, trace_id uuid,
        parent_trace_id uuid, task_id text, workflow_id text, run_intent text, path text[], duration_ms double precision,
        error_code text, error_message text, args_hash text, user_name text, executed_at timestamptz,
        made_at timestamptz)),
    fresh as (
      select * from wanted
       where not exists (select from capability_records as taken where taken.id = $7)
         and not exists (select from ${versionsWithCode("$8", "$9", "$10")})
         and not exists (${heldName("1", "$8", "$9", "$11")})),
    pattern as (
      insert into workflow_pattern
        (pattern_id, source, intent, description, code, canonical_code, code_hash, parameters_schema, tools_used,
         dependencies, dag_structure, analysis_version, lifted_code, usage_count, success_count, total_latency_ms,
         last_used_at)
      select pattern_id, source, intent, description, code, canonical_code, code_hash, $2::json, tools_used, dependencies,
             $3::json, analysis_version, lifted_code, runs, successes, latency_ms, executed_at
        from fresh returning ${PATTERN_COLUMNS.join(", ")}),
    record as (
      insert into capability_records
        (id, org, project, namespace, action, hash, code_hash, display_name, display_name_fold, workflow_pattern_id,
         created_by, creators, version_tag, visibility, routing, routing_source, signature, public_key, tags, forked_from,
         parent_id, merged_from, observed_for, usage_count, success_count, total_latency_ms, created_at)
      select fqdn, org, project, namespace, action, hash, code_hash, display_name, display_name_fold, pattern.pattern_id,
             creator, array[creator], version_tag, visibility, routing, routing_source, signature, public_key, tags,
             forked_from, forked_from, merged_from, observed_for, runs, successes, latency_ms,
             coalesce(made_at, now())
        from fresh cross join (select pattern_id from pattern) as pattern
      on conflict (id) do nothing returning ${RECORD_COLUMNS.join(", ")}),
    made as (select fresh.* from fresh join record on record.id = fresh.fqdn),
    freed as (
      delete from capability_aliases where org = (select org from made) and project = (select project from made)
         and alias_fold = (select display_name_fold from made)),
    version as (
      insert into capability_versions
        (capability_fqdn, version, version_tag, code_snippet, saved_code, canonical_code, code_hash, parameters_schema,
         tools_used, dependencies, signature, public_key, updated_by, change_summary, updated_at, definition, signed_hash,
         cold_ms, cold_result_tokens)
      select fqdn, 1, version_tag, code, saved_code, canonical_code, code_hash, $2::json, tools_used, dependencies,
             signature, public_key, creator, change_summary,
             coalesce(made_at, now()), $4::json, signed_hash, cold_ms, cold_result_tokens
        from made),
    troubled as (
      insert into capability_troubles (capability_fqdn, version, tool_id, kind, since, before_hash)
      select made.fqdn, 1, used.id, trouble.kind, trouble.since, tool.pinned_hash
        from made cross join unnest(made.tools_used) as used (id) ${TROUBLES_OF_USED} returning tool_id, kind, since, accepted_at),
    ran as (select * from made where trace_id is not null),
    trusted as (
      insert into capability_trust
        (capability_fqdn, version, state, first_args_hash, failures_in_a_row, runs, successes)
      select fqdn, 1, trust, first_args_hash, failures_in_a_row, runs, successes from ran),
    taken as (
      insert into capability_paths
        (capability_fqdn, version, path_hash, path, runs, successes, total_ms, last_run_at)
      select fqdn, 1, encode(sha256(convert_to(array_to_json(path)::text, 'UTF8')), 'hex'), path, runs, successes,
             duration_ms, executed_at from ran),
    traced as (
      insert into execution_trace
        (trace_id, parent_trace_id, task_id, workflow_id, capability_id, capability_version, code_hash, intent,
         executed_path, decisions, task_results, success, duration_ms, error_code, error_message, args_hash, org, project,
         user_name, executed_at)
      select trace_id, parent_trace_id, task_id, workflow_id, fqdn, 1, code_hash, run_intent, path, $5::jsonb, $6::json,
             successes > 0, duration_ms, error_code, error_message, args_hash, org, project, user_name, executed_at
        from ran)
    select record.*, pattern.*, fresh.trust, '{}'::text[] as aliases, null::json as trial,
           (select json_agg(${TROUBLE_JSON} order by tool_id, kind) from troubled) as troubles
      from record cross join pattern cross join fresh`;

/** Of a capability whose FQDN was taken: its pattern was written all the same. */
const DROP_PATTERN = sql("capability_drop_pattern")`delete from workflow_pattern where pattern_id = $1`;

/** The rows of a new capability: the values of one statement, and the decisions and loops of its run. */
export interface NewRows {
  readonly fqdn: Fqdn;
  readonly patternId: string;
  readonly values: readonly (string | null)[];
  readonly flow?: Pick<RunTrace, "decisions" | "loops">;
}

export interface MadeCapability {
  readonly rows: NewRows;
  /** The capability as it is once its rows are written, if `madeAt` was given. */
  readonly capability: () => Capability;
}

interface Making {
  readonly fresh: NewCapability;
  readonly displayName: DisplayName;
  readonly sign: SignVersion;
  readonly fqdn: Fqdn;
  /** Name and code were checked before, so the statement does not check them again. */
  readonly isForced: boolean;
  /** Default: the time of the database. */
  readonly madeAt?: Date;
}

/** The name is locked and free, and what the code calls is checked. */
export async function createCapability(
  transaction: Queryable,
  fresh: NewCapability,
  displayName: DisplayName,
  sign: SignVersion,
): Promise<Capability> {
  for (const fqdn of candidatesOf(fresh)) {
    const { rows } = await makeCapability({ fresh, displayName, sign, fqdn, isForced: true });
    const made = await writeNewRows(transaction, rows);
    if (made !== undefined) return made;
    await transaction.query(DROP_PATTERN, [rows.patternId]);
  }
  throw new PmlError("STORE_FAILED", "Cannot save a capability: all forms of its FQDN are taken");
}

/** Returns undefined if the code, the name or the FQDN exists already, or if the code calls capabilities. */
export async function createIfNew(
  queryable: Queryable,
  fresh: NewCapability,
  displayName: DisplayName,
  sign: SignVersion,
): Promise<Capability | undefined> {
  const fqdn = mayBeNew(fresh) ? firstFqdn(fresh) : undefined;
  if (fqdn === undefined) return undefined;
  const { rows } = await makeCapability({ fresh, displayName, sign, fqdn, isForced: false });
  return writeNewRows(queryable, rows);
}

/** An update and a fork are of something known; capabilities that the code calls have to be checked first. */
export function mayBeNew({ update, forkedFrom, dependencies }: NewCapability): boolean {
  return !update && forkedFrom === undefined && dependencies.length === 0;
}

/** The FQDN of a new capability, unless it is taken. */
export function firstFqdn(fresh: Parameters<typeof candidatesOf>[0]): Fqdn | undefined {
  for (const fqdn of candidatesOf(fresh)) return fqdn;
  return undefined;
}

export async function makeCapability({
  fresh,
  displayName,
  sign,
  fqdn,
  isForced,
  madeAt,
}: Making): Promise<MadeCapability> {
  const { trace } = fresh;
  const place = { fqdn, version: 1, previousHash: null };
  const signed = sign({ ...fresh, ...place });
  const patternId = randomUUID();
  const row = {
    ...contentOf(fresh),
    ...useOf(trace),
    fqdn,
    ...recordPartsOf(fresh.name, fresh.inferredNamespace, fresh.codeHash),
    hash: splitFqdn(fqdn).hash,
    display_name: displayName,
    display_name_fold: foldDisplayName(displayName),
    pattern_id: patternId,
    signature: signed.signature,
    public_key: signed.publicKey,
    signed_hash: await signedHash({ ...fresh, ...place, ...signed }),
    made_at: madeAt,
  };
  const unknown = [fqdn, row.org, row.project, fresh.codeHash, row.display_name_fold];
  const values = [
    JSON.stringify(row),
    JSON.stringify(fresh.parameters),
    JSON.stringify(fresh.structure),
    fresh.definition === undefined ? null : JSON.stringify(fresh.definition),
    trace === undefined ? null : JSON.stringify(flowOf(trace)),
    trace === undefined ? null : JSON.stringify(trace.tasks),
    ...unknown.map((text) => (isForced ? null : text)),
  ];
  const capability = () =>
    toCapability({
      ...NEW_RECORD,
      ...row,
      id: fqdn,
      created_by: row.creator,
      creators: [row.creator],
      created_at: madeAt ?? new Date(),
      usage_count: row.runs,
      success_count: row.successes,
      total_latency_ms: row.latency_ms,
      last_used_at: trace?.executedAt ?? null,
      parameters_schema: fresh.parameters,
      forked_from: row.forked_from ?? null,
    });
  const { decisions = [], loops = [] } = trace ?? {};
  const flow = decisions.length + loops.length === 0 ? undefined : { decisions, loops };
  return { capability, rows: { fqdn, patternId, values, ...defined({ flow }) } };
}

/** Columns that a new record has by default. */
const NEW_RECORD = {
  updated_by: null,
  updated_at: null,
  version: 1,
  cache_policy: "auto",
  ttl: null,
  cache_person_version: null,
  deleted_at: null,
  reserved_until: null,
  revision: 1,
  other_intents: [],
  promoted_version: null,
  newest_version: null,
  troubles: null,
  aliases: [],
  trial: null,
} as const;

/** Returns undefined if the code, the name or the FQDN exists already: then nothing is written. */
export async function writeNewRows(
  queryable: Queryable,
  { fqdn, values, flow }: NewRows,
): Promise<Capability | undefined> {
  const { rows } = await queryable.query<CapabilityRow>(CREATE, values);
  const [made] = rows;
  if (made === undefined) return undefined;
  if (flow !== undefined) await addFlow(queryable, [{ fqdn, version: 1, trace: flow }]);
  return toCapability(made);
}

function candidatesOf({
  scope,
  name,
  inferredNamespace,
  codeHash,
}: Pick<NewCapability, "scope" | "name" | "inferredNamespace" | "codeHash">): Iterable<Fqdn> {
  const parts = recordPartsOf(name, inferredNamespace, codeHash);
  return fqdnCandidates({ org: scope.org, project: scope.project, ...parts }, codeHash);
}

function contentOf(fresh: NewCapability) {
  const { scope, code, savedCode } = fresh;
  const creator = creatorOf(scope);
  return {
    org: scope.org,
    project: scope.project,
    creator,
    code_hash: fresh.codeHash,
    version_tag: textOrNull(fresh.versionTag),
    visibility: fresh.visibility ?? (fresh.name === undefined ? "private" : "project"),
    routing: fresh.routing,
    routing_source: fresh.routingSource,
    tags: (fresh.tags ?? []).map(toSqlText),
    forked_from: fresh.forkedFrom,
    merged_from: fresh.mergedFrom ?? [],
    observed_for: fresh.source === "observed" ? creator : null,
    source: fresh.source,
    intent: toSqlText(fresh.intent),
    description: textOrNull(fresh.description),
    code: toSqlText(code),
    saved_code: savedCode === code ? null : toSqlText(savedCode),
    canonical_code: toSqlText(fresh.canonicalCode),
    tools_used: fresh.toolsUsed.map(toSqlText),
    dependencies: fresh.dependencies,
    analysis_version: fresh.analysisVersion,
    lifted_code: toSqlText(fresh.liftedCode),
    change_summary: textOrNull(fresh.changeSummary),
    cold_ms: fresh.cold?.programMs,
    cold_result_tokens: fresh.cold?.resultTokens,
  };
}

function useOf(trace: RunTrace | undefined) {
  if (trace === undefined) return { runs: 0, successes: 0, latency_ms: 0, trust: FIRST_TRUST };
  const { success, argsHash, errorMessage } = trace;
  const trust = argsHash === undefined ? NO_TRUST_YET : trustAfter(NO_TRUST_YET, { success, argsHash });
  const duration = Math.max(0, trace.durationMs);
  return {
    runs: 1,
    successes: success ? 1 : 0,
    latency_ms: Math.round(duration),
    trust: trust.state,
    first_args_hash: trust.firstArgsHash,
    failures_in_a_row: trust.failuresInARow,
    trace_id: trace.traceId,
    parent_trace_id: trace.parentTraceId,
    task_id: textOrNull(trace.taskId),
    workflow_id: toSqlText(trace.workflowId),
    run_intent: toSqlText(trace.intent),
    path: trace.executedPath.map(toSqlText),
    duration_ms: duration,
    error_code: success ? null : trace.errorCode,
    error_message: success ? null : textOrNull(errorMessage),
    args_hash: argsHash,
    user_name: trace.scope.user,
    executed_at: trace.executedAt,
  };
}
