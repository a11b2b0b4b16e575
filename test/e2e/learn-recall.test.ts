/** The loop that PML exists for, as every client walks it: learn, name, list, call, rename, alias, restart, call. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { IS_FULL } from "../support/sizes.js";
import { clients, type TestClient } from "../support/test-client.js";
import { fixture, TRANSPORTS, useGateway } from "../support/test-gateway.js";

/** Code of its own for each, since the same code is the same capability. */
function readJson(tag: string): string {
  return `const tag: string = "${tag}";\nconst f = await mcp.work.readFile({ path: args.path });\nreturn tag && JSON.parse(f.content);`;
}

interface Answer {
  readonly status: string;
  readonly result?: unknown;
  readonly capabilityName?: string;
  readonly capabilityFqdn?: string;
  readonly warnings?: readonly string[];
  readonly [key: string]: unknown;
}

async function execute(client: TestClient, input: Record<string, unknown>): Promise<Answer> {
  const result = await client.call("pml_execute", { intent: "read a JSON file", ...input });
  expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  const answer = {
    ...(result._meta?.["pml/run"] as object),
    ...(result.structuredContent as object),
  } as Answer;
  expect(result.isError === true).toBe(answer.status === "error");
  return answer;
}

function textOf({ content }: CallToolResult): string {
  const [block] = content;
  return block?.type === "text" ? block.text : "";
}

async function listed(client: TestClient, name: string): Promise<Tool | undefined> {
  return (await client.tools()).find((tool) => tool.name === name);
}

describe.each(TRANSPORTS)("[EX-4] the loop over $over", ({ transport }) => {
  const isProcess = IS_FULL || transport === "background";
  const gateway = useGateway(transport, { mcpServers: { work: fixture("work") } }, { isProcess });

  it.each(clients("v2-2026"))("is walked by $client", async ({ kind }) => {
    const namespace = kind.replace(/[^a-z0-9]/g, "");
    const first = await gateway().connect(kind);
    const other = await gateway().connect("v2-2025");
    await Promise.all([first.watchLists(), other.watchLists()]);
    await Promise.all([first.tools(), other.tools()]);

    // Learn and name: one request.
    const before = (await first.tools()).length;
    const learnt = await execute(first, {
      code: readJson(kind),
      args: { path: "a.json" },
      name: `${namespace}:read_json`,
    });
    expect(learnt).toMatchObject({
      status: "success",
      mode: "direct",
      result: { name: "a", n: 1 },
      capabilityName: `${namespace}:read_json`,
      capabilityFqdn: expect.stringMatching(
        new RegExp(`^local\\.default\\.${namespace}\\.read_json\\.[0-9a-f]{4}$`),
      ),
      tasks: [{ taskId: "n1", tool: "work:read_file", success: true }],
      executedPath: ["n1"],
    });

    // List: the very next one has it, and the other client was told.
    const wire = `mcp__${namespace}__read_json`;
    expect(await first.tools()).toHaveLength(before + 1);
    expect(await listed(first, wire)).toMatchObject({
      title: `${namespace}:read_json`,
      _meta: { "pml/id": `${namespace}:read_json` },
      inputSchema: { properties: { path: { type: "string" } }, required: ["path"] },
    });
    await other.news.until(({ toolChanges }) => toolChanges > 0);

    // Call: in every form of its name, by any client.
    for (const name of [
      wire,
      `${namespace}:read_json`,
      `cap:${namespace}:readJson`,
      `${namespace}:read_json@v1`,
    ]) {
      const called = await other.call(name, { path: "b.json" });
      expect(called.structuredContent, name).toEqual({ name: "b", n: 2 });
      expect(called._meta?.["pml/run"], name).toMatchObject({ version: 1 });
    }

    // Rename: the former names answer with a warning.
    const renamed = await first.call("cap_rename", {
      name: `${namespace}:read_json`,
      new_name: `${namespace}:load_json`,
    });
    expect(renamed.structuredContent).toMatchObject({
      display_name: `${namespace}:load_json`,
      fqdn: learnt.capabilityFqdn,
    });
    expect(await listed(other, wire)).toBeUndefined();
    expect(await listed(other, `mcp__${namespace}__load_json`)).toBeDefined();
    const viaAlias = await execute(first, { capability: `${namespace}:read_json`, args: { path: "a.json" } });
    expect(viaAlias).toMatchObject({
      status: "success",
      mode: "call_by_name",
      warnings: [
        `Deprecated: Using alias "${namespace}:read_json" for capability "${namespace}:load_json". Update your code.`,
      ],
    });
    expect((await first.call(wire, { path: "a.json" })).structuredContent).toEqual({ name: "a", n: 1 });

    // Restart: nothing is lost.
    await gateway().restart();
    const again = await gateway().connect(kind);
    expect(await listed(again, `mcp__${namespace}__load_json`)).toBeDefined();
    for (const name of [
      `mcp__${namespace}__load_json`,
      wire,
      `${namespace}:read_json`,
      learnt.capabilityFqdn ?? "",
    ])
      expect((await again.call(name, { path: "b.json" })).structuredContent, name).toEqual({
        name: "b",
        n: 2,
      });
  });
});
