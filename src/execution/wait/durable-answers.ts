/**
 * The answers about a run that waits, or that cannot be continued.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { Scope } from "../../registry/scope.js";
import {
  type ApprovalRequest,
  capabilityFields,
  type ExecuteAnswer,
  type ExecuteRequest,
  elapsedMs,
  type RunStart,
  type TaskReport,
} from "../ports/execute-answer.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import { answerRun, type EndedRun } from "../run/runner.js";
import { diverged } from "./run-journal.js";
import type { RecordedCall, Workflow } from "./workflow-store.js";

/** A larger answer is stored without its result. */
const ANSWER_CHARS = 8_000_000;

export function waitingAnswer(
  start: RunStart,
  approval: ApprovalRequest,
  more: { readonly prepared?: PreparedRun; readonly tasks?: readonly TaskReport[] } = {},
): ExecuteAnswer {
  const { prepared, tasks = [] } = more;
  return {
    status: "approval_required",
    mode: start.mode,
    ...(prepared?.of && capabilityFields(prepared.of.capability)),
    workflowId: start.workflowId,
    executionTimeMs: elapsedMs(start),
    tasks,
    approval,
    ...(prepared && { dag: prepared.plan.main.analysis.structure }),
  };
}

/** The answer to a request for a waiting run: what it waits for. */
export function stillWaiting(start: RunStart, approval: ApprovalRequest): ExecuteAnswer {
  return approval.reason === "in_doubt" ? doubtAnswer(start, approval) : waitingAnswer(start, approval);
}

export function doubtAnswer(start: RunStart, approval: ApprovalRequest): ExecuteAnswer {
  const { message, calls, next } = approval;
  const error = new PmlError("CALL_IN_DOUBT", message, { hint: next, data: { calls } });
  return { ...answerRun(start, { error }), approval };
}

/** The answer of a run that has ended, for a client that did not receive it. */
export function toldAgain(workflow: Workflow): ExecuteAnswer {
  const { answer } = workflow;
  if (answer === undefined || isExpired(workflow)) throw runEnded(workflow);
  const note = "This run has already ended: this is its earlier answer, and nothing ran again.";
  return { ...answer, warnings: [...(answer.warnings ?? []), note] };
}

/** The stored form of an answer. */
export function keptAnswer(answer: ExecuteAnswer): ExecuteAnswer {
  if (JSON.stringify(answer).length <= ANSWER_CHARS) return answer;
  const { result: _, logs: __, ...rest } = answer;
  return { ...rest, warnings: [...(rest.warnings ?? []), "The result was too large to store."] };
}

/** The stored answer of a call that a client made itself. */
export function directAnswer(start: RunStart, answer: SandboxCallAnswer): ExecuteAnswer {
  if (answer.kind === "error")
    return answerRun(start, { error: new PmlError("TOOL_FAILED", answer.message) });
  return keptAnswer({ ...answerRun(start, {}), result: JSON.parse(answer.text) as Json });
}

/** The error for code that ends before it has repeated all its earlier calls. */
export function missingCall(
  missing: RecordedCall | undefined,
  { error }: Pick<EndedRun, "error">,
): PmlError | undefined {
  if (missing === undefined || error !== undefined) return undefined;
  return diverged(`it ended without calling ${missing.tool} (${missing.taskId})`);
}

export function runNotFound(workflowId: string): PmlError {
  return new PmlError("RUN_NOT_FOUND", `Cannot find the run ${workflowId.slice(0, 100)}`, {
    hint: "Use the workflowId of one of your own answers; `pml trace` lists recent runs.",
  });
}

export function runBusy(workflowId: string): PmlError {
  return new PmlError("RUN_BUSY", `The run ${workflowId} is already in progress`, {
    hint: "Wait for its answer. If its gateway has died, the run can be continued after half a minute.",
  });
}

export function wasSent(workflowId: string): PmlError {
  return new PmlError(
    "CALL_IN_DOUBT",
    "Cannot repeat this call: it was sent before, and it is unknown whether it happened",
    {
      hint: `Continue with pml_execute { "intent": "…", "resume": "${workflowId}" }.`,
      data: { workflowId },
    },
  );
}

function runEnded({ workflowId }: Pick<Workflow, "workflowId">): PmlError {
  return new PmlError("RUN_ENDED", `The run ${workflowId} has ended, so its approval is no longer valid`, {
    hint: "Send the code again to run it once more; this asks for a new approval.",
  });
}

/** The most that a person can review; more would hide each other. */
export function tooManyWaiting(): PmlError {
  return new PmlError(
    "LIMIT_EXCEEDED",
    `${LIMITS.approvalsWaiting} of your runs already wait for approval, the limit of approvalsWaiting`,
    { hint: "A person must decide about them first: `pml approve --list` shows them." },
  );
}

export function runRejected({
  workflowId,
  decidedBy,
}: Pick<Workflow, "workflowId"> & Partial<Pick<Workflow, "decidedBy">>): PmlError {
  return new PmlError(
    "APPROVAL_REJECTED",
    `The run ${workflowId} was rejected${decidedBy === undefined ? "" : ` by ${decidedBy}`}`,
    { hint: "Ask the person what to do instead; sending the same code again asks for approval again." },
  );
}

export function approvalExpired({ workflowId, expiresAt }: Workflow): PmlError {
  return new PmlError(
    "APPROVAL_EXPIRED",
    `The run ${workflowId} waited too long for approval: it expired at ${expiresAt.toISOString()}`,
    {
      hint: "Send the code again to ask for a new approval. approvals.expiresSeconds sets how long runs wait.",
    },
  );
}

/** Why a run can no longer be decided about or continued; nothing if it waits or is approved. */
export function whyOver(workflow: Workflow): PmlError | undefined {
  switch (workflow.state) {
    case "rejected":
      return runRejected(workflow);
    case "ended":
      return runEnded(workflow);
    case "running":
      return runBusy(workflow.workflowId);
    default:
      return undefined;
  }
}

export function isExpired({ expiresAt }: Workflow): boolean {
  return expiresAt.getTime() <= Date.now();
}

/** The request that continues a run answers as that run. */
export function startOf({ workflowId, mode }: Workflow, { startedAt, trace }: RunStart): RunStart {
  return { workflowId, mode, startedAt, trace };
}

export function isAskedBy({ scope }: Workflow, { org, project, user }: Scope): boolean {
  return scope.org === org && scope.project === project && scope.user === user;
}

/** Whether a person is asked about calls as they come, instead of before the run. */
export function isPerLayer({ options }: ExecuteRequest): boolean {
  return options?.per_layer_validation === true;
}
