import { beforeAll, describe, expect, it } from "vitest";
import { asks, call, OURS, runningRun, SOON, tool } from "../../test/suites/workflow-samples.js";
import { databases } from "../../test/support/databases.js";
import type { ApprovalRequest } from "../execution/ports/execute-answer.js";
import { Approvals, type PersonDecision } from "../execution/wait/approvals.js";
import { StandingApprovals } from "../execution/wait/standing-approvals.js";
import type { WorkflowStore } from "../execution/wait/workflow-store.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";
import { PostgresWorkflowStore } from "./workflow-store.js";

const ADA = { org: "acme", project: "default", user: "ada" };
const ONCE: PersonDecision = { kind: "once" };

describe("deciding about the layers of a run that was interrupted", () => {
  let workflows: WorkflowStore;
  let desk: Approvals;
  beforeAll(async () => {
    const [pglite] = databases();
    const database = await pglite?.open();
    if (database === undefined) throw new Error("No database");
    await migrate(database, MIGRATIONS);
    workflows = new PostgresWorkflowStore(database);
    const standing = new StandingApprovals(workflows);
    const events = { emit: () => {} };
    desk = new Approvals({ workflows, standing, expiresMs: 60_000, questionSecret: "s", events });
  });

  /** A run whose gateway was killed after it had sent two calls of a layer. */
  async function interrupted(): Promise<string> {
    const request = { intent: "x", code: "x", options: { per_layer_validation: true } };
    const run = runningRun({ request });
    await workflows.create(run);
    await workflows.record(run.workflowId, OURS.owner, [call(1), call(2)]);
    return run.workflowId;
  }

  /** Returns the question to the person, their decision, and what is approved then. */
  async function decide(
    workflowId: string,
    reason: ApprovalRequest["reason"],
    taskIds: readonly string[],
    decision: PersonDecision,
  ): Promise<string> {
    const calls = taskIds.map((taskId) => ({
      taskId,
      tool: tool("fs:write"),
      arguments: {},
      needsApproval: true,
    }));
    const approval: ApprovalRequest = { ...asks(workflowId), reason, calls };
    await workflows.wait(workflowId, OURS.owner, { approval, expiresAt: SOON });
    await desk.decide(workflowId, decision, ADA);
    const claimed = await workflows.claim(workflowId, OURS, true);
    return claimed?.approved?.kind === "calls"
      ? claimed.approved.calls.map(({ taskId }) => taskId).join(" ")
      : "none";
  }

  it("[EX-8] keeps what was said of one call in doubt while the next is asked about", async () => {
    const workflowId = await interrupted();
    expect(await decide(workflowId, "in_doubt", ["n1", "n2"], { kind: "repeat", task: "n1" })).toBe("n1");
    expect(await decide(workflowId, "in_doubt", ["n2"], { kind: "repeat", task: "n2" })).toBe("n1 n2");
  });

  it("[EX-8] approves what it asks about, though it was sent before", async () => {
    const workflowId = await interrupted();
    expect(await decide(workflowId, "layer", ["n1", "n2"], ONCE)).toBe("n1 n2");
  });

  it("[EX-7] approves nothing that was sent and is not asked about", async () => {
    const workflowId = await interrupted();
    await workflows.record(workflowId, OURS.owner, [call(3, { state: "held" })]);
    expect(await decide(workflowId, "layer", ["n3"], ONCE)).toBe("n3");
    expect(await decide(workflowId, "in_doubt", ["n1"], { kind: "repeat" })).toBe("n1 n3");
  });
});
