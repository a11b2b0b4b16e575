/** Code that spells calls as other interfaces do: it runs as the proper call, or is told before anything has run. */
import { describe, expect, it } from "vitest";
import { counted, errorOf, execute, fails, succeeds } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

describe("an agent that spells calls as elsewhere", () => {
  const gateway = useGateway("background", {
    mcpServers: { work: fixture("work") },
    approvals: { scripted: true, unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");

  it("[AN-2, AN-9, ID-8] runs the tool, and has the capability of the proper call", async () => {
    const proper = await succeeds(client(), { code: 'return (await mcp.work.count({ id: "slip" })).count;' });
    for (const call of [
      'mcp__work__count({ id: "slip" })',
      'work.count({ id: "slip" })',
      'mcp.callTool({ name: "count", arguments: { id: "slip" } })',
      'mcp.work.count(id="slip")',
    ]) {
      const slip = await succeeds(client(), { code: `return (await ${call}).count;` });
      expect([call, slip.capabilityFqdn]).toEqual([call, proper.capabilityFqdn]);
      expect(slip.warnings).toEqual(
        call.startsWith("mcp.work") ? undefined : ["Line 1 was read as mcp.work.count."],
      );
    }
    expect(await counted(client(), "slip")).toBe(5);
  });

  it("[TB-4] is remembered by the proper spelling, and works again by name", async () => {
    const code = 'return (await mcp__work__count({ id: "named" })).count;';
    await succeeds(client(), { code, name: "work:count_named" });
    const found = (await client().call("pml_discover", { intent: "work count named", detail: "full" }))
      .structuredContent as { readonly results: readonly Record<string, unknown>[] };
    expect(found.results.find(({ name }) => String(name).includes("count_named"))?.source).toEqual({
      type: "code",
      code: 'return (await mcp.work.count({ id: "named" })).count;',
    });
    expect(await succeeds(client(), { capability: "work:count_named" })).toMatchObject({ result: 2 });
  });

  it.each([
    'mcp__work__destroy({ what: "x" })',
    'work.destroy({ what: "x" })',
    'mcp.call("work:destroy", { what: "x" })',
    'mcp.destroy({ what: "x" })',
    'tools.work.destroy({ what: "x" })',
  ])("[EX-6, TB-1] a person is asked for %s as for the proper call", async (call) => {
    const before = await counted(client(), "destroyed");
    client().answerWith(async () => ({ action: "cancel" }));
    const shown = client().questions.length;
    await execute(client(), { code: `return await ${call};` });
    expect(client().questions.slice(shown).join()).toMatch(/work:destroy[\s\S]*"x"/);
    expect(await counted(client(), "destroyed")).toBe(before);
  });

  it.each(['mcp[args.n]({ what: "x" })', "[args.n].map((n) => mcp[n])[0]({})"])(
    "[TB-3, AN-12] a name that only the run knows reaches no tool that needs a person, however it is spelt: %s",
    async (call) => {
      const before = await counted(client(), "destroyed");
      for (const n of ["mcp__work__destroy", "work:destroy", "destroy", "work.destroy"])
        expect(
          errorOf(
            await client().call("pml_execute", { intent: "x", code: `return await ${call};`, args: { n } }),
          ),
        ).toBeDefined();
      expect(await counted(client(), "destroyed")).toBe(before);
    },
  );

  it("[AN-13] is told line, column and the right spelling, and nothing has run", async () => {
    const error = await fails(client(), {
      code: 'await mcp__work__count({ id: "never" });\nreturn await mcp__work__cuont({});',
    });
    expect(error).toMatchObject({ code: "TOOL_NOT_FOUND", line: 2, hint: "Did you mean mcp.work.count?" });
    expect(await counted(client(), "never")).toBe(0);
  });
});
