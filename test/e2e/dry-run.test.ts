/** What an agent can know of code before it runs: everything that analysis knows, and nothing that a run would leave behind. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { StaticStructure } from "../../src/analysis/static-structure.js";
import type { DryRunAnswer, DryRunProblem } from "../../src/execution/ports/execute-answer.js";
import { counted, execute, fails, lookUp, rename, succeeds } from "../support/agent.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

describe("[EX-12, FP-5] a dry run", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");

  async function dry(input: Record<string, unknown>): Promise<DryRunAnswer> {
    const { options, ...rest } = input;
    const given = { ...rest, options: { ...(options as object), dry_run: true } };
    const answer = (await execute(client(), given)) as unknown as DryRunAnswer;
    expect(answer.status).toBe("dry_run");
    expect(answer.tasks).toEqual([]);
    return answer;
  }

  const problemsOf = async (input: Record<string, unknown>): Promise<readonly string[]> =>
    (await dry(input)).problems.map(shown);

  const remembered = async () =>
    ((await client().call("cap_list", {})).structuredContent as { total: number }).total;

  const COUNTS =
    'const f = await mcp.work.readFile({ path: args.path });\nif (f.content !== "") await mcp.work.count({ id: args.id });\nelse await mcp.work.destroy({});\nreturn f;';

  it("shows structure, parameters, permissions and how far every run goes, and runs nothing", async () => {
    const before = await remembered();
    const answer = await dry({ code: COUNTS, name: "dry:first" });
    expect(answer).toMatchObject({
      mode: "direct",
      workflowId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      parameters: { type: "object", required: ["path", "id"] },
      permissions: {
        servers: ["work"],
        needsApproval: ["work:destroy"],
        denied: [],
        missing: [],
        routing: "local",
        computedCalls: false,
      },
      problems: [],
      predictedPath: ["n1", "d1"],
      predictedBy: "structure",
    });
    expect(drawn(answer.dag)).toEqual([
      "n1 work:read_file",
      'd1 f.content !== ""',
      "n2 work:count",
      "n3 work:destroy",
      "n1 > d1",
      "d1 -true> n2",
      "d1 -false> n3",
    ]);
    expect(answer).not.toHaveProperty("capabilityName");
    expect(await remembered()).toBe(before);
    expect(await fails(client(), { capability: "dry:first" })).toMatchObject({
      code: "CAPABILITY_NOT_FOUND",
    });
  });

  it("tells the tool that a run would need approval for, which a run asks for", async () => {
    const code = "return await mcp.work.destroy({});";
    const { permissions, problems } = await dry({ code });
    expect({ needsApproval: permissions.needsApproval, problems }).toEqual({
      needsApproval: ["work:destroy"],
      problems: [],
    });
    expect(await execute(client(), { code })).toMatchObject({ status: "approval_required" });
  });

  it("[AN-13] tells all problems at once, each with its place", async () => {
    const code = 'const a = await mcp.work.raed_file({ path: "a" });\nreturn fetch(a), mcp.work.cuont({});';
    expect((await dry({ code })).problems).toMatchObject([
      {
        code: "TOOL_NOT_FOUND",
        line: 1,
        column: 17,
        text: 'const a = await mcp.work.raed_file({ path: "a" });',
        hint: "Did you mean mcp.work.read_file?",
        nearest: expect.arrayContaining(["mcp.work.read_file"]),
      },
      { code: "CODE_REFUSED", line: 2, column: 8 },
      { code: "TOOL_NOT_FOUND", line: 2, column: 18 },
    ]);
  });

  it("[AN-1] of code that cannot be parsed shows an empty structure and where it breaks", async () => {
    const { dag, problems, predictedPath } = await dry({ code: "const a = 1;\nreturn (;" });
    expect({ dag, predictedPath }).toEqual({ dag: { nodes: [], edges: [] }, predictedPath: [] });
    expect(problems).toMatchObject([{ code: "CODE_SYNTAX", line: 2, text: "return (;" }]);
  });

  it("[EX-5] judges arguments only where some are given", async () => {
    expect(await problemsOf({ code: COUNTS })).toEqual([]);
    expect(await problemsOf({ code: COUNTS, args: { path: "a.json", id: "x" } })).toEqual([]);
    expect(await problemsOf({ code: COUNTS, args: { path: "a.json", idd: "x" } })).toEqual([
      'ARGUMENTS_INVALID Wrong arguments: unknown argument "idd" (did you mean "id"?); missing argument "id"',
    ]);
  });

  it("[ID-4] tells that a name is taken, wrong or a tool's, and may be updated", async () => {
    await succeeds(client(), { code: "return 'named';", name: "dry:named" });
    const code = "return 'other';";
    expect(await problemsOf({ code, name: "dry:named" })).toEqual([
      expect.stringMatching(/^NAME_TAKEN Capability name 'dry:named' already exists/),
    ]);
    expect(await problemsOf({ code, name: "work:count" })).toEqual([expect.stringMatching(/^NAME_TAKEN/)]);
    expect(await problemsOf({ code, name: "no name" })).toEqual([expect.stringMatching(/^NAME_INVALID/)]);
    expect(await problemsOf({ code, name: "dry:named", options: { update: true } })).toEqual([]);
    expect(await problemsOf({ code, options: { version_tag: "soon" } })).toEqual([
      expect.stringMatching(/^ARGUMENTS_INVALID options.version_tag/),
    ]);
    expect(await problemsOf({ code: "return 'named';", name: "dry:named" })).toEqual([]);
  });

  describe("of a capability", () => {
    const code =
      "const f = await mcp.work.readFile({ path: args.path });\nif (args.again) await mcp.work.echo({ value: f.content });\nreturn JSON.parse(f.content);";
    beforeAll(async () => {
      await succeeds(client(), { code, name: "dry:read", args: { path: "a.json" } });
    });

    it("needs no arguments, and shows what it is and the path of its runs", async () => {
      const answer = await dry({ capability: "dry:read" });
      expect(answer).toMatchObject({
        mode: "call_by_name",
        capabilityName: "dry:read",
        capabilityFqdn: expect.stringMatching(/^local\.default\.dry\.read\./),
        capabilityId: expect.any(String),
        capabilityVersion: 1,
        problems: [],
        predictedBy: "runs",
        predictedPath: expect.arrayContaining(["n1", "d1"]),
      });
      expect(answer.predictedPath).not.toContain("n2");
      expect(drawn(answer.dag).slice(0, 3)).toEqual(["n1 work:read_file", "d1 args.again", "n2 work:echo"]);
    });

    it("is known by its code too", async () =>
      expect(await dry({ code: `// the same\n${code}` })).toMatchObject({
        mode: "direct",
        capabilityName: "dry:read",
        predictedBy: "runs",
      }));

    it("follows what most runs do", async () => {
      for (const path of ["a.json", "b.json"])
        await succeeds(client(), { capability: "dry:read", args: { path, again: true } });
      await expect
        .poll(async () => (await dry({ capability: "dry:read" })).predictedPath, { timeout: 10_000 })
        .toContain("n2");
    });

    it("[EX-13] counts nowhere", async () => {
      const used = async () => (await lookUp(client(), "dry:read")).usage_count;
      await expect.poll(used, { timeout: 10_000 }).toBe(3);
      await dry({ capability: "dry:read" });
      await dry({ capability: "dry:read", args: { wrong: 1 } });
      await dry({ code, args: { path: "a.json" } });
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await used()).toBe(3);
    });

    it("[EX-5] judges arguments that are given, and versions that are asked for", async () => {
      expect(await problemsOf({ capability: "dry:read", args: {} })).toEqual([
        expect.stringMatching(/^ARGUMENTS_INVALID .*missing argument "path"/),
      ]);
      const missing = await fails(client(), { capability: "dry:read@v9", options: { dry_run: true } });
      expect(missing.code).toBe("VERSION_NOT_FOUND");
    });

    it("[AN-10] shows places in the code as written, and whose tools need approval, also after a rename", async () => {
      await succeeds(client(), {
        code: "return await mcp.work.count({ id: args.id });",
        name: "dry:in",
        args: { id: "in" },
      });
      const caller =
        'const x = await mcp.dry.in({ id: "a" }); if (x.count > 0) await mcp.dry.in({ id: "b" });';
      await succeeds(client(), { code: caller, name: "dry:out" });
      await rename(client(), "dry:in", "dry:inner");
      const { dag, permissions } = await dry({ capability: "dry:out" });
      expect(dag.nodes.find(({ id }) => id === "d1")).toMatchObject({ condition: "x.count > 0" });
      expect(dag.nodes[0]).toMatchObject({ type: "capability", name: "dry:inner" });
      expect(permissions.tools).toMatchObject([{ tool: "work:count", via: "dry:inner" }]);
    });

    it("[AN-10] shows the circle that an update would close, at the call that leads into it", async () => {
      const first = "return 'one';";
      await succeeds(client(), { code: first, name: "dry:one" });
      await succeeds(client(), { code: "return await mcp.dry.one({});", name: "dry:two" });
      const { problems } = await dry({
        code: "return 1 +\n  (await mcp.dry.two({}));",
        name: "dry:one",
        options: { update: true },
      });
      expect(problems).toMatchObject([
        {
          code: "CODE_REFUSED",
          message: expect.stringContaining("dry:one → dry:two → dry:one"),
          line: 2,
          column: 10,
          text: "  (await mcp.dry.two({}));",
        },
      ]);
    });
  });

  it("counts no call of a tool: all of the above called none but in real runs", async () =>
    expect(await counted(client(), "destroyed")).toBe(0));
});

describe("[EX-12, EX-6] what else would stop a run", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work"), tools: fixture("tools") },
    approvals: { unannotated: "auto" },
  });

  async function problems(
    client: TestClient,
    input: Record<string, unknown>,
  ): Promise<readonly DryRunProblem[]> {
    const answer = await execute(client, { ...input, options: { dry_run: true } });
    return (answer as unknown as DryRunAnswer).problems;
  }

  it("a tool that is denied or gone is told at the call that leads to it", async () => {
    const first = await gateway().connect("v2-2025");
    await succeeds(first, { code: "return await mcp.work.echo({ value: 1 });", name: "in:echo" });
    await succeeds(first, {
      code: "const one = 1;\nreturn one && (await mcp.in.echo({}));",
      name: "out:echo",
    });
    await first.close();
    await gateway().restart(async () => {
      writeFileSync(
        join(gateway().directory, "mcp-permissions.yaml"),
        "servers:\n  work:\n    tools:\n      echo:\n        approvalMode: deny\n",
      );
    });
    const denied = await gateway().connect("v2-2025");
    expect(await problems(denied, { capability: "in:echo" })).toMatchObject([
      { code: "TOOL_DENIED", line: 1, column: 14, text: "return await mcp.work.echo({ value: 1 });" },
    ]);
    expect(await problems(denied, { capability: "out:echo" })).toMatchObject([
      { code: "TOOL_DENIED", line: 2, column: 22 },
    ]);
    await denied.close();
    await gateway().restart(async () => {
      writeFileSync(
        gateway().config,
        JSON.stringify({ mcpServers: { tools: fixture("tools") }, log: { level: "error" } }),
      );
    });
    const gone = await gateway().connect("v2-2025");
    expect(await problems(gone, { capability: "out:echo" })).toMatchObject([
      { code: "TOOL_NOT_FOUND", message: expect.stringContaining("work:echo"), line: 2, column: 22 },
    ]);
    await gone.close();
  });
});

function shown({ code, message }: DryRunProblem): string {
  return `${code} ${message}`;
}

/** Nodes and flow edges in a few words. */
function drawn({ nodes, edges }: StaticStructure): readonly string[] {
  return [
    ...nodes.map((node) =>
      node.type === "task"
        ? `${node.id} ${node.tool}`
        : node.type === "decision"
          ? `${node.id} ${node.condition}`
          : node.id,
    ),
    ...edges.flatMap((edge) =>
      edge.type === "provides"
        ? []
        : [`${edge.from} ${edge.type === "conditional" ? `-${edge.outcome}` : ""}> ${edge.to}`],
    ),
  ];
}
