/**
 * The operations of `pml approve`: `pml:approvals` shows the runs that wait and the permanently approved tools,
 * `pml:approve` decides about one run. For a person only.
 *
 * @module
 */
import { z } from "zod";
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { ApprovalCall, ApprovalRequest } from "../../execution/ports/execute-answer.js";
import type { ApprovalDesk, PersonDecision, WaitingRun } from "../../execution/wait/approvals.js";
import type { StandingApproval } from "../../execution/wait/workflow-store.js";
import { approvalFor } from "../ask-approval.js";
import { decidesNothing, given, list, operation } from "../operation.js";
import type { Parts } from "./parts.js";

/** In a list of runs; for a single run they are complete. */
const ARGUMENTS_CHARS = 2_000;

const listSchema = z.strictObject({
  /** Or the first characters of one. */
  workflow_id: z.string().min(1).max(200).optional(),
  revoke: z.string().min(3).max(500).optional(),
});

type ShortCall = Omit<ApprovalCall, "arguments"> & {
  readonly arguments?: ApprovalCall["arguments"];
  readonly argumentsPreview?: string;
};

const waitingRun = z.strictObject({
  workflowId: z.string(),
  askedBy: z.string(),
  intent: z.string(),
  code: z.string().exactOptional(),
  capability: z.string().exactOptional(),
  args: given<Readonly<Record<string, Json>>>().exactOptional(),
  createdAt: z.string(),
  approval: given<Omit<ApprovalRequest, "calls"> & { readonly calls: readonly ShortCall[] }>(),
  done: list(z.strictObject({ taskId: z.string(), tool: z.string(), success: z.boolean() })).exactOptional(),
});

export interface DeskParts {
  readonly executor: { readonly desk: ApprovalDesk };
}

export const pmlApprovals = operation({
  id: "pml:approvals",
  who: "person",
  // Revoking only takes something back.
  decides: decidesNothing,
  summary: "Runs that wait for approval, and tools that are always approved.",
  input: listSchema,
  output: z.strictObject({
    revoked: z.string().exactOptional(),
    /** Whether a decision needs neither a terminal nor a PIN. */
    scripted: z.boolean().exactOptional(),
    /** Oldest first; `done` if one run was requested. */
    waiting: list(waitingRun).exactOptional(),
    /** Ids of runs that are approved and not continued yet, newest first; absent if one run was requested. */
    approved: list(z.string()).exactOptional(),
    /** Permanently approved tools; absent if one run was requested. */
    standing: list(
      z.strictObject({ tool: z.string(), approvedBy: z.string(), approvedAt: z.string() }),
    ).exactOptional(),
  }),
  run:
    ({ executor: { desk }, gate }: DeskParts & Pick<Parts, "gate">) =>
    async ({ workflow_id: begins, revoke }, scope, caller) => {
      if (revoke !== undefined) {
        await desk.revoke(revoke, scope);
        return { revoked: revoke };
      }
      const all = (await desk.waiting(scope)).map((run) => ({
        ...run,
        approval: approvalFor(run.approval, scope, caller),
      }));
      if (begins === undefined)
        return {
          scripted: gate.isScripted(),
          waiting: all.map(shortView),
          approved: await desk.approvedIds(scope),
          standing: (await desk.standing(scope)).map(standingView),
        };
      const meant = all.filter(({ workflowId }) => workflowId.startsWith(begins));
      const waiting = meant.map(async (run) => ({
        ...run,
        createdAt: run.createdAt.toISOString(),
        done: await desk.done(run.workflowId, scope),
      }));
      return { scripted: gate.isScripted(), waiting: await Promise.all(waiting) };
    },
});

export const decision = z.enum(["once", "always", "reject", "done", "repeat"]);

const decisionSchema = z.strictObject({
  workflow_id: z.string().min(1).max(200),
  decision,
  /** The call that the decision is about, if several have an unknown outcome. */
  task: z.string().min(1).max(1_000).optional(),
  /** The result that the code gets for a call that is marked as done. */
  result: z.unknown().optional(),
  /** `expiresAt` of the approval that the person was shown. */
  shown: z.string().max(100).optional(),
});

export const pmlApprove = operation({
  id: "pml:approve",
  who: "person",
  // A rejection allows nothing.
  decides: ({ decision }) => decision !== "reject",
  audits: () => true,
  summary: "Approves or rejects a waiting run.",
  input: decisionSchema,
  output: z.strictObject({
    workflowId: z.string(),
    state: z.enum(["waiting", "approved", "running", "rejected", "ended"]),
    /** Tools that were permanently approved with this decision. */
    always: list(z.string()),
    decision,
  }),
  hints: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  run:
    ({ executor: { desk } }: DeskParts) =>
    async (asked, scope) => {
      const decided = await desk.decide(asked.workflow_id, decisionOf(asked), scope, asked.shown);
      return { ...decided, decision: asked.decision };
    },
});

export function decisionOf({ decision, task, result }: z.infer<typeof decisionSchema>): PersonDecision {
  const isAnswer = decision === "done" || decision === "repeat";
  const misfit =
    task !== undefined && !isAnswer
      ? "task"
      : result !== undefined && decision !== "done"
        ? "result"
        : undefined;
  if (misfit !== undefined)
    throw new PmlError(
      "ARGUMENTS_INVALID",
      `Cannot call pml_approve: ${misfit} cannot be combined with ${decision}`,
    );
  const which = task === undefined ? {} : { task };
  if (decision === "done") return { kind: decision, result: (result ?? null) as Json, ...which };
  return decision === "repeat" ? { kind: decision, ...which } : { kind: decision };
}

function shortView({ code: _, args: __, createdAt, approval, ...run }: WaitingRun) {
  return {
    ...run,
    createdAt: createdAt.toISOString(),
    approval: { ...approval, calls: approval.calls.map(shortCall) },
  };
}

function shortCall(call: ApprovalCall): ShortCall {
  const text = JSON.stringify(call.arguments);
  if (text.length <= ARGUMENTS_CHARS) return call;
  const { arguments: _, ...rest } = call;
  return { ...rest, argumentsPreview: `${text.slice(0, ARGUMENTS_CHARS)}…` };
}

function standingView({ tool, approvedBy, approvedAt }: StandingApproval) {
  return { tool, approvedBy, approvedAt: approvedAt.toISOString() };
}
