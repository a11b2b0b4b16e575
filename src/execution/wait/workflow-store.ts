/**
 * The store of runs that wait for a person, or may have to be continued by another gateway: the request, the decisions,
 * and every call that was made.
 *
 * Both implementations pass `test/suites/workflow-store.suite.ts`.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { ApprovalRequest, ExecuteAnswer, ExecuteMode, ExecuteRequest } from "../ports/execute-answer.js";
import type { ClockReadings, SandboxCallAnswer } from "../ports/sandbox.js";

/**
 * `waiting`: for a person. `approved`: its owner can continue it. `running`: a gateway has it, or had it when it was
 * killed. `rejected` and `ended` are final.
 */
export type WorkflowState = "waiting" | "approved" | "running" | "rejected" | "ended";

export interface Workflow {
  readonly workflowId: string;
  /** The owner, who alone can continue it. */
  readonly scope: Scope;
  readonly mode: ExecuteMode;
  readonly state: WorkflowState;
  readonly request: ExecuteRequest;
  /** SHA-256 over code, arguments, and everything that the code calls, with versions and tool objects. */
  readonly fingerprint: string;
  /** All randomness of the run follows from it, and its clock starts then (milliseconds since 1970). */
  readonly seed: string;
  readonly startedAt: number;
  /** What was asked last. */
  readonly approval: ApprovalRequest | undefined;
  /** What was approved: the whole run, or single calls of it; nothing where nothing was. */
  readonly approved: WorkflowApproval | undefined;
  readonly decidedBy: string | undefined;
  readonly createdAt: Date;
  /** Of what waits, or was approved and not used. */
  readonly expiresAt: Date;
  /** Once it has ended, for as long as results are kept. */
  readonly answer: ExecuteAnswer | undefined;
}

export type WorkflowApproval =
  | { readonly kind: "run"; readonly tools: readonly ToolId[] }
  | { readonly kind: "calls"; readonly calls: readonly ApprovedCall[] };

interface ApprovedCall {
  readonly taskId: string;
  readonly tool: ToolId;
  /** SHA-256 of the canonical JSON of its arguments. */
  readonly argsHash: string;
}

export type NewWorkflow = Pick<
  Workflow,
  "workflowId" | "scope" | "mode" | "request" | "fingerprint" | "seed" | "startedAt" | "expiresAt"
> &
  (
    | { readonly state: "waiting"; readonly approval: ApprovalRequest }
    | { readonly state: "running"; readonly owner: Lease }
  );

/** Which gateway has a run, and for how long unless it says so again. */
export interface Lease {
  readonly owner: string;
  readonly ms: number;
}

/** A call of a run. `seq` counts the calls in the order in which the code made them, from 1 without gaps. */
export interface RecordedCall extends ApprovedCall {
  readonly seq: number;
  readonly args: Readonly<Record<string, Json>>;
  /** How many answers the code had taken in when it made the call. */
  readonly seen: number;
  readonly clock?: ClockReadings;
  /** `held`: made, and not sent. `sent`: whether it happened is known once it is `answered`. */
  readonly state: "held" | "sent" | "answered";
  /** From 1 without gaps, in the order in which answers were given to the code. */
  readonly answerSeq?: number;
  readonly answer?: SandboxCallAnswer;
  readonly durationMs?: number;
  /** What a person said of one that was sent and never answered. */
  readonly doubt?: DoubtDecision;
}

/** `done`: it happened, and the code gets `result`. `repeat`: it is sent again. */
export type DoubtDecision = { readonly kind: "done"; readonly result: Json } | { readonly kind: "repeat" };

/** What is written about the calls of a run, in this order. */
export type JournalEntry =
  | {
      readonly kind: "call";
      readonly call: Omit<RecordedCall, "answerSeq" | "answer" | "durationMs" | "doubt">;
    }
  /** A call that was held, or is repeated, is sent now. */
  | { readonly kind: "sent"; readonly seq: number }
  | {
      readonly kind: "answered";
      readonly seq: number;
      readonly answerSeq: number;
      readonly answer: SandboxCallAnswer;
      readonly durationMs: number;
    };

export interface WorkflowDecision {
  readonly workflowId: string;
  /** Nothing: rejected. */
  readonly approved: WorkflowApproval | undefined;
  /** Of calls in doubt, by `seq`. */
  readonly doubts?: ReadonlyMap<number, DoubtDecision>;
  /** The approval that was decided about: a workflow that has asked something else since is not changed. */
  readonly asked: ApprovalRequest;
  /** `user@org`. */
  readonly by: string;
  readonly expiresAt: Date;
}

/** A tool that a person has approved once and for all, as it was then. */
export interface StandingApproval {
  readonly org: string;
  readonly project: string;
  readonly tool: ToolId;
  /** Of the tool object: another one is another tool. */
  readonly hash: string;
  /** `user@org`. */
  readonly approvedBy: string;
  readonly approvedAt: Date;
}

export interface WorkflowStore {
  create(workflow: NewWorkflow): Promise<void>;
  get(workflowId: string): Promise<Workflow | undefined>;
  /** The newest of this user with that fingerprint that waits or is approved, and has not expired. */
  findOpen(scope: Scope, fingerprint: string): Promise<Workflow | undefined>;
  /** How many of this user wait for a person, and have not expired. */
  countWaiting(scope: Scope): Promise<number>;
  /** Those that wait for a person in the project, oldest first. */
  waiting(org: string, project: string, most: number): Promise<readonly Workflow[]>;
  /** Ids of those in the project that are approved, not expired, and not continued yet; newest first. */
  approvedIds(org: string, project: string, most: number): Promise<readonly string[]>;
  /** Only one that waits, has asked just that, and has not expired; answers it as it is then, else nothing. */
  decide(decision: WorkflowDecision): Promise<Workflow | undefined>;
  /**
   * Takes one that is approved and not expired, or running with a lease that has run out (any lease where `ignoresLeases`),
   * as running; answers it as it is then, else nothing. Of several who try at once one gets it.
   */
  claim(workflowId: string, lease: Lease, ignoresLeases: boolean): Promise<Workflow | undefined>;
  renew(workflowIds: readonly string[], lease: Lease): Promise<void>;
  /** In the order of `seq`. */
  calls(workflowId: string): Promise<readonly RecordedCall[]>;
  /** Durable when it resolves, all or nothing. Throws `RUN_BUSY` where `owner` does not have the run any more. */
  record(workflowId: string, owner: string, entries: readonly JournalEntry[]): Promise<void>;
  /** The run of `owner` asks, and waits. What was approved before is used up. Throws `RUN_BUSY`. */
  wait(
    workflowId: string,
    owner: string,
    asks: { readonly approval: ApprovalRequest; readonly expiresAt: Date; readonly fingerprint?: string },
  ): Promise<void>;
  /** Gives a run back that could not go on for no fault of its own: it can be continued. */
  release(workflowId: string, owner: string, expiresAt: Date): Promise<void>;
  /** The run of `owner` is over; its calls are forgotten, its answer is kept until then. Throws `RUN_BUSY`. */
  end(workflowId: string, owner: string, answer: ExecuteAnswer, keptUntil: Date): Promise<void>;
  /** Forgets what expired before `now`; what is running is kept. */
  prune(now: Date): Promise<number>;
  approveAlways(approvals: readonly StandingApproval[]): Promise<void>;
  /** All of the store, oldest first. */
  standingApprovals(): Promise<readonly StandingApproval[]>;
  /** False if the tool has no permanent approval. */
  revoke(org: string, project: string, tool: ToolId): Promise<boolean>;
}
