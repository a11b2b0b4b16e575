/** The page inside of a client (MCP Apps): what a client that shows one is given, and what the page may decide. */
import { describe, expect, it } from "vitest";
import { errorOf, OWN_TOOLS } from "../support/agent.js";
import { clients, type TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const CONFIG = {
  mcpServers: { work: fixture("work") },
  approvals: { unannotated: "auto" },
  scope: { org: "acme", project: "web", user: "ada" },
};
const DESTROY = "return (await mcp.work.destroy({ what: args.what })).count";

async function waiting(client: TestClient, what: string) {
  const args = { intent: "see", code: DESTROY, args: { what } };
  const { structuredContent, _meta = {} } = await client.call("pml_execute", args);
  const { status, workflowId } = structuredContent as { status: string; workflowId: string };
  expect(status).toBe("approval_required");
  return { workflowId, view: _meta["pml/view"] as string | undefined, ui: _meta.ui };
}

const stateOf = async (client: TestClient, workflowId: string) => {
  const { structuredContent } = await client.call("pml_execute", { resume: workflowId });
  return (structuredContent as { status: string }).status;
};

describe("[DA-4] a local client", () => {
  const gateway = useGateway("background", CONFIG);

  describe.each(clients("v2-2025", "v2-2026"))("that shows apps, $client", ({ kind }) => {
    const client = useClient(gateway, kind, { can: ["apps"] });

    it("is given the page, and tools that are for the page alone", async () => {
      const tools = await client().tools();
      const named = (name: string) => tools.find((tool) => tool.name === name);
      expect(named("pml_execute")?._meta).toMatchObject({ ui: { resourceUri: "ui://pml/run" } });
      for (const name of ["pml_view", "pml_decide"])
        expect(named(name)?._meta).toEqual({ ui: { visibility: ["app"] } });
      const { contents } = await client().read("ui://pml/approvals");
      expect(contents[0]).toMatchObject({ mimeType: "text/html;profile=mcp-app" });
      expect(JSON.stringify(contents)).toMatch(/<!doctype html>/i);
    });

    it("decides with the mark of the view, and the agent continues", async () => {
      const { workflowId, view, ui } = await waiting(client(), `${kind} yes`);
      expect(ui).toEqual({ resourceUri: "ui://pml/approvals" });
      const seen = await client().call("pml_view", { view });
      expect(JSON.stringify(seen.structuredContent)).toContain("mcp.work.destroy");
      const decided = await client().call("pml_decide", { view, decision: "once" });
      expect(decided.structuredContent).toMatchObject({ workflowId, state: "approved" });
      const { entries } = JSON.parse(await gateway().pml("audit", "--json")) as {
        entries: readonly object[];
      };
      expect(entries).toContainEqual(
        expect.objectContaining({ operation: "pml:approve once", subject: workflowId }),
      );
      expect(await stateOf(client(), workflowId)).toBe("success");
    });

    it("decides nothing without it, or with that of another run", async () => {
      const { workflowId } = await waiting(client(), `${kind} no`);
      const other = await waiting(client(), `${kind} other`);
      const marks = [
        undefined,
        "",
        workflowId,
        `${workflowId} x y`,
        other.view?.replace(other.workflowId, workflowId),
      ];
      for (const view of marks) {
        const answer = await client().call("pml_decide", { view, decision: "once", workflow_id: workflowId });
        expect(errorOf(answer)?.code).toMatch(/NOT_ALLOWED|ARGUMENTS_INVALID/);
      }
      expect(await stateOf(client(), workflowId)).toBe("approval_required");
    });
  });

  describe("that shows none", () => {
    const client = useClient(gateway, "v2-2025", { can: [] });

    it("[LP-4] is listed nothing more, and given no mark", async () => {
      const tools = await client().tools();
      const own = tools.filter(({ name }) => /^(pml|cap)_/.test(name)).map(({ name }) => name);
      expect(new Set(own)).toEqual(new Set(OWN_TOOLS));
      expect((await waiting(client(), "none")).view).toBeUndefined();
    });

    it("code cannot decide", async () => {
      const code = "return await mcp.pml.decide({ view: 'x', decision: 'once' })";
      const { structuredContent } = await client().call("pml_execute", { intent: "see", code });
      expect((structuredContent as { status: string }).status).toBe("error");
    });
  });
});

describe("[TB-7] over HTTP without a token", () => {
  const gateway = useGateway("http", CONFIG);
  const client = useClient(gateway, "v2-2025", { can: ["apps"] });

  it("the page decides nothing", async () => {
    const { view, ui } = await waiting(client(), "http");
    expect([view, ui]).toEqual([undefined, { resourceUri: "ui://pml/approvals" }]);
  });
});
