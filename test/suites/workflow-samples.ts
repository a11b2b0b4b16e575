/** Runs, approvals and calls for the suites of the workflow store. */
import type { ApprovalRequest, ExecuteAnswer } from "../../src/execution/ports/execute-answer.js";
import type {
  JournalEntry,
  NewWorkflow,
  WorkflowApproval,
  WorkflowStore,
} from "../../src/execution/wait/workflow-store.js";
import type { SqlValue } from "../../src/postgres/database.js";
import type { ToolId } from "../../src/registry/tool-id.js";

export interface OpenedWorkflowStore {
  readonly store: WorkflowStore;
  /** The store of a second gateway. */
  readonly other: WorkflowStore;
  rows(sql: string, values?: readonly SqlValue[]): Promise<readonly object[]>;
  /** Keeps the locks of a statement until `meanwhile` has ended; undefined if there is only one session. */
  readonly hold:
    | ((sql: string, values: readonly SqlValue[], meanwhile: () => Promise<void>) => Promise<void>)
    | undefined;
  /** Resolves when a statement waits for a lock of another one. */
  someoneWaits(): Promise<void>;
}

export const MINUTE = 60_000;
export const OURS = { owner: "gateway-1", ms: MINUTE };
export const THEIRS = { owner: "gateway-2", ms: MINUTE };
/** A lease that has expired when it starts. */
export const OVER = { owner: "gateway-1", ms: 0 };
export const PAST = new Date(Date.now() - MINUTE);
export const SOON = new Date(Date.now() + 60 * MINUTE);
export const LATER = new Date(Date.now() + 120 * MINUTE);

/** A text that is difficult for PostgreSQL's text, for jsonb and for UTF-8. */
export const ODD = 'NUL \0, half \ud83d, 🙂, \\u0000, "quotes", line\nline';

export const tool = (id: string) => id as ToolId;
export const WHOLE_RUN: WorkflowApproval = { kind: "run", tools: [tool("fs:write")] };

let runs = 0;

export function newId(): string {
  runs += 1;
  return `run-${String(runs).padStart(4, "0")}`;
}

export function asks(workflowId: string, message = "May it write?"): ApprovalRequest {
  return {
    workflowId,
    reason: "run",
    message,
    tools: [{ tool: tool("fs:write"), hash: "h".repeat(64), reason: "it is destructive" }],
    calls: [
      { taskId: "n1", tool: tool("fs:write"), arguments: { path: "a.txt", text: ODD }, needsApproval: true },
    ],
    expiresAt: SOON.toISOString(),
    command: "pml approve 1",
    next: "Ask a person.",
  };
}

type Common = Omit<NewWorkflow, "state" | "approval" | "owner">;

function common(workflowId: string, changes: Partial<Common>): Common {
  return {
    workflowId,
    scope: { org: "acme", project: "default", user: "ada" },
    mode: "direct",
    request: { intent: ODD, code: "await mcp.fs.write({})", args: { [ODD]: [ODD, -1.5e-7, null] } },
    fingerprint: "f".repeat(64),
    seed: "5".repeat(64),
    startedAt: 1_795_000_000_123,
    expiresAt: SOON,
    ...changes,
  };
}

export function waitingRun(
  changes: Partial<Common> = {},
): NewWorkflow & { readonly state: "waiting"; readonly approval: ApprovalRequest } {
  const run = common(newId(), changes);
  return { ...run, state: "waiting", approval: asks(run.workflowId) };
}

export function runningRun(changes: Partial<Common> = {}, owner = OURS): NewWorkflow {
  return { ...common(newId(), changes), state: "running", owner };
}

export function answerOf(workflowId: string): ExecuteAnswer {
  return { status: "success", mode: "direct", workflowId, executionTimeMs: 1.25, tasks: [], result: ODD };
}

type NewCall = (JournalEntry & { readonly kind: "call" })["call"];

export function call(seq: number, changes: Partial<NewCall> = {}): JournalEntry & { readonly kind: "call" } {
  const known = { seq, taskId: `n${seq}`, tool: tool("fs:write"), args: { path: `${seq}.txt` } };
  return {
    kind: "call",
    call: { ...known, argsHash: "a".repeat(64), seen: seq - 1, state: "sent", ...changes },
  };
}

export function answered(
  seq: number,
  answerSeq = seq,
  text = `"${seq}"`,
): JournalEntry & { readonly kind: "answered" } {
  return { kind: "answered", seq, answerSeq, answer: { kind: "value", text }, durationMs: 2.5 };
}
