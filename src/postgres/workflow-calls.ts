/**
 * Writes the calls of a run. A call is sent only after it is written, so this is always one statement. The same
 * statement checks that this gateway has the run: if another gateway takes the run meanwhile, that one waits, or this
 * statement writes nothing.
 *
 * A statement does not see its own writes. So all entries about one call are combined into one row first.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { PmlError } from "../base/pml-error.js";
import type {
  ApprovalRequest,
  ExecuteAnswer,
  ExecuteMode,
  ExecuteRequest,
} from "../execution/ports/execute-answer.js";
import type { ClockReadings, SandboxCallAnswer } from "../execution/ports/sandbox.js";
import type {
  DoubtDecision,
  JournalEntry,
  RecordedCall,
  Workflow,
  WorkflowApproval,
  WorkflowState,
} from "../execution/wait/workflow-store.js";
import type { ToolId } from "../registry/tool-id.js";
import { type Database, type Queryable, sql } from "./database.js";
import { storeFailed } from "./sql-error.js";
import { fromSqlText, textOf, toSqlText } from "./sql-text.js";

/** Limits the size of one statement: PGlite holds it several times, in memory that never shrinks. */
const BATCH_CHARS = 4_000_000;

/** Writes nothing if another gateway has the run, or if an answered call would change. */
const RECORD = sql("workflow_record")`with run as (
      select workflow_id from workflow_runs where workflow_id = $1 and owner = $2 and state = 'running' for share),
    fitting as (
      select workflow_id from run where cardinality($14::integer[]) = (
        select count(*) from workflow_calls
         where workflow_id = $1 and seq = any ($14::integer[]) and state <> 'answered')),
    added as (
      insert into workflow_calls
        (workflow_id, seq, task_id, tool, args, args_hash, seen, clock, state, answer_seq, answer, duration_ms, sent_at)
      select fitting.workflow_id, call.seq, call.task_id, call.tool, call.args::json, call.args_hash, call.seen,
             call.clock::json, call.state, call.answer_seq, call.answer::json, call.duration_ms,
             case when call.is_sent then now() end
        from fitting, unnest($3::integer[], $4::text[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::text[],
                             $10::text[], $11::integer[], $12::text[], $13::double precision[], $20::boolean[])
          as call (seq, task_id, tool, args, args_hash, seen, clock, state, answer_seq, answer, duration_ms, is_sent)),
    changed as (
      update workflow_calls as stored set
          state = call.state, answer_seq = call.answer_seq, answer = call.answer::json, duration_ms = call.duration_ms,
          sent_at = case when call.is_sent then now() else stored.sent_at end,
          doubt = case when call.is_sent then null else stored.doubt end
        from fitting, unnest($14::integer[], $15::text[], $16::integer[], $17::text[], $18::double precision[],
                             $19::boolean[]) as call (seq, state, answer_seq, answer, duration_ms, is_sent)
       where stored.workflow_id = fitting.workflow_id and stored.seq = call.seq)
    select (select count(*) from run)::integer as owned, (select count(*) from fitting)::integer as fitting`;

/** The change of one call; `call` is set if it is new. */
interface CallChange {
  readonly seq: number;
  readonly call: (JournalEntry & { readonly kind: "call" })["call"] | undefined;
  readonly state: RecordedCall["state"];
  /** A decision about a call in doubt is used once, and does not apply to later calls. */
  readonly isSent: boolean;
  readonly answered: (JournalEntry & { readonly kind: "answered" }) | undefined;
}

/** A change with its long texts. */
interface CallTexts extends CallChange {
  readonly args: string | null;
  readonly answer: string | null;
}

export async function recordCalls(
  database: Database,
  workflowId: string,
  owner: string,
  entries: readonly JournalEntry[],
): Promise<void> {
  const [first = [], ...more] = batches(changesOf(entries));
  const write = (queryable: Queryable, batch: readonly CallTexts[]): Promise<void> =>
    writeCalls(queryable, workflowId, owner, batch);
  if (more.length === 0) return await write(database, first);
  await database.transaction(async (transaction) => {
    for (const batch of [first, ...more]) await write(transaction, batch);
  });
}

/** The error for an owner that no longer has the run. */
export function runLost(workflowId: string): PmlError {
  return new PmlError("RUN_BUSY", `Run ${workflowId} is in progress elsewhere, or has ended`, {
    data: { workflowId },
  });
}

async function writeCalls(
  queryable: Queryable,
  workflowId: string,
  owner: string,
  changes: readonly CallTexts[],
): Promise<void> {
  const added = changes.flatMap((change) =>
    change.call === undefined ? [] : [{ ...change, call: change.call }],
  );
  const changed = changes.filter(({ call }) => call === undefined);
  const { rows } = await queryable.query<{ readonly owned: number; readonly fitting: number }>(RECORD, [
    toSqlText(workflowId),
    owner,
    added.map(({ seq }) => seq),
    added.map(({ call }) => toSqlText(call.taskId)),
    added.map(({ call }) => toSqlText(call.tool)),
    added.map(({ args }) => args),
    added.map(({ call }) => call.argsHash),
    added.map(({ call }) => call.seen),
    added.map(({ call }) => (call.clock === undefined ? null : JSON.stringify(call.clock))),
    added.map(({ state }) => state),
    added.map(({ answered }) => answered?.answerSeq ?? null),
    added.map(({ answer }) => answer),
    added.map(({ answered }) => answered?.durationMs ?? null),
    changed.map(({ seq }) => seq),
    changed.map(({ state }) => state),
    changed.map(({ answered }) => answered?.answerSeq ?? null),
    changed.map(({ answer }) => answer),
    changed.map(({ answered }) => answered?.durationMs ?? null),
    changed.map(({ isSent }) => isSent),
    added.map(({ isSent }) => isSent),
  ]);
  const [answer] = rows;
  if (answer?.owned !== 1) throw runLost(workflowId);
  if (answer.fitting !== 1) throw storeFailed("record the calls of a run", "they do not match its record");
}

function changesOf(entries: readonly JournalEntry[]): readonly CallChange[] {
  const changes = new Map<number, CallChange>();
  for (const entry of entries) {
    const seq = entry.kind === "call" ? entry.call.seq : entry.seq;
    changes.set(seq, changed(changes.get(seq), entry, seq));
  }
  return [...changes.values()];
}

function changed(before: CallChange | undefined, entry: JournalEntry, seq: number): CallChange {
  const misfit = entry.kind === "call" ? before !== undefined : before?.state === "answered";
  if (misfit) throw storeFailed("record the calls of a run", `call ${seq} is recorded twice`);
  switch (entry.kind) {
    case "call": {
      const { state } = entry.call;
      return { seq, call: entry.call, state, isSent: state === "sent", answered: undefined };
    }
    case "sent":
      return { seq, call: before?.call, state: "sent", isSent: true, answered: undefined };
    case "answered":
      return { seq, call: before?.call, state: "answered", isSent: before?.isSent ?? false, answered: entry };
  }
}

/** Returns at least one batch, so that an empty write also checks that the caller still has the run. */
function batches(changes: readonly CallChange[]): readonly (readonly CallTexts[])[] {
  let batch: CallTexts[] = [];
  const all = [batch];
  let chars = 0;
  for (const change of changes) {
    const args = change.call === undefined ? null : JSON.stringify(change.call.args);
    const answer = change.answered === undefined ? null : JSON.stringify(change.answered.answer);
    chars += (args?.length ?? 0) + (answer?.length ?? 0);
    if (batch.length > 0 && chars > BATCH_CHARS) {
      batch = [];
      all.push(batch);
      chars = 0;
    }
    batch.push({ ...change, args, answer });
  }
  return all;
}

export const WORKFLOW_COLUMNS = `run.workflow_id, run.org, run.project, run.user_name, run.mode, run.state, run.request,
  run.fingerprint, run.seed, run.started_at, run.approval, run.approved, run.decided_by, run.created_at,
  run.expires_at, run.answer`;

export interface WorkflowRow {
  readonly workflow_id: string;
  readonly org: string;
  readonly project: string;
  readonly user_name: string;
  readonly mode: ExecuteMode;
  readonly state: WorkflowState;
  readonly request: ExecuteRequest;
  readonly fingerprint: string;
  readonly seed: string;
  readonly started_at: number;
  readonly approval: ApprovalRequest | null;
  readonly approved: WorkflowApproval | null;
  readonly decided_by: string | null;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly answer: ExecuteAnswer | null;
}

export function toWorkflow(row: WorkflowRow): Workflow {
  return {
    workflowId: fromSqlText(row.workflow_id),
    scope: { org: row.org, project: row.project, user: row.user_name },
    mode: row.mode,
    state: row.state,
    request: row.request,
    fingerprint: row.fingerprint,
    seed: row.seed,
    startedAt: row.started_at,
    approval: row.approval ?? undefined,
    approved: row.approved ?? undefined,
    decidedBy: textOf(row.decided_by),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    answer: row.answer ?? undefined,
  };
}

export const CALL_COLUMNS =
  "seq, task_id, tool, args, args_hash, seen, clock, state, answer_seq, answer, duration_ms, doubt";

export interface CallRow {
  readonly seq: number;
  readonly task_id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly args_hash: string;
  readonly seen: number;
  readonly clock: ClockReadings | null;
  readonly state: RecordedCall["state"];
  readonly answer_seq: number | null;
  readonly answer: SandboxCallAnswer | null;
  readonly duration_ms: number | null;
  readonly doubt: DoubtDecision | null;
}

export function toCall(row: CallRow): RecordedCall {
  return {
    seq: row.seq,
    taskId: fromSqlText(row.task_id),
    tool: fromSqlText(row.tool) as ToolId,
    args: row.args,
    argsHash: row.args_hash,
    seen: row.seen,
    state: row.state,
    ...(row.clock === null ? {} : { clock: row.clock }),
    ...(row.answer_seq === null ? {} : { answerSeq: row.answer_seq }),
    ...(row.answer === null ? {} : { answer: row.answer }),
    ...(row.duration_ms === null ? {} : { durationMs: row.duration_ms }),
    ...(row.doubt === null ? {} : { doubt: row.doubt }),
  };
}
