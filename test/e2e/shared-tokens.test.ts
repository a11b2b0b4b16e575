/** Tokens on two gateways that share a PostgreSQL, and whose answers to PML's questions count. */
import { beforeAll, describe, expect, it } from "vitest";
import { HttpDoorClient } from "../support/http-door.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import { clients } from "../support/test-client.js";
import { type TestGateway, useGateway } from "../support/test-gateway.js";

const config = await sharedStoreConfig();
/** Other gateways hear of a change within a second; a busy machine gets more. */
const SOON = { timeout: 20_000 };
const DESTROY = "return (await mcp.work.destroy({ what: args.what })).count";

async function tokenOf(gateway: TestGateway, name: string, role: string): Promise<string> {
  const made = await gateway.pml("token", "create", name, "--role", role, "--json");
  return (JSON.parse(made) as { token: string }).token;
}

describe("[DO-1, ST-3] two gateways on one PostgreSQL", () => {
  const one = useGateway("http", config);
  const two = useGateway("http", config);

  it("know the tokens that the other has made, and refuse those that it has revoked, with their sessions", async () => {
    const token = await tokenOf(one(), "laptop", "agent");
    const statusAt = async ({ url }: TestGateway) =>
      (await (await HttpDoorClient.connect(url, token)).list()).status;
    await expect.poll(() => statusAt(two()), SOON).toBe(200);
    const session = await HttpDoorClient.connect(two().url, token);
    expect((await session.list()).status).toBe(200);
    await one().pml("token", "revoke", "laptop");
    expect(await statusAt(one())).toBe(401);
    await expect.poll(async () => (await session.list()).status, SOON).toBe(401);
    expect(await statusAt(two())).toBe(401);
  });
});

describe("[DO-2, DO-6] an answer to PML's question", () => {
  const gateway = useGateway("http", {
    mcpServers: config.mcpServers,
    approvals: { unannotated: "auto", scripted: true },
  });
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    for (const role of ["person", "agent"]) tokens.set(role, await tokenOf(gateway(), `a-${role}`, role));
  });

  const run = async (role: string, kind: "v1" | "v2-2025" | "v2-2026") => {
    const client = await gateway().connect(kind, { token: tokens.get(role) ?? "", can: ["elicitation"] });
    client.answerWith(() => ({ action: "accept", content: { decision: "once" } }));
    const args = { intent: "see", code: DESTROY, args: { what: `${role} ${kind}` } };
    const { structuredContent } = await client.call("pml_execute", args);
    const asked = client.questions.length;
    await client.close();
    return { ...(structuredContent as { status: string; workflowId: string }), asked };
  };
  const entries = async () =>
    (JSON.parse(await gateway().pml("audit", "--json", "--verify")) as { entries: Record<string, string>[] })
      .entries;

  describe.each(clients("v2-2025", "v2-2026"))("of $client", ({ kind }) => {
    it("counts with the token of a person, and is in the audit", async () => {
      const { status, asked } = await run("person", kind);
      expect([status, asked]).toEqual(["success", 1]);
      expect(
        (await entries()).filter(({ operation }) => operation === "pml:approve once").at(-1),
      ).toMatchObject({
        via: "elicitation, token a-person",
        outcome: "done",
      });
    });

    it("decides nothing with the token of an agent, which is not even asked", async () => {
      const before = (await entries()).length;
      const { status, asked, workflowId } = await run("agent", kind);
      expect([status, asked]).toEqual(["approval_required", 0]);
      expect(await entries()).toHaveLength(before);
      expect(await gateway().pml("approve", "--list")).toContain(workflowId);
    });
  });
});
