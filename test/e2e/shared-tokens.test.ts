/** Tokens on two gateways that share a PostgreSQL: theirs, and those of a server. Whose answers to questions count. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { readOwner } from "../../src/daemon/owner-file.js";
import { AuthorizationServer, consent } from "../support/authorization-server.js";
import { HttpDoorClient } from "../support/http-door.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import { sized } from "../support/sizes.js";
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

describe("[DO-4, ST-3] two gateways in processes of their own, and a server whose tokens end", async () => {
  const as = await AuthorizationServer.start();
  // On several machines this makes their sign-ins one.
  const env = { PML_SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
  const notes = { url: as.resource, auth: { redirectUrl: "http://127.0.0.1:41806/callback" } };
  const signingIn = { ...config, mcpServers: { notes: notes as never }, exposure: "all" };
  const one = useGateway("http", signingIn, { isProcess: true, env });
  const two = useGateway("http", signingIn, { isProcess: true, env });
  afterAll(() => as.close());
  const doors: HttpDoorClient[] = [];
  const saidBy = async (door: HttpDoorClient | undefined) =>
    (await door?.call("mcp__notes__whoami"))?.text ?? "";
  const all = async () => {
    const said = await Promise.all([...doors, ...doors, ...doors].map(saidBy));
    return said.filter((text) => !text.includes('"ada"'));
  };
  const counts = () => [as.count("refresh-asked"), as.count("refresh"), as.count("reuse")];

  beforeAll(async () => {
    const token = await tokenOf(one(), "signs-in", "person");
    const post = async (id: string, input: object) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify(input);
      const answer = await fetch(new URL(`/api/${id}`, one().url), { method: "POST", headers, body });
      expect(answer.status).toBe(200);
      return (await answer.json()) as { login: string; url: string };
    };
    const { login, url } = await post("pml:login", { server: "notes", way: "paste" });
    await post("pml:login_finish", { login, pasted: await consent(url) });
    for (const { url: at } of [one(), two()]) doors.push(await HttpDoorClient.connect(at));
    await vi.waitFor(async () => expect(await all()).toEqual([]), SOON);
  });

  it("redeem each refresh token once, and all calls of both succeed", async () => {
    const [before = 0] = counts();
    const expiries = sized(100, 30);
    for (let expiry = 1; expiry <= expiries; expiry += 1) {
      as.expireAll();
      expect(await all()).toEqual([]);
      expect(counts()).toEqual([before + expiry, before + expiry, 0]);
    }
  });

  it("go on at the other where one is killed in the middle of a refresh", async () => {
    const [asked = 0, done = 0] = counts();
    as.holdMs = 60_000;
    as.expireAll();
    void saidBy(doors[0]).catch(() => "");
    await expect.poll(counts, SOON).toEqual([asked + 1, done, 0]);
    // It waits for the one that refreshes.
    const waiting = saidBy(doors[1]);
    process.kill(readOwner(one().dataDir)?.pid ?? Number.NaN, "SIGKILL");
    as.holdMs = 0;
    expect(await waiting).toContain('"ada"');
    expect(counts()).toEqual([asked + 2, done + 1, 0]);
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
