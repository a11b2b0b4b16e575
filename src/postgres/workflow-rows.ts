/**
 * Rows of `workflow_runs` and `workflow_calls` as the workflows and calls that they stand for.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type {
  ApprovalRequest,
  ExecuteAnswer,
  ExecuteMode,
  ExecuteRequest,
} from "../execution/ports/execute-answer.js";
import type { ClockReadings, SandboxCallAnswer } from "../execution/ports/sandbox.js";
import type {
  DoubtDecision,
  RecordedCall,
  Workflow,
  WorkflowApproval,
  WorkflowState,
} from "../execution/wait/workflow-store.js";
import type { ToolId } from "../registry/tool-id.js";
import { fromSqlText, textOf } from "./sql-text.js";

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
