/** `pml_discover` as agents meet it: every client, both transports, real servers, and what it costs them. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { DiscoverAnswer, DiscoveredCapability } from "../../src/index.js";
import { ask, errorOf, succeeds, wireNames } from "../support/agent.js";
import { usePeople } from "../support/people.js";
import { clients, type TestClient } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

type Input = Readonly<Record<string, unknown>>;

async function discover(client: TestClient, intent: string, more: Input = {}): Promise<DiscoverAnswer> {
  return (await ask(client, "pml_discover", { intent, ...more })) as unknown as DiscoverAnswer;
}

const names = ({ results }: DiscoverAnswer) => results.map(({ name }) => name);

const READ = "const f = await mcp.work.read_file({ path: args.path });\nreturn JSON.parse(f.content)";
const CONFIG = { mcpServers: { work: fixture("work") }, approvals: { unannotated: "auto" } };

describe.each(transports("http"))("[DI-1] pml_discover over $over", ({ transport }) => {
  const gateway = useGateway(transport, CONFIG);
  const writer = useClient(gateway, "v2-2025");

  beforeAll(async () => {
    await ask(writer(), "cap_save", {
      intent: "read and parse a JSON file",
      name: "data:read_json",
      code: READ,
    });
  });

  describe.each(clients("v1"))("$client", ({ kind }) => {
    const client = useClient(gateway, kind);

    it("[10.6 AC1, 10.6 AC9] finds tools and capabilities, best first, that can be called as it says", async () => {
      const { results } = await discover(client(), "read and parse a JSON file");
      expect(results[0]).toMatchObject({
        type: "capability",
        name: "data:read_json",
        signature: "mcp.data.read_json(args: { path: string })",
        usage_count: 0,
        success_rate: 0,
        trust: "unproven",
      });
      const tool = results.find(({ id }) => id === "work:read_file");
      expect(tool).toMatchObject({
        type: "tool",
        signature: expect.stringMatching(/^mcp\.work\.read_file\(args: \{ path: string/),
      });
      expect(results.map(({ score }) => score)).toEqual(
        results.map(({ score }) => score).toSorted((a, b) => b - a),
      );
      const [named, byId] = [await client().call(tool?.name ?? ""), await client().call(tool?.id ?? "")];
      expect(named).toEqual(byId);
      expect(await ask(client(), "cap_lookup", { name: results[0]?.id })).toMatchObject({
        display_name: "data:read_json",
      });
    });

    it("[WIRE-6, 10.6 AC8] is what the model is told to start with, and what is behind it", async () => {
      expect(client().instructions).toContain("Start with pml_discover");
      const tools = await client().tools();
      const described = (name: string) => tools.find((tool) => tool.name === name)?.description;
      expect(described("pml_execute")).toContain("Start with pml_discover");
      expect(described("pml_discover")).toMatch(/^Start here.* Servers: work\.$/s);
    });

    it("[10.6 AC3] says what is wrong", async () => {
      expect(errorOf(await client().call("pml_discover", { intent: "x", limit: 99 }))).toMatchObject({
        code: "ARGUMENTS_INVALID",
        message: "Cannot call pml_discover: limit: Too big: expected number to be <=50",
      });
    });

    it.each([
      ["pml_search_tools", { query: "read a file" }, "mcp__work__read_file", "tool"],
      ["pml:search_tools", { query: "read a file", limit: 3 }, "mcp__work__read_file", "tool"],
      ["pml_search_capabilities", { query: "read a JSON file" }, "data:read_json", "capability"],
      ["pml_find_capabilities", { intent: "read a JSON file", threshold: 0 }, "data:read_json", "capability"],
      [
        "search_capabilities",
        { query: "read a JSON file", namespace: "data" },
        "data:read_json",
        "capability",
      ],
    ])("[WIRE-4, 10.6 AC7] answers to %s, which is in no list", async (name, input, found, type) => {
      expect(await wireNames(client())).not.toContain(name);
      const answer = (await ask(client(), name, input)) as unknown as DiscoverAnswer;
      expect(answer.warnings).toEqual([`${name.replace(":", "_")} is deprecated: call pml_discover`]);
      expect(names(answer)).toContain(found);
      expect(new Set(answer.results.map((one) => one.type))).toEqual(new Set([type]));
    });

    it("[WIRE-4] understands the arguments of before all together", async () => {
      const none = { query: "read a JSON file", threshold: 0.999, namespace: "data" };
      expect(await ask(client(), "pml_find_capabilities", none)).toMatchObject({
        results: [],
        hint: expect.stringContaining("filter.type and filter.minScore and filter.namespace"),
      });
    });
  });

  it("[13.5 AC11] tells how a capability has done, as soon as it is there", async () => {
    const client = writer();
    const intent = `count the words of a poem over ${transport}`;
    const code = "return args.poem.split(' ').length;";
    await succeeds(client, { intent, code, args: { poem: "a b" }, name: "poem:count" });
    const [first] = (await discover(client, "count the words of a poem")).results as DiscoveredCapability[];
    expect(first).toMatchObject({ name: "poem:count", trust: "provisional" });
    await expect
      .poll(async () => (await discover(client, "count the words of a poem")).results[0], { timeout: 5_000 })
      .toMatchObject({ usage_count: 1, success_rate: 1 });
    const { results } = await discover(client, "count the words of a poem", { detail: "full", limit: 1 });
    expect(results).toMatchObject([{ parameters: { required: ["poem"] }, source: { type: "code", code } }]);
    await ask(client, "cap_delete", { name: "poem:count" });
    expect(names(await discover(client, "count the words of a poem"))).not.toContain("poem:count");
  });
});

describe("[DI-1] what is seen", () => {
  const { of } = usePeople();
  const intent = "plant a tree in the garden";

  it("is what a session may see, and what is hidden leaves no gap", async () => {
    const save = (name: string, code: string) => ask(of("ada"), "cap_save", { intent, name, code });
    await save("garden:plant", "return 'plant';");
    await save("garden:secret", "return 'secret';");
    const before = await discover(of("bob"), intent, { limit: 1 });
    await ask(of("ada"), "cap_rename", { name: "garden:secret", visibility: "private" });
    expect(names(before)).toHaveLength(1);
    expect(names(await discover(of("ada"), intent))).toEqual(
      expect.arrayContaining(["garden:plant", "garden:secret"]),
    );
    const seen = await discover(of("bob"), intent, { limit: 1 });
    expect(names(seen)).toEqual(["garden:plant"]);
    expect(seen).not.toHaveProperty("next_offset");
    expect(JSON.stringify(await discover(of("bob"), intent, { detail: "full", limit: 50 }))).not.toContain(
      "secret",
    );
    expect(names(await discover(of("dan"), intent, { filter: { type: "capability" } }))).toEqual([]);
  });
});

describe("[DI-1] tools that a rule forbids", () => {
  const gateway = useGateway("foreground", {
    mcpServers: { kit: fixture("tools") },
    approvals: { unannotated: "deny", direct: "ask" },
  });
  const client = useClient(gateway, "v2-2026");

  it("are found by nobody", async () => {
    expect(await discover(client(), "add two numbers")).toMatchObject({
      results: [],
      hint: expect.stringMatching(/^No (good )?match/),
    });
  });
});

const require = createRequire(import.meta.url);

function installed(name: string, ...args: readonly string[]) {
  const file = require.resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return { command: process.execPath, args: [join(dirname(file), "dist/index.js"), ...args] };
}

describe("[DI-1, NFR002] ten results of real servers and a hundred wordy tools", () => {
  const gateway = useGateway("http", {
    mcpServers: {
      filesystem: installed("filesystem", "."),
      memory: installed("memory"),
      everything: installed("everything"),
      wordy: fixture("wordy", "100"),
    },
  });
  const client = useClient(gateway, "v2-2026");

  it.each([
    "read a file",
    "create entities and relations in the knowledge graph",
    "update a customer and send a message",
    "search for something in documents, files, images and reports",
    "lire un fichier",
  ])("cost under 1,000 tokens: %s", async (intent) => {
    const { content } = await client().call("pml_discover", { intent });
    const [{ text } = { text: "" }] = content as readonly { readonly text: string }[];
    const { results } = JSON.parse(text) as DiscoverAnswer;
    expect(results.length).toBeGreaterThan(intent.startsWith("lire") ? 0 : 9);
    expect(encode(text).length).toBeLessThan(1_000);
    for (const { signature } of results) expect(signature).toMatch(/\((args\??: .+)?\)/);
  });

  it("come in pages, each once", async () => {
    const all: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: DiscoverAnswer = await discover(client(), "read a file", { limit: 50, offset });
      all.push(...page.results.map(({ id }) => id));
      offset = page.next_offset;
    }
    expect(all.length).toBeGreaterThan(20);
    expect(new Set(all).size).toBe(all.length);
  });

  it("[UX-1] are a table for people", async () => {
    const table = await gateway().pml(
      "discover",
      "read the text of a file",
      "--type",
      "tool",
      "--limit",
      "3",
    );
    const [head, ...rows] = table.trimEnd().split("\n");
    expect(head).toMatch(/^SCORE +TYPE +NAME +DESCRIPTION$/);
    expect(rows.slice(0, 3).join("\n")).toMatch(
      /^\d\.\d\d +tool +filesystem:read_text_file +Read the complete/m,
    );
    expect(rows.at(-1)).toBe("1 to 3; next: --offset 3");
    const full = await gateway().pml(
      "discover",
      "add",
      "two",
      "numbers",
      "--namespace",
      "everything",
      "--limit",
      "1",
      "--full",
    );
    expect(full).toMatch(/^everything:get-sum {2}\d\.\d\d {2}tool\n/);
    expect(full).toContain('  takes      {"type":"object"');
    const answer = JSON.parse(
      await gateway().pml("discover", "read tea leaves in a file", "--min-score", "0.99", "--json"),
    );
    expect(answer).toMatchObject({ results: [], hint: expect.stringContaining("filter.minScore") });
  });
});

describe("[DI-2] tools that a server offers later", () => {
  const gateway = useGateway("http", {
    mcpServers: { late: fixture("growing") },
    discovery: { embedder: "bundled" },
  });
  const client = useClient(gateway, "v2-2025");

  it("are given to the model without a search", async () => {
    const reads = (count: number) =>
      vi.waitFor(
        async () => expect(await gateway().pml("doctor")).toContain(` of ${count} descriptions indexed`),
        { timeout: 40_000, interval: 500 },
      );
    await reads(3);
    await client().call("late:grow", { names: ["plant_tree", "water_roses"] });
    await reads(5);
  });
});
