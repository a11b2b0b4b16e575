import { describe, expect, it } from "vitest";
import type { ApprovalDesk, PersonDecision, WaitingRun } from "../../execution/wait/approvals.js";
import type { Caller } from "../../mcp/real-servers.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { Operation } from "../operation.js";
import { pmlApprovals, pmlApprove } from "./approvals.js";

const scope = { org: "acme", project: "web", user: "bob" };
const long = "x".repeat(3_000);
const at = new Date("2026-11-16T04:30:00.000Z");
const tool = "fs:rm" as ToolId;

const waiting = (workflowId: string): WaitingRun => ({
  workflowId,
  askedBy: "ada@acme",
  intent: "tidy up",
  code: "await mcp.fs.rm(args)",
  args: { path: long },
  createdAt: at,
  approval: {
    workflowId,
    reason: "run",
    message: "May it?",
    tools: [{ tool, hash: "h", reason: "it is destructive" }],
    calls: [{ taskId: "n1", tool, arguments: { path: long }, needsApproval: true }],
    expiresAt: "2026-11-17T04:30:00.000Z",
    command: "pml approve 1",
    next: "Ask a person.",
  },
});

/** A desk that keeps what it is told. */
function openDesk() {
  const decisions: (readonly [string, PersonDecision, string | undefined])[] = [];
  const desk: ApprovalDesk = {
    waiting: async () => [waiting("aa11"), waiting("aa22"), waiting("bb11")],
    approvedIds: async () => ["cc11"],
    done: async (workflowId) => [{ taskId: `of ${workflowId}`, tool: "fs:list", success: true }],
    decide: async (workflowId, decision, _scope, shown) => {
      decisions.push([workflowId, decision, shown]);
      return { workflowId, state: "approved", always: [] };
    },
    isFirstQuestion: () => true,
    questionSecret: "s",
    standing: async () => [
      { org: "acme", project: "web", tool, hash: "h", approvedBy: "bob@acme", approvedAt: at },
    ],
    revoke: async () => {},
  };
  const ask = async (own: Operation, input: Readonly<Record<string, unknown>>) => {
    const answer = await own.answer(input, scope, {} as Caller);
    if (answer.kind !== "result") throw new Error("Expected a result");
    return answer.result.structuredContent as Readonly<Record<string, unknown>>;
  };
  return {
    decisions,
    list: (input: Readonly<Record<string, unknown>> = {}) =>
      ask(pmlApprovals.with({ executor: { desk }, gate: { isScripted: () => false } }), input),
    approve: (input: Readonly<Record<string, unknown>>) =>
      ask(pmlApprove.with({ executor: { desk } }), { workflow_id: "aa11", ...input }),
  };
}

describe("pml:approvals", () => {
  it("[EX-6] lists what waits, without what may be endless", async () => {
    const { waiting: listed, approved, standing, scripted } = await openDesk().list();
    expect(scripted).toBe(false);
    expect(approved).toEqual(["cc11"]);
    expect(standing).toEqual([{ tool, approvedBy: "bob@acme", approvedAt: at.toISOString() }]);
    expect(listed).toHaveLength(3);
    expect(JSON.stringify(listed).length).toBeLessThan(10_000);
    expect(listed).toMatchObject([
      {
        workflowId: "aa11",
        createdAt: at.toISOString(),
        approval: { calls: [{ argumentsPreview: expect.stringMatching(/x…$/) }] },
      },
      {},
      {},
    ]);
  });

  it("[EX-6, EX-7] shows all about those whose id begins so, and what they have done", async () => {
    const answer = await openDesk().list({ workflow_id: "aa" });
    expect(answer.waiting).toEqual(
      ["aa11", "aa22"].map((id) => ({
        ...waiting(id),
        createdAt: at.toISOString(),
        done: [{ taskId: `of ${id}`, tool: "fs:list", success: true }],
      })),
    );
  });
});

describe("pml:approve", () => {
  it("[EX-6] passes on what a person decides, and what the person was shown", async () => {
    const desk = openDesk();
    await desk.approve({ decision: "once", shown: "then" });
    await desk.approve({ decision: "always" });
    expect(desk.decisions).toEqual([
      ["aa11", { kind: "once" }, "then"],
      ["aa11", { kind: "always" }, undefined],
    ]);
  });

  it("[EX-8] takes what a person says of calls in doubt", async () => {
    const desk = openDesk();
    await desk.approve({ decision: "done" });
    await desk.approve({ decision: "done", result: { id: 7 }, task: "n1" });
    await desk.approve({ decision: "repeat", task: "n2" });
    expect(desk.decisions.map(([, decision]) => decision)).toEqual([
      { kind: "done", result: null },
      { kind: "done", result: { id: 7 }, task: "n1" },
      { kind: "repeat", task: "n2" },
    ]);
  });

  it.each([
    [{ decision: "once", task: "n1" }, "task cannot be combined with once"],
    [{ decision: "repeat", result: 1 }, "result cannot be combined with repeat"],
    [{ decision: "perhaps" }, "decision"],
  ])("[EX-6] refuses %j", async (input, text) => {
    await expect(openDesk().approve(input)).rejects.toMatchObject({
      code: "ARGUMENTS_INVALID",
      message: expect.stringContaining(text),
    });
  });
});
