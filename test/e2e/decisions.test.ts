/** Who may decide: every way by which an agent could, and what a request claims about itself. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, it } from "vitest";
import { ask, counted, errorOf, execute, OWN_TOOLS, succeeds, wireNames } from "../support/agent.js";
import { clients, type TestClient } from "../support/test-client.js";
import { fixture, type TestGateway, TRANSPORTS, useClient, useGateway } from "../support/test-gateway.js";

const CONFIG = {
  mcpServers: { work: fixture("work"), tools: fixture("tools") },
  approvals: { unannotated: "auto", direct: "ask" },
  scope: { org: "acme", project: "web", user: "ada" },
};
const PERSON = { "pml/person": { terminal: true, pin: "1234" } };
const DESTROY = "return (await mcp.work.destroy({ what: args.what })).count";

/** What only a command of a person has. */
const FOR_PERSONS = [
  ["pml:approve", { decision: "always" }],
  ["pml:approvals", {}],
  ["cap:verify", { name: "num:seven" }],
  ["pml:keys", { action: "trust", key: "AAAA" }],
  ["pml:tools_accept", { tools: [] }],
  ["pml:tools_changed", {}],
  ["pml:import", { header: {}, lines: [], confirmed: true }],
  ["pml:export", {}],
  ["pml:cache", { action: "clear", all: true }],
  ["pml:stats", {}],
] as const;

const wireOf = (id: string) => id.replace(":", "_");

async function waiting(client: TestClient, what: string): Promise<string> {
  const { status, workflowId } = (await execute(client, {
    code: DESTROY,
    args: { what },
  })) as unknown as { status: string; workflowId: string };
  expect(status).toBe("approval_required");
  return workflowId;
}

describe.each(TRANSPORTS)("[TB-7] over $over, an agent", ({ transport }) => {
  const gateway = useGateway(transport, CONFIG);

  describe.each(clients("v2-2025"))("with $client", ({ kind }) => {
    const client = useClient(gateway, kind, { can: [] });
    const refusal = async (name: string, args: object): Promise<string> => {
      try {
        return errorOf(await client().call(name, { ...args }, { meta: PERSON }))?.code ?? "answered";
      } catch (error) {
        return /Unknown tool/.test(String(error)) ? "TOOL_NOT_FOUND" : String(error);
      }
    };

    it("calls no tool that is for persons, by its id or as on the wire", async () => {
      const workflow_id = await waiting(client(), `${kind} call`);
      for (const [id, args] of FOR_PERSONS)
        for (const name of [id, wireOf(id), `mcp__${id.replace(":", "__")}`, id.toUpperCase()])
          expect([name, await refusal(name, { ...args, workflow_id })]).toEqual([
            name,
            expect.stringMatching(/^(TOOL|CAPABILITY)_NOT_FOUND$/),
          ]);
      expect(await wireNames(client())).toEqual(expect.arrayContaining([...OWN_TOOLS]));
      for (const [id] of FOR_PERSONS) expect(await wireNames(client())).not.toContain(wireOf(id));
      expect(await execute(client(), { resume: workflow_id })).toMatchObject({ status: "approval_required" });
    });

    it("reaches none of them from code or from a graph, nor saves a capability that does", async () => {
      const workflowId = await waiting(client(), `${kind} code`);
      const before = await counted(client(), "destroyed");
      const input = `{ workflow_id: ${JSON.stringify(workflowId)}, decision: "once" }`;
      const args = { workflow_id: workflowId, decision: "once" };
      const tries = [
        { code: `return await mcp.pml.approve(${input});` },
        { code: `return await mcp["pml:approve"](${input});` },
        { code: `return await mcp["pml:" + "approve"](${input});` },
        { code: `return await mcp[args.tool](${input});`, args: { tool: "pml:approve" } },
        { code: `return await mcp[args.tool](${input});`, args: { tool: "pml_approve" } },
        { code: "return await mcp.cap.verify({ name: 'num:seven' });" },
        { dag: { tasks: [{ id: "t1", tool: "pml:approve", arguments: args }] } },
        { dag: { tasks: [{ id: "t1", capability: "pml:approve", arguments: args }] } },
        { capability: "pml:approve", args },
      ];
      for (const one of tries) expect([one, (await execute(client(), one)).status]).toEqual([one, "error"]);
      const source = { type: "tool", tool: "pml:approve" };
      const saved = await client().call("cap_save", { intent: "approve", source, name: "sly:approve" });
      expect(errorOf(saved)?.code).toBe("TOOL_NOT_FOUND");
      expect(await execute(client(), { resume: workflowId })).toMatchObject({ status: "approval_required" });
      expect(await counted(client(), "destroyed")).toBe(before);
    });

    it("has no PIN passed on to a server", async () => {
      const { content } = await client().call("tools:meta", {}, { meta: { ...PERSON, "my/own": 1 } });
      const [block] = content as readonly { readonly text: string }[];
      expect(JSON.parse(block?.text ?? "")).not.toHaveProperty("pml/person");
      expect(JSON.parse(block?.text ?? "")).toHaveProperty("my/own");
    });
  });
});

describe("[TB-7] over HTTP without a token", () => {
  const gateway = useGateway("http", CONFIG);

  /** A session of 2025 by hand, which makes false claims wherever it can. */
  async function claimer(at: TestGateway) {
    const url = `${at.url}?scope=other/x/eve&user=eve&role=person&byPerson=true`;
    const claims = { scope: "other/x/eve", user: "eve", role: "person", byPerson: true };
    const headers: Record<string, string> = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      cookie: "role=person; user=eve",
      "x-pml-role": "person",
      "x-pml-scope": "other/x/eve",
      "x-pml-user": "eve",
      "x-forwarded-user": "eve",
    };
    const post = async (method: string, params: object): Promise<Record<string, unknown>> => {
      const _meta = { ...claims, ...PERSON, "pml/role": "person", "pml/scope": "other/x/eve" };
      const body = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
      const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      const session = answer.headers.get("mcp-session-id");
      if (session !== null) headers["mcp-session-id"] = session;
      const text = await answer.text();
      const line = text.split("\n").find((one) => one.startsWith("data: {"));
      return JSON.parse(line === undefined ? text : line.slice("data: ".length)) as Record<string, unknown>;
    };
    await post("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: { elicitation: {}, ...claims },
      clientInfo: { name: "eve", version: "1", ...claims },
    });
    const call = async (name: string, args: object) =>
      (await post("tools/call", { name, arguments: args })) as {
        readonly result?: { readonly structuredContent: Record<string, unknown> };
        readonly error?: { readonly message: string };
      };
    return call;
  }

  it("a scope, a user and a role that a request claims are ignored", async () => {
    const call = await claimer(gateway());
    await call("pml_execute", { intent: "seven", code: "return 7;", name: "num:seven" });
    const { result } = await call("cap_whois", { name: "num:seven" });
    expect(result?.structuredContent).toMatchObject({
      fqdn: expect.stringMatching(/^acme\.web\./),
      created_by: "ada@acme",
    });
    const asked = await call("pml_execute", { intent: "see", code: DESTROY, args: { what: "claimed" } });
    expect(asked.result?.structuredContent).toMatchObject({ status: "approval_required" });
    const workflow_id = asked.result?.structuredContent.workflowId;
    const decided = await call("pml:approve", { workflow_id, decision: "once" });
    expect(decided.error?.message).toContain("Unknown tool");
  });
});

describe("[TB-7] a question that was asked on stdio", () => {
  const gateway = useGateway("http", CONFIG);
  const clientOf2026 = () =>
    new Client(
      { name: "by hand", version: "1.0.0" },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: { pin: "2026-07-28" } },
        inputRequired: { autoFulfill: false },
      },
    );
  const local = clientOf2026();
  const remote = clientOf2026();
  beforeAll(async () => {
    const { config, dataDir, url } = gateway();
    const program = new URL("../../dist/cli/main.js", import.meta.url).pathname;
    const args = [program, "serve", "--config", config, "--data-dir", dataDir];
    await local.connect(new StdioClientTransport({ command: process.execPath, args }));
    await remote.connect(new StreamableHTTPClientTransport(new URL(url)));
    return async () => {
      await local.close();
      await remote.close();
    };
  });

  it("is not answered over HTTP, where the very same answer decides nothing", async () => {
    const params = {
      name: "pml_execute",
      arguments: { intent: "see", code: DESTROY, args: { what: "taken over" } },
    };
    const send = async (client: Client, more: object = {}) =>
      (await client.request(
        { method: "tools/call", params: { ...params, ...more } as never },
        { allowInputRequired: true },
      )) as unknown as { requestState?: string; structuredContent?: { status: string } };
    const { requestState } = await send(local);
    expect(requestState).toMatch(/^approval /);
    const inputResponses = { approval: { action: "accept", content: { decision: "always" } } };
    const answer = { requestState, inputResponses };
    expect(await send(remote, answer)).toMatchObject({ structuredContent: { status: "approval_required" } });
    expect(await send(remote)).toMatchObject({ structuredContent: { status: "approval_required" } });
    const direct = { name: "work:destroy", arguments: { what: "taken over" } };
    expect(await send(remote, { ...direct, ...answer })).toMatchObject({
      structuredContent: { error: { code: "APPROVAL_REQUIRED" } },
    });
    expect(await send(local, answer)).toMatchObject({ structuredContent: { status: "success" } });
  });
});

describe("[TB-7] without a terminal", () => {
  const gateway = useGateway("background", CONFIG);
  const client = useClient(gateway, "v2-2025", { can: [] });
  const refused = (...args: readonly string[]) =>
    gateway()
      .pml(...args)
      .then(
        () => "done",
        (error: unknown) => /\[([A-Z_]+)\]/.exec(String(error))?.[1] ?? String(error),
      );

  it("nothing is decided by a command, whatever it decides about, or by a call of its tool", async () => {
    await succeeds(client(), { code: "return 7;", name: "num:seven" });
    const workflowId = await waiting(client(), "no terminal");
    const key = Buffer.alloc(32, 7).toString("base64");
    for (const args of [
      ["approve", workflowId],
      ["approve", workflowId, "--always"],
      ["cap", "verify", "num:seven"],
      ["cap", "rename", "num:seven", "--cache-policy", "memoize"],
      ["cap", "rename", "num:seven", "--cache-policy", "persistent"],
      ["key", "trust", key],
    ])
      expect([args, await refused(...args)]).toEqual([args, "NOT_ALLOWED"]);
    expect(await refused("tools", "call", "cap:verify", '{"name":"num:seven"}')).not.toBe("done");
    expect((await ask(client(), "cap_whois", { name: "num:seven" })).cache_policy).toBe("auto");
    // What only takes something back.
    expect(await refused("key", "untrust", key)).toBe("KEY_INVALID");
    expect(await refused("cap", "rename", "num:seven", "--cache-policy", "none")).toBe("done");
    expect(await refused("approve", workflowId, "--reject")).toBe("done");
  });
});
