/** Tools that declare no output schema: what their results look like is learnt, and never shown as a promise. */
import { describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { execute, succeeds } from "../support/agent.js";
import { inStore } from "../support/opened-store.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

interface Edge {
  readonly type: string;
  readonly fieldMapping?: readonly { readonly typeCompatible: boolean }[];
}

/** A count is a number, and `read_file` takes a text. */
const flows = (tool: string) =>
  `const seen = await mcp.work.${tool}({ id: "x" });\nreturn await mcp.work.readFile({ path: seen.count });`;

describe("[AN-5] a tool that declares no output schema", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");

  const mappings = async (through: TestClient, tool: string) => {
    const answer = (await execute(through, {
      code: flows(tool),
      options: { dry_run: true },
    })) as unknown as { readonly dag: { readonly edges: readonly Edge[] } };
    return answer.dag.edges.filter(({ type }) => type === "provides").flatMap((one) => one.fieldMapping);
  };
  const mapped = (typeCompatible: boolean) => [
    expect.objectContaining({ fromField: "count", toField: "path", typeCompatible }),
  ];
  const stored = () =>
    inStore(gateway().dataDir, async (database) => {
      const { rows } = await database.query<{ name: string; observed_output_schema: unknown }>(
        "select name, observed_output_schema from tool_schema order by name",
      );
      return Object.fromEntries(rows.map(({ name, observed_output_schema: schema }) => [name, schema]));
    });

  it("has its results examined for all callers, and is listed as its server lists it", async () => {
    await client().call("work:seen", { id: "direct" });
    await succeeds(client(), { code: 'return await mcp.work.echo({ value: "s3cr3t" });' });
    const listed = await client().tools();
    const seen = listed.find(({ name }) => name === "mcp__work__seen");
    expect(seen).toBeDefined();
    expect(seen?.outputSchema).toBe(undefined);
    expect(JSON.stringify(listed)).not.toContain("x-pml-observed");
  });

  it("has what they look like in the store, and no value", async () => {
    let kept: Readonly<Record<string, unknown>> = {};
    await gateway().restart(async () => {
      kept = await stored();
    });
    expect(kept).toMatchObject({
      read_file: null,
      count: null,
      seen: {
        "x-pml-observed": true,
        type: "object",
        properties: { count: { type: "integer" } },
        required: ["count"],
      },
      echo: { properties: { value: { type: "string" } } },
    });
    expect(JSON.stringify(kept)).not.toContain("s3cr3t");
  });

  it("is known to analysis: at once, and after a restart from the store", async () => {
    const later = await gateway().connect("v2-2025");
    // `count` was never called before.
    expect(await mappings(later, "count")).toEqual(mapped(true));
    for (const tool of ["seen", "count"]) {
      if (tool === "count") await later.call("work:count", { id: "x" });
      await until(`what ${tool} gives is known`, async () => {
        const [first] = await mappings(later, tool);
        return first?.typeCompatible === false;
      });
      expect(await mappings(later, tool)).toEqual(mapped(false));
    }
  });
});
