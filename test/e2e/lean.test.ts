/** What a configuration can change about the list. */
import type { Tool } from "@modelcontextprotocol/client";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { ask, OWN_TOOLS, succeeds } from "../support/agent.js";
import { clients } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

describe.each(transports("background"))('[WIRE-5] exposure "lean" over $over', ({ transport }) => {
  const gateway = useGateway(transport, {
    exposure: "lean",
    mcpServers: { kit: fixture("tools") },
    approvals: { unannotated: "auto" },
  });

  describe.each(clients("v2-2025"))("$client", ({ kind }) => {
    const client = useClient(gateway, kind);

    it("[LP-2] lists the entry points, and the capabilities of the project, a new one at the end", async () => {
      const before = (await client().tools()).map(({ name }) => name);
      expect(before.filter((name) => !name.startsWith("mcp__lean__"))).toEqual([
        "pml_discover",
        "pml_execute",
      ]);
      const name = `lean:${kind.replaceAll("-", "_")}`;
      await client().call("pml_execute", { intent: "say who", code: `return "${kind}";`, name });
      const after = (await client().tools()).map((tool) => tool.name);
      expect(after).toEqual([...before, `mcp__${name.replace(":", "__")}`]);
    });

    it("has pml_discover and pml_execute loaded by clients that search tools", async () => {
      const loaded = (await client().tools()).filter(({ _meta }) => _meta?.["anthropic/alwaysLoad"] === true);
      expect(loaded.map(({ name }) => name)).toEqual(["pml_discover", "pml_execute"]);
    });

    it("[DI-1] finds tools by what code calls them, and by no name that the list does not have", async () => {
      const filter = { type: "tool", namespace: "kit" };
      const found = await ask(client(), "pml_discover", { intent: "echo a text", filter });
      const [first] = found.results as readonly { name: string; signature: string }[];
      expect(first).toMatchObject({ id: "kit:echo", name: "mcp.kit.echo" });
      expect(first?.signature).toMatch(/^mcp\.kit\.echo\(/);
      const code = `return await ${first?.name}({ text: "from code" });`;
      expect(await ask(client(), "pml_execute", { intent: "echo a text", code })).toMatchObject({
        result: "from code",
      });
      const suggested = await ask(client(), "pml_execute", { intent: "echo a text" });
      expect(suggested).toMatchObject({ status: "suggestions" });
      for (const answer of [found, suggested]) expect(JSON.stringify(answer)).not.toContain("mcp__kit__");
    });

    it("calls every tool all the same, by wire name and by id", async () => {
      expect((await client().call("mcp__kit__echo", { text: "a" })).content).toMatchObject([{ text: "a" }]);
      expect((await client().call("kit:add", { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    });
  });
});

describe('[WIRE-3] a server whose entry says "names": "bare"', () => {
  const gateway = useGateway("http", {
    mcpServers: {
      bare: {
        ...fixture(
          "names",
          "plain",
          "pml_discover",
          "cap_lookup",
          "PML-execute",
          "mcp__kit__echo",
          "MCP::kit::pid",
        ),
        names: "bare",
      },
      kit: fixture("tools"),
    },
  });
  const client = useClient(gateway, "v2-2025");

  it("lists its tools by their own names, and calls them so", async () => {
    const tools = await client().tools();
    const plain = tools.find(({ name }) => name === "plain");
    expect(plain).toMatchObject({ title: "plain", _meta: { "pml/id": "bare:plain" } });
    expect((await client().call("plain")).content).toMatchObject([{ text: "plain" }]);
    expect((await client().call("bare:plain")).content).toMatchObject([{ text: "plain" }]);
  });

  it("gets no name under pml_ or cap_, in whatever case or punctuation", async () => {
    const tools = await client().tools();
    const taken = tools
      .map(({ name }) => name.toLowerCase().replaceAll("-", "_"))
      .filter((name) => /^(pml|cap)_/.test(name));
    expect(taken).toEqual(OWN_TOOLS);
    // They are listed under another name, and the ids still work.
    for (const own of ["pml_discover", "cap_lookup", "PML-execute"]) {
      expect(tools.map(({ _meta }) => _meta?.["pml/id"])).toContain(`bare:${own}`);
      expect((await client().call(`bare:${own}`)).content).toMatchObject([{ text: own }]);
    }
  });

  it("gets no name under another server's prefix", async () => {
    const tools = await client().tools();
    const kit = tools.filter(({ name }) => name.toLowerCase().replaceAll("-", "_").startsWith("mcp__kit__"));
    expect(kit.length).toBeGreaterThan(0);
    expect(kit.map(({ _meta }) => String(_meta?.["pml/id"])).filter((id) => !id.startsWith("kit:"))).toEqual(
      [],
    );
    expect((await client().call("mcp__kit__echo", { text: "the real one" })).content).toMatchObject([
      { text: "the real one" },
    ]);
    expect((await client().call("bare:mcp__kit__echo")).content).toMatchObject([{ text: "mcp__kit__echo" }]);
  });
});

describe('[LP-1] exposure "auto"', () => {
  const costOf = (tools: readonly Tool[]) =>
    tools
      .map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
      .reduce((sum, listed) => sum + countTokens(JSON.stringify(listed)), 0);

  describe("with few tools", () => {
    const gateway = useGateway("http", { mcpServers: { kit: fixture("tools") } });
    const client = useClient(gateway, "v2-2025");

    it("lists everything", async () => {
      const names = (await client().tools()).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining([...OWN_TOOLS, "mcp__kit__echo"]));
    });

    it("[LP-4] PML's own tools and its instructions stay within their budgets", async () => {
      const tools = await client().tools();
      const own = tools.filter(({ name }) => /^(pml|cap)_/.test(name));
      expect(own.map(({ name }) => name)).toEqual(OWN_TOOLS);
      expect(costOf(own)).toBeLessThanOrEqual(2_000);
      expect(costOf(own.slice(0, 2))).toBeLessThanOrEqual(650);
      expect(countTokens(client().instructions ?? "")).toBeLessThanOrEqual(120);
    });
  });

  describe("with many", () => {
    const names = Array.from({ length: 120 }, (_, at) => `operation_${at}_on_the_records_of_a_department`);
    const gateway = useGateway("http", { mcpServers: { many: fixture("names", ...names) } });
    const client = useClient(gateway, "v2-2025");

    it("lists the entry points and capabilities, and calls everything", async () => {
      await succeeds(client(), { code: "return 1;", name: "num:one" });
      const listed = (await client().tools()).map(({ name }) => name);
      expect(listed).toEqual(["pml_discover", "pml_execute", "mcp__num__one"]);
      expect((await client().call(`many:${names[7]}`)).isError).not.toBe(true);
      expect(await ask(client(), "cap_lookup", { name: "num:one" })).toMatchObject({
        display_name: "num:one",
      });
    });

    it("[LP-5] answers a run with what an agent acts on, and keeps the rest beside it", async () => {
      const call = { intent: "count to two", code: "return 2;", name: "num:two" };
      const { structuredContent, content, _meta } = await client().call("pml_execute", call);
      expect(structuredContent).toEqual({
        status: "success",
        result: 2,
        workflowId: expect.any(String),
        callAgain: { capability: "num:two" },
      });
      expect(_meta?.["pml/run"]).toMatchObject({ mode: "direct", tasks: [], capabilityVersion: 1 });
      const [text] = content as readonly { text: string }[];
      expect(countTokens(text?.text ?? "")).toBeLessThanOrEqual(60);
      const full = { ...call, options: { detail: "full" } };
      expect((await client().call("pml_execute", full)).structuredContent).toMatchObject({
        executionTimeMs: expect.any(Number),
        tasks: [],
      });
    });
  });
});
