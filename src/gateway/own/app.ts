/**
 * The tools of the page that a client shows next to an answer (MCP Apps): `pml:view` reads what the page shows,
 * `pml:decide` records a decision about it. Neither is listed to a model, and neither works without the mark of a view.
 *
 * @module
 */
import { z } from "zod";
import { PmlError } from "../../base/pml-error.js";
import { viewOf } from "../app-views.js";
import { approvalFor } from "../ask-approval.js";
import { given, list, operation } from "../operation.js";
import { type DeskParts, decision, decisionOf } from "./approvals.js";

const view = z.string().min(1).max(1_000).describe("Of the page: what the answer has in _meta");
const REFUSED_IN_CODE = "only the page that a client shows beside an answer may call it";

export const pmlView = operation({
  id: "pml:view",
  who: "agent",
  unlisted: true,
  summary: "For the page that a client shows: the run that waits for approval.",
  input: z.strictObject({ view }),
  output: z.strictObject({ waiting: list(given<object>()) }),
  hints: { readOnlyHint: true, openWorldHint: false },
  refusedInCode: REFUSED_IN_CODE,
  run:
    ({ executor: { desk } }: DeskParts) =>
    async ({ view: mark }, scope, caller) => {
      const { workflowId } = meant(mark, desk.questionSecret);
      const waiting = (await desk.waiting(scope)).filter((run) => run.workflowId === workflowId);
      return {
        waiting: waiting.map((run) => ({
          ...run,
          createdAt: run.createdAt.toISOString(),
          approval: approvalFor(run.approval, scope, caller),
        })),
      };
    },
});

export const pmlDecide = operation({
  id: "pml:decide",
  who: "agent",
  unlisted: true,
  summary: "For the page that a client shows: a person's decision about the run that it shows.",
  input: z.strictObject({ view, decision, task: z.string().min(1).max(1_000).optional() }),
  output: z.strictObject({ workflowId: z.string(), state: z.string(), always: list(z.string()) }),
  hints: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  refusedInCode: REFUSED_IN_CODE,
  run:
    ({ executor: { desk } }: DeskParts) =>
    async ({ view: mark, ...asked }, scope, caller) => {
      const { workflowId, shown } = meant(mark, desk.questionSecret);
      // A PIN may have been set since, and a mark may have been passed on to a caller that is not a person.
      if (caller.mayDecide?.() !== true)
        throw new PmlError("NOT_ALLOWED", "Decisions are not taken from this client", {
          hint: `A person decides with \`pml approve ${workflowId}\`, or in the dashboard (\`pml open\`).`,
        });
      const decision = decisionOf({ workflow_id: workflowId, ...asked });
      const decided = await desk.decide(workflowId, decision, scope, shown);
      await caller.noteDecision?.(decision.kind, workflowId);
      return decided;
    },
});

function meant(mark: string, secret: string): { readonly workflowId: string; readonly shown: string } {
  const found = viewOf(mark, secret);
  if (found !== undefined) return found;
  throw new PmlError("NOT_ALLOWED", "Only the page that a client shows beside an answer may call this", {
    hint: "A person decides with `pml approve`, or in the dashboard (`pml open`).",
  });
}
