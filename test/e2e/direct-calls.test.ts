/** Tools that a client calls itself, by wire name or id: asked about where mcp-permissions.yaml says so. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { approvalRules } from "../../src/app/approval-rules.js";
import type { Settings } from "../../src/app/settings.js";
import { approvalOf } from "../../src/execution/prepare/approval-policy.js";
import type { ToolId } from "../../src/registry/tool-id.js";
import { ask, counted, errorOf, execute } from "../support/agent.js";
import { scratchDirectory } from "../support/databases.js";
import { fixture, TRANSPORTS, useClient, useGateway } from "../support/test-gateway.js";

const permissions = join(scratchDirectory(), "mcp-permissions.yaml");
writeFileSync(
  permissions,
  "servers:\n  ruled: { tools: { destroy: { approvalMode: hil }, count: { approvalMode: deny } } }\n",
);
const CONFIG = {
  mcpServers: { work: fixture("work"), ruled: fixture("work") },
  approvals: { scripted: true },
  permissions,
};

describe.each(TRANSPORTS)("[EX-6, FP-7] over $over, a client that cannot ask", ({ transport }) => {
  const gateway = useGateway(transport, CONFIG);
  const client = useClient(gateway, "v1", { can: [] });

  it("calls tools itself without approval, whatever their annotations", async () => {
    const before = await counted(client(), "destroyed");
    for (const name of ["work:destroy", "mcp__work__destroy"])
      expect((await client().call(name, { what: name })).isError).not.toBe(true);
    expect(await counted(client(), "destroyed")).toBe(before + 2);
    expect((await client().call("work:unannotated")).content).toMatchObject([{ text: "ran" }]);
    expect(JSON.parse(await gateway().pml("tools", "call", "work:destroy", "--json"))).toMatchObject({
      isError: false,
    });
  });

  it("needs approval where the rules say hil, and is refused where they say deny", async () => {
    const waiting = errorOf(await client().call("mcp__ruled__destroy", { what: "rule" }));
    expect(waiting).toMatchObject({ code: "APPROVAL_REQUIRED", workflowId: expect.any(String) });
    expect(errorOf(await client().call("ruled:count", { id: "x" }))).toMatchObject({ code: "TOOL_DENIED" });
    await gateway().pml("approve", String(waiting?.workflowId));
    expect((await client().call("mcp__ruled__destroy", { what: "rule" })).isError).not.toBe(true);
  });

  it("needs approval for code, graphs and capabilities, also those that only name a tool", async () => {
    const before = await counted(client(), "destroyed");
    const dag = { tasks: [{ id: "t", tool: "work:destroy", arguments: { what: "dag" } }] };
    for (const input of [{ code: 'return await mcp.work.destroy({ what: "code" });' }, { dag }])
      expect(await execute(client(), input)).toMatchObject({ status: "approval_required" });
    await ask(client(), "cap_save", {
      name: "wipe:all",
      intent: "destroy everything",
      source: { type: "tool", tool: "work:destroy", arguments: {} },
    });
    for (const name of ["wipe:all", "mcp__wipe__all"])
      expect(errorOf(await client().call(name)), name).toMatchObject({ code: "APPROVAL_REQUIRED" });
    expect(await counted(client(), "destroyed")).toBe(before);
  });
});

describe("[EX-6] approvals.direct", () => {
  const judge = async (door: "client" | "remote", approvals = {}) => {
    const rules = await approvalRules({} as Settings, { approvals }, { warn() {} } as never);
    const server = { name: "work", transport: "stdio", trusted: true } as const;
    return approvalOf({ id: "work:destroy" as ToolId }, server, rules, door).mode;
  };

  it.each([
    ["client", "auto"],
    ["remote", "hil"],
  ] as const)("a direct call at the door %s is %s by default", async (door, expected) => {
    expect(await judge(door)).toBe(expected);
    expect(await judge(door, { direct: "ask" })).toBe("hil");
    expect(await judge(door, { direct: "pass" })).toBe("auto");
  });
});
