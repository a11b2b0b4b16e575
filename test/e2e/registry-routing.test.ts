/** Where capabilities may run: what follows from their tools, what a user sets, and what a cloud instance refuses. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ask, counted, errorOf, fails, lookUp, succeeds } from "../support/agent.js";
import { scratchDirectory } from "../support/databases.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useGateway } from "../support/test-gateway.js";

type Fields = Readonly<Record<string, unknown>>;

const permissions = join(scratchDirectory(), "mcp-permissions.yaml");
writeFileSync(permissions, "servers:\n  calc:\n    routing: cloud\n");

describe("[EX-15] routing", () => {
  const gateway = useGateway("foreground", {
    mcpServers: { work: fixture("work"), calc: fixture("tools") },
    approvals: { unannotated: "auto" },
    permissions,
  });
  const LOCAL = 'await mcp.work.count({ id: "local" });\nreturn await mcp.calc.add({ a: 1, b: 2 });';
  const CLOUD = "return await mcp.calc.add({ a: args.a ?? 1, b: 2 });";

  async function asInstance(
    role: "local" | "cloud",
    work: (client: TestClient) => Promise<void>,
  ): Promise<void> {
    const client = await gateway().connect("v2-2025", { role });
    try {
      await work(client);
    } finally {
      await gateway().restart();
    }
  }

  it("follows from the tools until a user sets it, and then stays", async () => {
    await asInstance("local", async (client) => {
      const save = (name: string, code: string, more: Fields = {}) =>
        ask(client, "cap_save", { intent: "route it", name, code, ...more });
      const routing = async (name: string) => {
        const { routing_source, routing } = await ask(client, "cap_whois", { name });
        expect((await lookUp(client, name)).routing).toBe(routing);
        return `${routing} by ${routing_source}`;
      };
      await save("r:local", LOCAL);
      expect(await routing("r:local")).toBe("local by tools");
      expect(await ask(client, "cap_whois", { name: "r:local" })).toMatchObject({
        tools_used: expect.arrayContaining(["work:count", "calc:add"]),
      });
      await succeeds(client, { code: CLOUD, name: "r:cloud" });
      expect(await routing("r:cloud")).toBe("cloud by tools");
      await save("r:none", "return 'no tools';");
      expect(await routing("r:none")).toBe("cloud by tools");
      await save("r:through", "return [await mcp.r.local({})];");
      expect(await routing("r:through")).toBe("local by tools");

      // The newest code decides.
      await save("r:moves", "return await mcp.work.seen({ id: 'local' });");
      expect(await routing("r:moves")).toBe("local by tools");
      await save("r:moves", "return 'moved';");
      expect(await routing("r:moves")).toBe("cloud by tools");

      await save("r:said", "return 'said';", { routing: "local" });
      expect(await routing("r:said")).toBe("local by explicit");
      await save("r:said", "return 'said again';");
      expect(await routing("r:said")).toBe("local by explicit");
      await succeeds(client, { code: "return 'run';", name: "r:said", options: { update: true } });
      expect(await routing("r:said")).toBe("local by explicit");
      await save("r:allowed", `${LOCAL} // allowed`.replace('"local"', '"allowed"'), { routing: "cloud" });
      expect(await routing("r:allowed")).toBe("cloud by explicit");
      // Of code that is known already, too.
      await save("r:none", "return 'no tools';", { routing: "local" });
      expect(await routing("r:none")).toBe("local by explicit");
      await save("r:none", "return 'no tools';", { routing: "cloud" });
      expect(await routing("r:none")).toBe("cloud by explicit");

      await save("r:callee", "return 'harmless';");
      await save("r:caller", "return [await mcp.r.callee({})];");
      await save("r:callee", LOCAL.replace('"local"', '"callee"'));
    });
  });

  it("local is refused in the cloud by every door, before anything runs", async () => {
    await asInstance("cloud", async (client) => {
      const told = {
        code: "ROUTING_REFUSED",
        message: expect.stringContaining("--role cloud"),
        routing: "local",
      };
      expect(await fails(client, { capability: "r:local" })).toMatchObject(told);
      expect(errorOf(await client.call("r:local"))).toMatchObject(told);
      expect(errorOf(await client.call("mcp__r__local"))).toMatchObject(told);
      expect(await fails(client, { capability: "r:through" })).toMatchObject(told);
      expect(await fails(client, { capability: "r:said" })).toMatchObject(told);
      expect(await fails(client, { code: LOCAL })).toMatchObject(told);
      expect(await fails(client, { code: "return [1, await mcp.r.local({})];" })).toMatchObject(told);
      // A capability that is set to local is local for all callers.
      expect(await fails(client, { code: "return [await mcp.r.said({})];" })).toMatchObject(told);
      // A version goes by its own tools, and a caller by what it calls now.
      expect(await fails(client, { capability: "r:moves@1" })).toMatchObject(told);
      expect(await fails(client, { capability: "r:caller" })).toMatchObject(told);
      for (const id of ["local", "callee"]) expect(await counted(client, id)).toBe(0);

      for (const [capability, result] of [
        ["r:cloud", { sum: 3 }],
        ["r:none", "no tools"],
        ["r:moves", "moved"],
        ["r:allowed", { sum: 3 }],
      ] as const)
        expect((await succeeds(client, { capability })).result, capability).toEqual(result);
      expect((await succeeds(client, { code: CLOUD, args: { a: 2 } })).result).toEqual({ sum: 4 });
      expect((await succeeds(client, { code: "return 'plain';" })).result).toBe("plain");
    });
  });
});
