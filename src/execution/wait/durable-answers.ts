/**
 * What is answered about a run that waits, or that cannot be continued.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { errorShape, PmlError } from "../../base/pml-error.js";
import type { Scope } from "../../registry/scope.js";
import type { ApprovalRequest, ExecuteAnswer, TaskReport } from "../ports/execute-answer.js";
import type { SandboxCallAnswer } from "../ports/sandbox.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import { answerRun, type RunStart } from "../run/answer-run.js";
import type { EndedRun } from "../run/runner.js";
import { rounded } from "../run/task-log.js";
import { diverged } from "./run-journal.js";
import type { RecordedCall, Workflow } from "./workflow-store.js";

/** A larger answer is kept without its result. */
const ANSWER_CHARS = 8_000_000;

/** The run waits for a person. */
export function waitingAnswer(
  start: RunStart,
  approval: ApprovalRequest,
  more: { readonly prepared?: PreparedRun; readonly tasks?: readonly TaskReport[] } = {},
): ExecuteAnswer {
  const { prepared, tasks = [] } = more;
  const of = prepared?.of?.capability;
  return {
    status: "approval_required",
    mode: start.mode,
    ...(of === undefined
      ? {}
      : { capabilityId: of.id, capabilityName: of.displayName, capabilityFqdn: of.fqdn }),
    workflowId: start.workflowId,
    executionTimeMs: rounded(performance.now() - start.startedAt),
    tasks,
    approval,
    ...(prepared === undefined ? {} : { dag: prepared.plan.main.analysis.structure }),
  };
}

/** Whoever asks for a run that waits is told what it waits for. */
export function stillWaiting(start: RunStart, approval: ApprovalRequest): ExecuteAnswer {
  return approval.reason === "in_doubt" ? doubtAnswer(start, approval) : waitingAnswer(start, approval);
}

export function doubtAnswer(start: RunStart, approval: ApprovalRequest): ExecuteAnswer {
  const { message, calls, next } = approval;
  const error = new PmlError("CALL_IN_DOUBT", message, { hint: next, data: { calls } });
  return {
    status: "error",
    mode: start.mode,
    workflowId: start.workflowId,
    executionTimeMs: rounded(performance.now() - start.startedAt),
    tasks: [],
    approval,
    error: errorShape(error),
  };
}

/** The answer of a run that has ended, for who did not hear it. */
export function toldAgain(workflow: Workflow): ExecuteAnswer {
  const { answer } = workflow;
  if (answer === undefined || isExpired(workflow)) throw runEnded(workflow);
  const note = "This run has ended already: its answer is told again, and nothing ran.";
  return { ...answer, warnings: [...(answer.warnings ?? []), note] };
}

/** What is kept of an answer. */
export function keptAnswer(answer: ExecuteAnswer): ExecuteAnswer {
  if (JSON.stringify(answer).length <= ANSWER_CHARS) return answer;
  const { result: _, logs: __, ...rest } = answer;
  return { ...rest, warnings: [...(rest.warnings ?? []), "The result was too large to be kept."] };
}

/** What is kept of a call that a client made itself. */
export function directAnswer(start: RunStart, answer: SandboxCallAnswer): ExecuteAnswer {
  if (answer.kind === "error")
    return answerRun(start, { error: new PmlError("TOOL_FAILED", answer.message) });
  return keptAnswer({ ...answerRun(start, {}), result: JSON.parse(answer.text) as Json });
}

/** Code that ends before it has made all calls that it made before. */
export function missingCall(
  missing: RecordedCall | undefined,
  { error }: Pick<EndedRun, "error">,
): PmlError | undefined {
  if (missing === undefined || error !== undefined) return undefined;
  return diverged(`it ended without calling ${missing.tool} (${missing.taskId})`);
}

export function runNotFound(workflowId: string): PmlError {
  return new PmlError("RUN_NOT_FOUND", `There is no run ${workflowId.slice(0, 100)} here`, {
    hint: "A run is known by the workflowId of its answer, to who asked for it.",
  });
}

export function runBusy(workflowId: string): PmlError {
  return new PmlError("RUN_BUSY", `The run ${workflowId} is under way already`, {
    hint: "Wait for its answer. Where the gateway that had it is gone, it can be continued within half a minute.",
  });
}

export function wasSent(workflowId: string): PmlError {
  return new PmlError(
    "CALL_IN_DOUBT",
    "This very call may have been made before: it was sent, and is not made anew",
    {
      hint: `Continue with pml_execute { "intent": "…", "resume": "${workflowId}" }.`,
      data: { workflowId },
    },
  );
}

export function runEnded({ workflowId }: Pick<Workflow, "workflowId">): PmlError {
  return new PmlError("RUN_ENDED", `The run ${workflowId} has ended, and its approval is used up`, {
    hint: "Send the code again to run it once more; it is asked about again.",
  });
}

/** A person can look at so many; more would hide each other. */
export function tooManyWaiting(): PmlError {
  return new PmlError(
    "LIMIT_EXCEEDED",
    `${LIMITS.approvalsWaiting} of your runs wait for a person already, the limit of approvalsWaiting`,
    { hint: "A person decides about them first: `pml approve --list` shows them." },
  );
}

export function runRejected({
  workflowId,
  decidedBy,
}: Pick<Workflow, "workflowId"> & Partial<Pick<Workflow, "decidedBy">>): PmlError {
  return new PmlError(
    "APPROVAL_REJECTED",
    `The run ${workflowId} was rejected${decidedBy === undefined ? "" : ` by ${decidedBy}`}`,
    { hint: "Ask the person what to do instead; sending the same again asks again." },
  );
}

export function approvalExpired({ workflowId, expiresAt }: Workflow): PmlError {
  return new PmlError(
    "APPROVAL_EXPIRED",
    `The run ${workflowId} has waited too long: it expired at ${expiresAt.toISOString()}`,
    {
      hint: "Send the code again: it is asked about again. approvals.expiresSeconds says how long runs wait.",
    },
  );
}

export function isExpired({ expiresAt }: Workflow): boolean {
  return expiresAt.getTime() <= Date.now();
}

/** The request that continues a run answers as that run. */
export function startOf({ workflowId, mode }: Workflow, { startedAt }: RunStart): RunStart {
  return { workflowId, mode, startedAt };
}

export function isAskedBy({ scope }: Workflow, { org, project, user }: Scope): boolean {
  return scope.org === org && scope.project === project && scope.user === user;
}
