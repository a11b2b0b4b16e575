import { expect, it } from "vitest";
import type { ToolId } from "../../registry/tool-id.js";
import { StandingApprovals } from "./standing-approvals.js";
import type { StandingApproval } from "./workflow-store.js";

const SCOPE = { org: "acme", project: "web", user: "ada" };
const TOOL = { id: "fs:write" as ToolId, hash: "1" };
const APPROVAL: StandingApproval = {
  org: "acme",
  project: "web",
  tool: TOOL.id,
  hash: "1",
  approvedBy: "ada@acme",
  approvedAt: new Date(0),
};

it("[EX-6, ST-3] a revoked approval does not come back with an answer that was read before, and came late", async () => {
  const answers: (() => void)[] = [];
  let isApproved = true;
  const standing = new StandingApprovals({
    approveAlways: async () => {},
    // Connections of a pool answer in any order.
    standingApprovals: () => {
      const read = isApproved ? [APPROVAL] : [];
      return new Promise((resolve) => answers.push(() => resolve(read)));
    },
    revoke: async () => {
      isApproved = false;
      return true;
    },
  });
  const fresh = standing.fresh();
  const revoked = standing.revoke(SCOPE, TOOL.id);
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.();
  expect(await revoked).toBe(true);
  answers[0]?.();
  await fresh;
  expect(standing.has(TOOL, SCOPE)).toBe(false);
});
