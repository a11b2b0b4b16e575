/** What the store has counted when a gateway has stopped, by whichever door a call came in. */
import { beforeAll, describe, expect, it } from "vitest";
import { ask, execute, fails, lookUp, rename, succeeds } from "../support/agent.js";
import { inStore } from "../support/opened-store.js";
import { fixture, useGateway } from "../support/test-gateway.js";

interface UsageRow {
  readonly server_id: string;
  readonly tool_name: string;
  readonly success: boolean;
  readonly error: string;
  readonly n: number;
}

interface ToolsRow {
  readonly display_name: string;
  readonly pattern: readonly string[];
  readonly version: readonly string[];
}

describe("what is kept of runs", () => {
  const gateway = useGateway("http", { mcpServers: { work: fixture("work") } });
  let usage: readonly UsageRow[] = [];
  let tools: ReadonlyMap<string, ToolsRow> = new Map();

  const rowsOf = (server: string) =>
    usage
      .filter(({ server_id }) => server_id === server)
      .map(({ tool_name, error, n }) => [tool_name, error, n]);

  beforeAll(async () => {
    const client = await gateway().connect("v2-2025");
    await succeeds(client, { code: "return args.n ?? 1;", name: "use:inner" });
    await ask(client, "mcp__use__inner");
    await ask(client, "use:inner@v1", { n: 2 });
    await succeeds(client, { capability: "use:inner" });
    const code = "return [await mcp.use.inner({}), await capabilities.use.inner({ n: 2 })];";
    await succeeds(client, { code, name: "use:outer" });
    // From a cache, nothing would run that calls the inner one.
    await succeeds(client, { capability: "use:outer", options: { no_cache: true } });
    await succeeds(client, {
      code: "if (args.fail ?? false) throw new Error('on purpose');\nreturn 1;",
      name: "use:fragile",
    });
    expect((await fails(client, { capability: "use:fragile", args: { fail: true } })).code).toBe(
      "RUN_FAILED",
    );
    const caught = "try { await mcp.use.fragile({ fail: true }); } catch { return 'caught'; }";
    expect((await execute(client, { code: caught })).result).toBe("caught");
    expect((await client.call("mcp__use__inner", { m: 1 })).isError).toBe(true);
    await lookUp(client, "use:inner");
    await ask(client, "cap:list");
    await rename(client, "use:fragile", "use:brittle");

    const read = 'return (await mcp.work[args.which]({ path: "a.json" })).content;';
    await succeeds(client, { code: read, args: { which: "readFile" }, name: "reach:computed" });
    const both = "await mcp.work.echo({ value: 1 });\nreturn await mcp.work[args.which]({});";
    await succeeds(client, { code: both, args: { which: "seen" }, name: "reach:both" });
    const branch =
      "if (args.really ?? false) return await mcp.work.slow({});\nreturn await mcp.reach.both({ which: 'seen' });";
    await succeeds(client, { code: branch, name: "reach:through" });

    await gateway().restart(() =>
      inStore(gateway().dataDir, async (database) => {
        usage = (
          await database.query<UsageRow>(
            `select server_id, tool_name, success, coalesce(error_code, '') as error, count(*) as n
               from tool_usage group by 1, 2, 3, 4 order by 1, 2, 4`,
          )
        ).rows;
        const { rows } = await database.query<ToolsRow>(
          `select display_name, pattern.tools_used as pattern, stored.tools_used as version
             from capability_records as record
             join workflow_pattern as pattern on pattern.pattern_id = record.workflow_pattern_id
             join capability_versions as stored on stored.capability_fqdn = record.id`,
        );
        tools = new Map(rows.map((row) => [row.display_name, row]));
      }),
    );
  });

  it("[EX-13] counts each call of a capability under pml-capabilities: as a tool, by name, from other code", () => {
    expect(rowsOf("pml-capabilities")).toEqual([
      ["reach:both", "", 1],
      ["use:fragile", "", 1],
      ["use:fragile", "RUN_FAILED", 1],
      ["use:inner", "", 7],
      ["use:inner", "ARGUMENTS_INVALID", 1],
      ["use:outer", "", 1],
    ]);
    expect(usage.filter(({ error, success }) => (error === "") !== success)).toEqual([
      // What other code called, and caught.
      { server_id: "pml-capabilities", tool_name: "use:fragile", success: false, error: "", n: 1 },
    ]);
  });

  it("[EX-13] counts management calls under pml-std, and each call of a real tool under its server", () => {
    expect(rowsOf("pml-std")).toEqual([
      ["cap:list", "", 1],
      ["cap:lookup", "", 1],
      ["cap:rename", "", 1],
      ["pml:execute", "", 9],
      ["pml:execute", "isError", 1],
    ]);
    expect(rowsOf("work")).toEqual([
      ["echo", "", 2],
      ["read_file", "", 1],
      ["seen", "", 2],
    ]);
  });

  it("[AN-12] keeps every tool that code can reach by name, also through capabilities, and those called by a computed one", () => {
    const reach = (name: string) => {
      const row = tools.get(`reach:${name}`);
      expect(row?.pattern).toEqual(row?.version);
      return new Set(row?.version);
    };
    expect(reach("computed")).toEqual(new Set(["work:read_file"]));
    expect(reach("both")).toEqual(new Set(["work:echo", "work:seen"]));
    expect(reach("through")).toEqual(new Set(["work:echo", "work:seen", "work:slow"]));
  });
});
