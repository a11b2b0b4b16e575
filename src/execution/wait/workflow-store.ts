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
 * `waiting`: for a person. `approved`: its owner can continue it. `running`: a gateway runs it, or did when it was
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
  /** SHA-256 of code, arguments, and all callees, with versions and tool objects. */
  readonly fingerprint: string;
  /** The seed of all randomness of the run, and the start of its clock (milliseconds since 1970). */
  readonly seed: string;
  readonly startedAt: number;
  /** The last question. */
  readonly approval: ApprovalRequest | undefined;
  /** The approved part: the whole run, or single calls of it; undefined if nothing was approved. */
  readonly approved: WorkflowApproval | undefined;
  readonly decidedBy: string | undefined;
  readonly createdAt: Date;
  /** When it expires, if it waits, or was approved and not continued. */
  readonly expiresAt: Date;
  /** Present when it has ended, while results are kept. */
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

/** The gateway that has a run, and until when unless it renews the lease. */
export interface Lease {
  readonly owner: string;
  readonly ms: number;
}

/** A call of a run. `seq` counts the calls in the order in which the code made them, from 1 without gaps. */
export interface RecordedCall extends ApprovedCall {
  readonly seq: number;
  readonly args: Readonly<Record<string, Json>>;
  /** How many answers the code had received when it made the call. */
  readonly seen: number;
  readonly clock?: ClockReadings;
  /** `held`: made, and not sent. `sent`: the outcome is unknown until it is `answered`. */
  readonly state: "held" | "sent" | "answered";
  /** From 1 without gaps, in the order in which the code received the answers. */
  readonly answerSeq?: number;
  readonly answer?: SandboxCallAnswer;
  readonly durationMs?: number;
  /** A person's decision about a call that was sent and never answered. */
  readonly doubt?: DoubtDecision;
}

/** `done`: it happened, and the code gets `result`. `repeat`: it is sent again. */
export type DoubtDecision = { readonly kind: "done"; readonly result: Json } | { readonly kind: "repeat" };

/** The entries about the calls of a run, written in this order. */
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
  /** Undefined: rejected. */
  readonly approved: WorkflowApproval | undefined;
  /** Decisions about calls in doubt, by `seq`. */
  readonly doubts?: ReadonlyMap<number, DoubtDecision>;
  /** The approval that the decision is about: a workflow that has asked something else since is not changed. */
  readonly asked: ApprovalRequest;
  /** `user@org`. */
  readonly by: string;
  readonly expiresAt: Date;
}

/** A permanent approval of a tool in its form at that time. */
export interface StandingApproval {
  readonly org: string;
  readonly project: string;
  readonly tool: ToolId;
  /** Hash of the tool object: another object counts as another tool. */
  readonly hash: string;
  /** `user@org`. */
  readonly approvedBy: string;
  readonly approvedAt: Date;
}

export interface WorkflowStore {
  create(workflow: NewWorkflow): Promise<void>;
  get(workflowId: string): Promise<Workflow | undefined>;
  /** The newest unexpired run of this user with that fingerprint that waits or is approved. */
  findOpen(scope: Scope, fingerprint: string): Promise<Workflow | undefined>;
  /** How many unexpired runs of this user wait for a person. */
  countWaiting(scope: Scope): Promise<number>;
  /** The runs in the project that wait for a person, oldest first. */
  waiting(org: string, project: string, most: number): Promise<readonly Workflow[]>;
  /** Ids of unexpired runs in the project that are approved and not continued yet; newest first. */
  approvedIds(org: string, project: string, most: number): Promise<readonly string[]>;
  /**
   * Applies only to a run that waits, has asked exactly this, and has not expired; returns its new state, else
   * undefined.
   */
  decide(decision: WorkflowDecision): Promise<Workflow | undefined>;
  /**
   * Claims a run that is approved and not expired, or running with an expired lease (any lease with `ignoresLeases`);
   * returns its new state, else undefined. Of several concurrent claims one succeeds.
   */
  claim(workflowId: string, lease: Lease, ignoresLeases: boolean): Promise<Workflow | undefined>;
  renew(workflowIds: readonly string[], lease: Lease): Promise<void>;
  /** In the order of `seq`. */
  calls(workflowId: string): Promise<readonly RecordedCall[]>;
  /** Durable when it resolves, all or nothing. Throws `RUN_BUSY` if `owner` no longer has the run. */
  record(workflowId: string, owner: string, entries: readonly JournalEntry[]): Promise<void>;
  /** The run of `owner` asks, and waits. Earlier approvals are used up. Throws `RUN_BUSY`. */
  wait(
    workflowId: string,
    owner: string,
    asks: { readonly approval: ApprovalRequest; readonly expiresAt: Date; readonly fingerprint?: string },
  ): Promise<void>;
  /** Releases a run that stopped through no fault of its own, so that it can be continued. */
  release(workflowId: string, owner: string, expiresAt: Date): Promise<void>;
  /** The run of `owner` has ended; its calls are deleted, its answer is kept until `keptUntil`. Throws `RUN_BUSY`. */
  end(workflowId: string, owner: string, answer: ExecuteAnswer, keptUntil: Date): Promise<void>;
  /** Deletes runs that expired before `now`, except running ones. */
  prune(now: Date): Promise<number>;
  approveAlways(approvals: readonly StandingApproval[]): Promise<void>;
  /** All permanent approvals in the store, oldest first. */
  standingApprovals(): Promise<readonly StandingApproval[]>;
  /** False if the tool has no permanent approval. */
  revoke(org: string, project: string, tool: ToolId): Promise<boolean>;
}
