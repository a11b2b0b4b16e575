/**
 * A person's decisions about waiting runs. A decision runs nothing: the owner continues the run.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { defined } from "../../base/defined.js";
import type { Emits } from "../../base/event-stream.js";
import { keepNewest } from "../../base/keep-newest.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import { creatorOf } from "../../registry/visibility.js";
import type { ApprovalRequest, ExecuteRequest } from "../ports/execute-answer.js";
import { approvalExpired, isExpired, runNotFound, whyOver } from "./durable-answers.js";
import type { StandingApprovals } from "./standing-approvals.js";
import type {
  DoubtDecision,
  RecordedCall,
  StandingApproval,
  Workflow,
  WorkflowApproval,
  WorkflowState,
  WorkflowStore,
} from "./workflow-store.js";

/** `once` and `always` approve; `done` and `repeat` are for calls in doubt, all of them or one task. */
export type PersonDecision =
  | { readonly kind: "once" | "always" | "reject" }
  | { readonly kind: "done"; readonly result: Json; readonly task?: string }
  | { readonly kind: "repeat"; readonly task?: string };

export interface WaitingRun {
  readonly workflowId: string;
  /** `user@org` of the owner. */
  readonly askedBy: string;
  readonly intent: string;
  /** What would run: the sent code, or the name of a capability. */
  readonly code?: string;
  readonly capability?: string;
  readonly args?: Readonly<Record<string, Json>>;
  readonly createdAt: Date;
  readonly approval: ApprovalRequest;
}

export interface DoneCall {
  readonly taskId: string;
  readonly tool: string;
  readonly success: boolean;
}

export interface DecidedRun {
  readonly workflowId: string;
  readonly state: WorkflowState;
  /** Tools that were permanently approved with this decision. */
  readonly always: readonly string[];
}

/** The interface of the class, so that another implementation can replace it. */
export type ApprovalDesk = { readonly [K in keyof Approvals]: Approvals[K] };

export interface ApprovalsOptions {
  readonly workflows: WorkflowStore;
  readonly standing: StandingApprovals;
  /** How long an approval stays valid until it is used. */
  readonly expiresMs: number;
  /** Shared by the gateways of the store: each of them accepts the answer to another one's question. */
  readonly questionSecret: string;
  readonly events: Emits<ApprovalEvents>;
}

export interface ApprovalEvents {
  /** A run waits for a person, or a client has requested a run that still waits. */
  readonly "approval.waiting": { readonly approval: ApprovalRequest; readonly scope: Scope };
  /** A person has decided about a run; `scope` is the person's. */
  readonly "decision.made": {
    readonly kind: PersonDecision["kind"];
    readonly workflowId: string;
    readonly scope: Scope;
  };
}

const WAITING_SHOWN = 1_000;

export class Approvals {
  readonly #options: ApprovalsOptions;
  /** Questions that clients have asked their users. */
  readonly #asked = new Map<string, true>();

  readonly questionSecret: string;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
    this.questionSecret = options.questionSecret;
  }

  /** The waiting runs of the project, oldest first. */
  async waiting({ org, project }: Scope): Promise<readonly WaitingRun[]> {
    const workflows = await this.#options.workflows.waiting(org, project, WAITING_SHOWN);
    return workflows.flatMap((workflow) => {
      const { workflowId, scope, request, createdAt, approval } = workflow;
      return approval === undefined || isExpired(workflow)
        ? []
        : [{ workflowId, askedBy: creatorOf(scope), ...whatRuns(request), createdAt, approval }];
    });
  }

  /** Ids of runs of the project that are approved and not continued yet, newest first. */
  approvedIds({ org, project }: Scope): Promise<readonly string[]> {
    return this.#options.workflows.approvedIds(org, project, WAITING_SHOWN);
  }

  /** The calls that a waiting run has made so far, in order. */
  async done(workflowId: string, scope: Scope): Promise<readonly DoneCall[]> {
    await this.#undecided(workflowId, scope);
    const calls = await this.#options.workflows.calls(workflowId);
    return calls.flatMap(({ taskId, tool, answer }) =>
      answer === undefined ? [] : [{ taskId, tool, success: answer.kind === "value" }],
    );
  }

  /** `shown` is `expiresAt` of the approval that the person saw, in case it has changed since. */
  async decide(
    workflowId: string,
    decision: PersonDecision,
    scope: Scope,
    shown?: string,
  ): Promise<DecidedRun> {
    const { workflows, standing, expiresMs, events } = this.#options;
    const workflow = await this.#undecided(workflowId, scope);
    const { approval: asked } = workflow;
    if (shown !== undefined && shown !== asked.expiresAt) throw whyNot(workflow);
    const calls = await workflows.calls(workflowId);
    const doubts = doubtsOf(asked, decision, calls);
    const by = creatorOf(scope);
    const always = decision.kind === "always" ? standingOf(asked, workflow.scope, by) : [];
    // First the permanent approvals: if this gateway ends here, the run then needs no approval of its own.
    if (always.length > 0) await standing.approve(always);
    const decided = await workflows.decide({
      workflowId,
      approved: decision.kind === "reject" ? undefined : approvedBy(workflow, asked, calls, doubts),
      doubts,
      asked,
      by,
      expiresAt: new Date(Date.now() + expiresMs),
    });
    if (decided === undefined) throw await this.#why(workflowId);
    events.emit("decision.made", { kind: decision.kind, workflowId, scope });
    return { workflowId, state: decided.state, always: always.map(({ tool }) => tool) };
  }

  /** True the first time: a client asks its user each question once. Kept in memory. */
  isFirstQuestion({ workflowId, expiresAt }: Pick<ApprovalRequest, "workflowId" | "expiresAt">): boolean {
    const key = `${workflowId} ${expiresAt}`;
    const isFirst = !this.#asked.has(key);
    keepNewest(this.#asked, key, true, LIMITS.inputWaits);
    return isFirst;
  }

  standing(scope: Scope): Promise<readonly StandingApproval[]> {
    return this.#options.standing.list(scope);
  }

  /** Throws `TOOL_NOT_FOUND` if the tool has no permanent approval. */
  async revoke(tool: string, scope: Scope): Promise<void> {
    if (await this.#options.standing.revoke(scope, tool as ToolId)) return;
    throw new PmlError("TOOL_NOT_FOUND", `${tool.slice(0, 200)} is not always approved`, {
      hint: "`pml approve --list` shows the tools that are.",
    });
  }

  async #undecided(
    workflowId: string,
    { org, project }: Scope,
  ): Promise<Workflow & { readonly approval: ApprovalRequest }> {
    const workflow = await this.#options.workflows.get(workflowId);
    if (workflow === undefined || workflow.scope.org !== org || workflow.scope.project !== project)
      throw runNotFound(workflowId);
    const { approval } = workflow;
    if (workflow.state !== "waiting" || approval === undefined || isExpired(workflow)) throw whyNot(workflow);
    return { ...workflow, approval };
  }

  /** In the meantime it was decided, or asked something else. */
  async #why(workflowId: string): Promise<PmlError> {
    const workflow = await this.#options.workflows.get(workflowId);
    return workflow === undefined ? runNotFound(workflowId) : whyNot(workflow);
  }
}

function whatRuns({ intent, code, capability, args }: ExecuteRequest) {
  return { intent, ...defined({ code, capability, args }) };
}

function whyNot(workflow: Workflow): PmlError {
  const over = whyOver(workflow);
  if (over !== undefined) return over;
  if (isExpired(workflow)) return approvalExpired(workflow);
  const [what, hint] =
    workflow.state === "approved"
      ? ["is already approved", "The agent continues it with resume."]
      : ["now asks for another approval", "`pml approve --list` shows the request."];
  return new PmlError("ARGUMENTS_INVALID", `The run ${workflow.workflowId} ${what}`, { hint });
}

/** A person's decisions about calls in doubt; throws if the decision does not fit the question. */
function doubtsOf(
  asked: ApprovalRequest,
  decision: PersonDecision,
  calls: readonly RecordedCall[],
): ReadonlyMap<number, DoubtDecision> {
  const isDoubt = asked.reason === "in_doubt";
  if (decision.kind === "reject") return new Map();
  const isAnswer = decision.kind === "done" || decision.kind === "repeat";
  if (isDoubt !== isAnswer)
    throw new PmlError(
      "ARGUMENTS_INVALID",
      isDoubt
        ? "Cannot approve a call in doubt: decide whether it is done or to be repeated, or reject the run"
        : "No call is in doubt: approve the run once or always, or reject it",
    );
  if (!isAnswer) return new Map();
  const inDoubt = new Set(asked.calls.map(({ taskId }) => taskId));
  const { task } = decision;
  const meant = calls.filter(({ taskId }) => inDoubt.has(taskId) && (task === undefined || taskId === task));
  if (meant.length === 0)
    throw new PmlError("TASK_NOT_FOUND", `No call of ${task?.slice(0, 100)} is in doubt`, {
      hint: `In doubt: ${[...inDoubt].join(", ")}.`,
    });
  const said: DoubtDecision =
    decision.kind === "done" ? { kind: "done", result: decision.result } : { kind: "repeat" };
  return new Map(meant.map(({ seq }) => [seq, said]));
}

/**
 * The approved part: the whole run; or, if its layers are validated, the calls that it waits with, and the calls that a
 * person decided about before and that were not sent since. A call that was sent before a gateway was killed also
 * counts as waiting.
 */
function approvedBy(
  { request }: Workflow,
  asked: ApprovalRequest,
  calls: readonly RecordedCall[],
  doubts: ReadonlyMap<number, DoubtDecision>,
): WorkflowApproval {
  if (request.options?.per_layer_validation !== true)
    return { kind: "run", tools: asked.tools.map(({ tool }) => tool) };
  const asks = new Set(asked.reason === "layer" ? asked.calls.map(({ taskId }) => taskId) : []);
  return {
    kind: "calls",
    calls: calls
      .filter(
        ({ state, seq, taskId, doubt }) =>
          state === "held" || asks.has(taskId) || doubts.has(seq) || doubt !== undefined,
      )
      .map(({ taskId, tool, argsHash }) => ({ taskId, tool, argsHash })),
  };
}

function standingOf(
  { tools }: ApprovalRequest,
  { org, project }: Scope,
  approvedBy: string,
): readonly StandingApproval[] {
  return tools.flatMap(({ tool, hash, isAskedEachTime }) =>
    isAskedEachTime === true ? [] : [{ org, project, tool, hash, approvedBy, approvedAt: new Date() }],
  );
}
