/**
 * What `pml approve` asks of the gateway: `pml:approvals` shows the runs that wait and the tools that are approved for
 * good, `pml:approve` decides about one. For a person alone.
 *
 * @module
 */
import { z } from "zod";
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { ApprovalCall } from "../../execution/ports/execute-answer.js";
import type { ApprovalDesk, PersonDecision, WaitingRun } from "../../execution/wait/approvals.js";
import type { StandingApproval } from "../../execution/wait/workflow-store.js";
import type { DecisionGate } from "../decision-gate.js";
import { decidesNothing, operation } from "../operation.js";

/** In a list of all; those of one run are whole. */
const ARGUMENTS_CHARS = 2_000;

const listSchema = z.strictObject({
  /** Or the beginning of one. */
  workflow_id: z.string().min(1).max(200).optional(),
  revoke: z.string().min(3).max(500).optional(),
});

export function approvalsTool(desk: ApprovalDesk, gate: Pick<DecisionGate, "isScripted">) {
  return operation({
    id: "pml:approvals",
    who: "person",
    // Revoking only takes something back.
    decides: decidesNothing,
    summary: "Runs that wait for a person, and tools that are approved for good.",
    input: listSchema,
    async run({ workflow_id: begins, revoke }, scope) {
      if (revoke !== undefined) {
        await desk.revoke(revoke, scope);
        return { revoked: revoke };
      }
      const all = await desk.waiting(scope);
      if (begins === undefined)
        return {
          scripted: gate.isScripted(),
          waiting: all.map(shortView),
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
}

const decisionSchema = z.strictObject({
  workflow_id: z.string().min(1).max(200),
  decision: z.enum(["once", "always", "reject", "done", "repeat"]),
  /** Of several calls in doubt, the one that is meant. */
  task: z.string().min(1).max(1_000).optional(),
  /** What the code gets as the result of a call that is done. */
  result: z.unknown().optional(),
  /** `expiresAt` of the approval that the person was shown. */
  shown: z.string().max(100).optional(),
});

export function approveTool(desk: ApprovalDesk) {
  return operation({
    id: "pml:approve",
    who: "person",
    // A no lets nothing happen.
    decides: ({ decision }) => decision !== "reject",
    summary: "Decides about a run that waits for a person.",
    input: decisionSchema,
    hints: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    async run(asked, scope) {
      const decided = await desk.decide(asked.workflow_id, decisionOf(asked), scope, asked.shown);
      return { ...decided, decision: asked.decision };
    },
  });
}

function decisionOf({ decision, task, result }: z.infer<typeof decisionSchema>): PersonDecision {
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
      `Cannot call pml_approve: ${misfit} does not go with ${decision}`,
    );
  const which = task === undefined ? {} : { task };
  if (decision === "done") return { kind: decision, result: (result ?? null) as Json, ...which };
  return decision === "repeat" ? { kind: decision, ...which } : { kind: decision };
}

type ShortCall = Omit<ApprovalCall, "arguments"> & {
  readonly arguments?: ApprovalCall["arguments"];
  readonly argumentsPreview?: string;
};

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
