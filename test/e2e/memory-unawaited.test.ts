/** Code that succeeded and is not worth being run again, and runs that are not to be remembered. */
import { describe, expect, it } from "vitest";
import { ask, execute, fails, succeeds } from "../support/agent.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const config = { mcpServers: { work: fixture("work") }, approvals: { unannotated: "auto" } };

async function names(client: TestClient): Promise<readonly string[]> {
  const { capabilities } = (await ask(client, "cap_list", { limit: 100 })) as {
    capabilities: readonly { name: string }[];
  };
  return capabilities.map(({ name }) => name);
}

describe("what is not remembered", () => {
  const gateway = useGateway("background", config);
  const client = useClient(gateway, "v2-2025");

  it.each([
    [
      "a function",
      "async function main() { await mcp.work.slow({ id: 'f', ms: 60_000 }); }\nmain();",
      "1 tool call was",
    ],
    [
      "calls",
      "mcp.work.slow({ ms: 60_000 });\nmcp.work.slow({ id: 'c', ms: 60_000 });\nreturn 'done';",
      "2 tool calls were",
    ],
    [
      "beside a race",
      "mcp.work.slow({ id: 'b', ms: 60_000 });\nreturn await Promise.race([mcp.work.seen({ id: 'x' }), mcp.work.slow({ ms: 60_000 })]);",
      "1 tool call was",
    ],
  ])("[SW-4] is code that ended without awaiting: %s", async (_, code, said) => {
    const before = await names(client());
    const answer = await succeeds(client(), { code, name: "never:kept" });
    expect(answer.capabilityName).toBeUndefined();
    const has = said.startsWith("1") ? "has" : "have";
    expect(answer.warnings).toContain(`${said} not awaited and ${has} been cancelled`);
    expect(answer.warnings?.join("\n")).toContain(`Not remembered: ${said} not awaited.`);
    expect(await names(client())).toEqual(before);
  });

  it("[SW-4] is code that did not await a capability", async () => {
    await succeeds(client(), {
      code: "await new Promise((resolve) => setTimeout(resolve, args.ms));\nreturn args.ms;",
      args: { ms: 1 },
      name: "pause:for",
    });
    const answer = await succeeds(client(), { code: "mcp.pause.for({ ms: 60_000 });\nreturn 'early';" });
    expect(answer.capabilityName).toBeUndefined();
    expect(answer.warnings).toContain("1 capability call was not awaited and has been cancelled");
  });

  it.each([
    ["directly", "return await Promise.race([mcp.work.seen({ id: 'r' }), mcp.work.slow({ ms: 60_000 })]);"],
    ["with any", "return await Promise.any([mcp.work.seen({ id: 'a' }), mcp.work.slow({ ms: 60_000 })]);"],
    [
      "against time",
      "const late = new Promise((resolve) => setTimeout(resolve, 5, 'late'));\nreturn await Promise.race([mcp.work.slow({ ms: 60_000 }), late]);",
    ],
    [
      "inside functions",
      "const slow = async () => { await mcp.work.slow({ id: 'i', ms: 60_000 }); };\nreturn await Promise.race([slow(), mcp.work.seen({ id: 'i' })]);",
    ],
    [
      "handed to a function that races",
      "const within = (work) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, 5, 'over'))]);\nreturn await within(mcp.work.slow({ id: 'h', ms: 60_000 }));",
    ],
  ])("[SW-4] is not code whose calls lost a race: %s", async (_, code) => {
    const answer = await succeeds(client(), { code });
    expect(answer.warnings ?? []).toEqual([]);
    expect(answer.capabilityName).toMatch(/^unnamed_/);
  });

  it("[SW-4] is a run that returned nothing and called nothing", async () => {
    for (const code of ["const sum = 1 + 1;", "console.log('here');"]) {
      const answer = await succeeds(client(), { code });
      expect(answer.capabilityName).toBeUndefined();
      expect(answer.warnings).toContain("Not remembered: the code returned nothing and called nothing.");
    }
    const called = await succeeds(client(), { code: "await mcp.work.seen({ id: 'nothing' });" });
    expect(called.capabilityName).toBeDefined();
  });

  it("[SW-4] is a run with remember: false, of code and of a capability", async () => {
    const code = "return await mcp.work.seen({ id: args.id });";
    const args = { id: "quiet" };
    const quiet = { remember: false, no_cache: true };
    expect((await succeeds(client(), { code, args, options: quiet })).capabilityName).toBeUndefined();
    await succeeds(client(), { code, args, name: "quiet:seen" });
    await succeeds(client(), { code, args, options: quiet });
    await succeeds(client(), { capability: "quiet:seen", args, options: quiet });
    await succeeds(client(), { capability: "quiet:seen", args, options: { no_cache: true } });
    await expect
      .poll(async () => (await ask(client(), "cap_whois", { name: "quiet:seen" })).usage_count)
      .toBe(2);
    const { code: refused } = await fails(client(), {
      code,
      name: "quiet:too",
      options: { remember: false },
    });
    expect(refused).toBe("ARGUMENTS_INVALID");
  });

  it("[SW-4] is what pml exec runs with --no-remember", async () => {
    const before = await names(client());
    const stdout = await gateway().pml("exec", "--no-remember", "--capability", "pause:for", "--arg", "ms=1");
    expect(stdout.trim()).toBe("1");
    expect(await names(client())).toEqual(before);
    expect((await execute(client(), { code: "return 1 + 2;" })).capabilityName).toBeDefined();
  });
});
