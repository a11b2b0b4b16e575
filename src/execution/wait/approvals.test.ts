import { describe, expect, it } from "vitest";
import type { ToolId } from "../../registry/tool-id.js";
import type { ApprovalRequest } from "../ports/execute-answer.js";
import type { KnownTool } from "../ports/tool-box.js";
import { asksAbout } from "../wait/approval-needs.js";
import { Approvals } from "../wait/approvals.js";
import { isRepeatable, type MadeCall } from "../wait/run-journal.js";
import { StandingApprovals } from "../wait/standing-approvals.js";
import type { StandingApproval, Workflow, WorkflowDecision, WorkflowStore } from "../wait/workflow-store.js";

const ADA = { org: "acme", project: "web", user: "ada" };
const WRITE = "fs:write" as ToolId;
const EDIT = "fs:edit" as ToolId;
const SHOWN = "2026-11-17T04:30:59.123Z";

/** A desk where one run waits, and what reached its store. */
function desk(tools: ApprovalRequest["tools"]) {
  const decided: WorkflowDecision[] = [];
  const kept: StandingApproval[] = [];
  const approval = { workflowId: "w", reason: "run", tools, calls: [], expiresAt: SHOWN } as unknown;
  const workflow = {
    workflowId: "w",
    scope: ADA,
    state: "waiting",
    request: { intent: "x" },
    approval: approval as ApprovalRequest,
    expiresAt: new Date(Date.now() + 60_000),
  } as Workflow;
  const workflows = {
    get: async () => workflow,
    calls: async () => [],
    decide: async (decision: WorkflowDecision) => {
      decided.push(decision);
      return { ...workflow, state: "approved" };
    },
    approveAlways: async (all: readonly StandingApproval[]) => void kept.push(...all),
    standingApprovals: async () => kept,
  } as Partial<WorkflowStore> as WorkflowStore;
  const standing = new StandingApprovals(workflows);
  const approvals = new Approvals({
    workflows,
    standing,
    expiresMs: 60_000,
    questionSecret: "s",
    events: { emit: () => {} },
  });
  return { approvals, standing, decided };
}

const asked = (tool: ToolId, more: object = {}) => ({ tool, hash: "1", reason: "it writes", ...more });

describe("[TB-1] a decision", () => {
  it("is about what the person was shown, and nothing that is asked since", async () => {
    const { approvals, decided } = desk([asked(WRITE)]);
    const later = "2026-11-17T04:31:00.000Z";
    await expect(approvals.decide("w", { kind: "once" }, ADA, later)).rejects.toMatchObject({
      code: "ARGUMENTS_INVALID",
      message: "The run w now asks for another approval",
    });
    expect(decided).toEqual([]);
    await approvals.decide("w", { kind: "once" }, ADA, SHOWN);
    expect(decided).toMatchObject([{ workflowId: "w", approved: { kind: "run", tools: [WRITE] } }]);
  });

  it("is for those of the project alone", async () => {
    const { approvals } = desk([asked(WRITE)]);
    for (const other of [
      { ...ADA, org: "x" },
      { ...ADA, project: "x" },
    ])
      await expect(approvals.decide("w", { kind: "once" }, other)).rejects.toMatchObject({
        code: "RUN_NOT_FOUND",
      });
  });

  it("[TB-5] for good leaves out what is asked about every time", async () => {
    const { approvals, standing } = desk([asked(WRITE), asked(EDIT, { isAskedEachTime: true })]);
    expect(await approvals.decide("w", { kind: "always" }, ADA)).toMatchObject({ always: [WRITE] });
    expect((await standing.list(ADA)).map(({ tool }) => tool)).toEqual([WRITE]);
  });

  it("[EX-6] for good is for the tool as it was, in the project", async () => {
    const { approvals, standing } = desk([asked(WRITE)]);
    await approvals.decide("w", { kind: "always" }, ADA);
    expect(standing.has({ id: WRITE, hash: "1" }, ADA)).toBe(true);
    expect(standing.has({ id: WRITE, hash: "2" }, ADA)).toBe(false);
    expect(standing.has({ id: EDIT, hash: "1" }, ADA)).toBe(false);
    expect(standing.has({ id: WRITE, hash: "1" }, { ...ADA, project: "x" })).toBe(false);
  });
});

describe("[EX-7] a call of a layer", () => {
  const tool = { id: WRITE } as KnownTool;
  const made = { taskId: "n1#2", tool, args: {}, argsHash: "a", recorded: undefined } as Partial<MadeCall>;
  const call = { taskId: "n1#2", tool: WRITE, argsHash: "a" };
  const asks = (approved: Partial<typeof call>, needs = true) =>
    asksAbout(made as MadeCall, { kind: "calls", calls: [{ ...call, ...approved }] }, () => needs);

  it("is asked about unless this very call was approved", () => {
    expect(asks({})).toBe(false);
    for (const other of [{ taskId: "n1" }, { tool: EDIT }, { argsHash: "b" }]) expect(asks(other)).toBe(true);
    expect(asks({ argsHash: "b" }, false)).toBe(false);
    expect(asksAbout(made as MadeCall, { kind: "run", tools: [WRITE] }, () => true)).toBe(true);
  });
});

it("[EX-8] what may have happened is repeated unasked only where a trusted server says that it may be", () => {
  const repeats = (trusted: boolean, annotations: object | undefined) =>
    isRepeatable({ trusted, annotations } as KnownTool);
  for (const hint of [{ readOnlyHint: true }, { idempotentHint: true }])
    expect([repeats(true, hint), repeats(false, hint)]).toEqual([true, false]);
  expect([repeats(true, { destructiveHint: false }), repeats(true, undefined)]).toEqual([false, false]);
});
