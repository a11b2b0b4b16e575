/**
 * The port to the desk where a person decides about runs that wait.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { Scope } from "../../registry/scope.js";
import type { ApprovalRequest } from "../ports/approval-request.js";
import type { StandingApproval, WorkflowState } from "./workflow-store.js";

/** `once` and `always` approve; `done` and `repeat` are for calls in doubt, all of them or one task. */
export type PersonDecision =
  | { readonly kind: "once" | "always" | "reject" }
  | { readonly kind: "done"; readonly result: Json; readonly task?: string }
  | { readonly kind: "repeat"; readonly task?: string };

export interface WaitingRun {
  readonly workflowId: string;
  /** `user@org` of who asked. */
  readonly askedBy: string;
  readonly intent: string;
  /** What would run: code as it was sent, or the name of a capability. */
  readonly code?: string;
  readonly capability?: string;
  readonly args?: Readonly<Record<string, Json>>;
  readonly createdAt: Date;
  readonly approval: ApprovalRequest;
}

/** A call that has been made already. */
export interface DoneCall {
  readonly taskId: string;
  readonly tool: string;
  readonly success: boolean;
}

export interface DecidedRun {
  readonly workflowId: string;
  readonly state: WorkflowState;
  /** What was approved for good along with it. */
  readonly always: readonly string[];
}

export interface ApprovalDesk {
  /** Of the project, oldest first. */
  waiting(scope: Scope): Promise<readonly WaitingRun[]>;
  /** What a run that waits has done so far, in the order of its calls. */
  done(workflowId: string, scope: Scope): Promise<readonly DoneCall[]>;
  /** Throws `RUN_NOT_FOUND`, `APPROVAL_EXPIRED`, `APPROVAL_REJECTED`, `RUN_ENDED`, `RUN_BUSY`, `ARGUMENTS_INVALID`. */
  decide(
    workflowId: string,
    decision: PersonDecision,
    scope: Scope,
    /** `expiresAt` of the approval that the person was shown, where it may be another by now. */
    shown?: string,
  ): Promise<DecidedRun>;
  /** True the first time: a client asks its user each question once. Kept in memory. */
  isFirstQuestion(approval: Pick<ApprovalRequest, "workflowId" | "expiresAt">): boolean;
  standing(scope: Scope): Promise<readonly StandingApproval[]>;
  /** Throws `TOOL_NOT_FOUND` where the tool is not approved for good. */
  revoke(tool: string, scope: Scope): Promise<void>;
}
