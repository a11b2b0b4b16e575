import { LIMITS } from "../base/limits.js";
import type { CapabilityUse, DecisionTaken, LoopPassed, RunTrace } from "../registry/capability-store.js";
import type { PruneOptions } from "../registry/trace-store.js";
import { type Database, type NamedStatement, type Queryable, type SqlValue, sql } from "./database.js";
import { textOrNull, toSqlText } from "./sql-text.js";

/** Limits the size of one statement: PGlite holds it several times, in memory that never shrinks. */
const BATCH_CHARS = 4_000_000;
const BATCH_ROWS = 500;

// Paths come as JSON, because a list of lists would have to be rectangular. Existing rows were written by an earlier
// attempt that was interrupted before it was confirmed.
const INSERT = sql("execution_trace_insert")`insert into execution_trace
      (trace_id, parent_trace_id, task_id, workflow_id, capability_id, capability_version, code_hash, intent,
       executed_path, decisions, task_results, success, duration_ms, error_code, error_message, args_hash, org, project,
       user_name, executed_at)
    select run.trace_id, run.parent_trace_id, run.task_id, run.workflow_id, run.capability_id, run.version, stored.code_hash, run.intent,
           array(select json_array_elements_text(run.path::json)), run.decisions::jsonb, run.tasks::json, run.success,
           run.duration_ms, run.error_code, run.error_message, run.args_hash, run.org, run.project, run.user_name,
           run.executed_at
      from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::text[],
                  $8::boolean[], $9::double precision[], $10::text[], $11::text[], $12::text[], $13::text[],
                  $14::text[], $15::text[], $16::timestamptz[], $17::uuid[], $18::uuid[], $19::text[])
        as run (workflow_id, capability_id, version, intent, path, decisions, tasks, success, duration_ms, error_code,
                error_message, args_hash, org, project, user_name, executed_at, trace_id, parent_trace_id, task_id)
      left join capability_versions as stored
        on stored.capability_fqdn = run.capability_id and stored.version = run.version
    on conflict (trace_id) do nothing`;

const KNOWN = sql("execution_trace_known")`
    select trace_id::text as id from execution_trace where trace_id = any ($1::uuid[])`;

/** A run, with the version that ran; there is none if the code is not a capability. */
export type TracedRun = CapabilityUse | { readonly trace: RunTrace };

/** The runs that are already written. */
export async function knownTraces(
  queryable: Queryable,
  runs: readonly TracedRun[],
): Promise<ReadonlySet<string>> {
  const { rows } = await queryable.query<{ readonly id: string }>(KNOWN, [
    runs.map(({ trace }) => trace.traceId),
  ]);
  return new Set(rows.map(({ id }) => id));
}

interface TraceRow {
  readonly run: TracedRun;
  /** As JSON text. */
  readonly path: string;
  readonly decisions: string;
  readonly tasks: string;
}

export async function insertTraces(transaction: Queryable, runs: readonly TracedRun[]): Promise<void> {
  for (const batch of batches(runs)) {
    const traces = batch.map(({ run }) => run.trace);
    await transaction.query(INSERT, [
      traces.map(({ workflowId }) => toSqlText(workflowId)),
      batch.map(({ run }) => ("fqdn" in run ? run.fqdn : null)),
      batch.map(({ run }) => ("fqdn" in run ? run.version : null)),
      traces.map(({ intent }) => toSqlText(intent)),
      batch.map(({ path }) => path),
      batch.map(({ decisions }) => decisions),
      batch.map(({ tasks }) => tasks),
      traces.map(({ success }) => success),
      traces.map(({ durationMs }) => Math.max(0, durationMs)),
      traces.map(({ success, errorCode }) => (success ? null : (errorCode ?? null))),
      traces.map(({ success, errorMessage }) =>
        success || errorMessage === undefined ? null : toSqlText(errorMessage),
      ),
      traces.map(({ argsHash }) => argsHash ?? null),
      traces.map(({ scope }) => scope.org),
      traces.map(({ scope }) => scope.project),
      traces.map(({ scope }) => scope.user),
      traces.map(({ executedAt }) => executedAt),
      traces.map(({ traceId }) => traceId),
      traces.map(({ parentTraceId }) => parentTraceId ?? null),
      traces.map(({ taskId }) => textOrNull(taskId)),
    ]);
  }
}

function* batches(runs: readonly TracedRun[]): Generator<readonly TraceRow[]> {
  let batch: TraceRow[] = [];
  let chars = 0;
  for (const run of runs) {
    const tasks = JSON.stringify(run.trace.tasks);
    const decisions = JSON.stringify(flowOf(run.trace));
    const size = tasks.length + decisions.length;
    if (batch.length === BATCH_ROWS || (batch.length > 0 && chars + size > BATCH_CHARS)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push({ run, path: JSON.stringify(run.trace.executedPath.map(toSqlText)), decisions, tasks });
    chars += size;
  }
  if (batch.length > 0) yield batch;
}

/** Decisions, and loops in the same form: the outcome of a loop is its number of iterations. */
export function flowOf({ decisions, loops }: RunTrace): readonly (DecisionTaken | LoopPassed)[] {
  return [...decisions.map((taken) => ({ ...taken, outcome: toSqlText(taken.outcome) })), ...loops];
}

/** Any number that no other lock uses. */
const PRUNE_LOCK = 0x70_6d_6c_74;

const TOO_OLD = sql("execution_trace_too_old")`delete from execution_trace where trace_id in
      (select trace_id from execution_trace where executed_at < $1 order by executed_at limit $2)`;

const CROWDED = sql("execution_trace_crowded")`
    select capability_id from execution_trace where capability_id is not null
     group by capability_id having count(*) > $1`;

const CROWDED_PROJECTS = sql("execution_trace_crowded_projects")`
    select org, project from execution_trace where capability_id is null
     group by org, project having count(*) > $1`;

/**
 * Deletes the oldest traces beyond the limit first, so that the remaining ones are complete even if pruning stops after
 * this step.
 */
const TOO_MANY = sql("execution_trace_too_many")`delete from execution_trace where trace_id in
      (select trace_id from
         (select trace_id, executed_at from execution_trace where capability_id = $1
           order by executed_at desc, trace_id offset $2) as beyond
        order by executed_at limit $3)`;

const TOO_MANY_OF_PROJECT = sql("execution_trace_too_many_of_project")`
    delete from execution_trace where trace_id in
      (select trace_id from
         (select trace_id, executed_at from execution_trace where capability_id is null and org = $1 and project = $2
           order by executed_at desc, trace_id offset $3) as beyond
        order by executed_at limit $4)`;

/** Deletes traces that are too old or too many, in several short transactions. */
export async function pruneTraces(database: Database, options: PruneOptions): Promise<number> {
  const { before, perCapability, withoutCapability } = options;
  let deleted = await deleteAll(database, TOO_OLD, [before]);
  const crowded = await database.query<{ readonly capability_id: string }>(CROWDED, [perCapability]);
  for (const { capability_id } of crowded.rows)
    deleted += await deleteAll(database, TOO_MANY, [capability_id, perCapability]);
  const projects = await database.query<{ readonly org: string; readonly project: string }>(
    CROWDED_PROJECTS,
    [withoutCapability],
  );
  for (const { org, project } of projects.rows)
    deleted += await deleteAll(database, TOO_MANY_OF_PROJECT, [org, project, withoutCapability]);
  // PGlite has no autovacuum: without this, the space of deleted rows would never be reused.
  if (database.kind === "pglite" && deleted > 0) await database.query("vacuum execution_trace");
  return deleted;
}

async function deleteAll(
  database: Database,
  statement: NamedStatement,
  values: readonly SqlValue[],
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const step = await database.transaction(async (transaction) => {
      if (!(await isAlone(database, transaction))) return 0;
      return (await transaction.query(statement, [...values, LIMITS.pruneRows])).rowCount;
    });
    deleted += step;
    if (step < LIMITS.pruneRows) return deleted;
  }
}

/** If another gateway is pruning, it does all the work. An embedded store has only one gateway. */
async function isAlone({ kind }: Database, transaction: Queryable): Promise<boolean> {
  if (kind === "pglite") return true;
  const { rows } = await transaction.query<{ readonly taken: boolean }>(
    "select pg_try_advisory_xact_lock($1) as taken",
    [PRUNE_LOCK],
  );
  return rows[0]?.taken === true;
}
