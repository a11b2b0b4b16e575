/** What analysis finds is stored with the pattern, and found anew where an older analysis made it. */
import { describe, expect, it } from "vitest";
import { lookUp, succeeds } from "../support/agent.js";
import { inStore } from "../support/opened-store.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

interface PatternRow {
  readonly dag_structure: { readonly static_structure?: { readonly nodes: readonly object[] } };
  readonly lifted_code: string | null;
  readonly analysis_version: number;
  readonly code_hash: string;
  readonly parameters_schema: object;
}

const CODE = 'const file = await mcp.work.readFile({ path: "a.json" });\nreturn file.content.length;';

describe("[AN-9] a pattern", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");
  const read = () =>
    inStore(gateway().dataDir, async (database) => {
      const { rows } = await database.query<PatternRow>(
        `select pattern.* from workflow_pattern as pattern
           join capability_records as record on record.workflow_pattern_id = pattern.pattern_id
          where record.display_name = 'stored:it'`,
      );
      return rows[0];
    });

  it("keeps the structure, and is analysed again when an older analysis made it", async () => {
    await succeeds(client(), { code: CODE, name: "stored:it" });
    const before = await lookUp(client(), "stored:it");
    let learnt: PatternRow | undefined;
    await gateway().restart(async () => {
      learnt = await read();
      await inStore(gateway().dataDir, (database) =>
        database.query(
          "update workflow_pattern set analysis_version = 1, dag_structure = '{}', lifted_code = null",
        ),
      );
      expect(await read()).toMatchObject({ analysis_version: 1, dag_structure: {}, lifted_code: null });
    });
    expect(learnt?.dag_structure.static_structure?.nodes).toMatchObject([
      { id: "n1", type: "task", tool: "work:read_file" },
    ]);
    expect(learnt?.lifted_code).toContain("args.path");
    expect(learnt?.analysis_version).toBeGreaterThan(1);

    const later = await gateway().connect("v2-2025");
    expect((await succeeds(later, { capability: "stored:it" })).result).toBe(18);
    let upgraded: PatternRow | undefined;
    await gateway().restart(async () => {
      upgraded = await read();
    });
    const { dag_structure, lifted_code, analysis_version, code_hash, parameters_schema } = learnt ?? {};
    expect(upgraded).toMatchObject({
      dag_structure,
      lifted_code,
      analysis_version,
      code_hash,
      parameters_schema,
    });
    const after = await lookUp(await gateway().connect("v2-2025"), "stored:it");
    const { usage_count: _, success_rate: _rate, ...rest } = before;
    expect(after).toMatchObject(rest);
  });
});
