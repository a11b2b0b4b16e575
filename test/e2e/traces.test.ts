/** What is kept of a run and learnt from runs: traces of what ran inside, `cap_whois`, `pml_trace`, `pml trace`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { ask, errorOf, execute, fails, succeeds } from "../support/agent.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

interface Run {
  readonly workflowId: string;
  readonly capability?: string;
  readonly success: boolean;
  readonly intent: string;
  readonly error?: { readonly code?: string };
}

interface Task {
  readonly tool: string;
  readonly success: boolean;
  readonly executedPath?: readonly string[];
  readonly decisions?: readonly unknown[];
  readonly tasks?: readonly Task[];
}

interface Whois {
  readonly usage_count: number;
  readonly success_rate: number;
  readonly learning: {
    readonly paths: readonly { readonly path: readonly string[]; readonly count: number }[];
    readonly dominantPath?: readonly string[];
    readonly decisionStats: readonly object[];
    readonly loopStats?: readonly object[];
  };
  readonly traces: readonly (Run & { readonly parentTraceId?: string })[];
}

function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

const OPEN = `const file = await mcp.work.seen({ id: args.id });
if (file.count > 0) {
  return await mcp.work.readFile({ path: "a.json" });
}
await mcp.work.count({ id: args.id });
return await mcp.work.echo({ value: "new" });`;

describe("[EX-11] traces and what is learnt from them", () => {
  const gateway = useGateway("background", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");
  const workflow = (answer: unknown) => (answer as { readonly workflowId: string }).workflowId;
  const whois = async (name: string) => (await ask(client(), "cap_whois", { name })) as unknown as Whois;
  const trace = async (workflow_id: string) => ask(client(), "pml_trace", { workflow_id });
  const counted = (name: string, uses: number) =>
    until(`${name} has ${uses} uses`, async () => (await whois(name)).usage_count === uses);

  const call = (through: TestClient, capability: string, args: object = {}) =>
    execute(through, { capability, args, options: { no_cache: true } });

  beforeAll(async () => {
    await succeeds(client(), { code: OPEN, name: "file:open", args: { id: "x" } });
  });

  it("[FP-5] are in cap_whois: paths, the dominant path, decisions, and the last runs", async () => {
    await call(client(), "file:open", { id: "x" });
    await call(client(), "file:open", { id: "x" });
    await counted("file:open", 3);
    const { learning, traces } = await whois("file:open");
    expect(learning).toEqual({
      paths: [
        { path: ["n1", "d1", "n2"], count: 2, successRate: 1 },
        { path: ["n1", "d1", "n3", "n4"], count: 1, successRate: 1 },
      ],
      dominantPath: ["n1", "d1", "n2"],
      decisionStats: [
        { nodeId: "d1", condition: "file.count > 0", outcomes: { true: { count: 2 }, false: { count: 1 } } },
      ],
    });
    expect(traces).toHaveLength(3);
    expect(traces[0]).toMatchObject({
      capability: "file:open",
      success: true,
      executedPath: ["n1", "d1", "n2"],
    });
  });

  it("count what code calls as uses of it, each with a trace below that of the caller", async () => {
    await succeeds(client(), {
      code: "if (args.fail ?? false) throw new Error('on purpose');\nreturn await mcp.work.echo({ value: 1 });",
      name: "deep:leaf",
    });
    await succeeds(client(), {
      code: "return await mcp.deep.leaf({ fail: args.fail ?? false });",
      name: "deep:middle",
    });
    const code = `const all = [];
for (const fail of [false, true]) {
  try { all.push(await mcp.deep.middle({ fail })); } catch { all.push("caught"); }
}
return all;`;
    const top = await succeeds(client(), { code, name: "deep:top", intent: "go deep" });
    await counted("deep:leaf", 4);
    expect(await whois("deep:leaf")).toMatchObject({ success_rate: 0.75 });
    expect(await whois("deep:middle")).toMatchObject({ usage_count: 3, success_rate: 0.6667 });
    const answer = await trace(workflow(top));
    expect(answer).toMatchObject({
      workflowId: workflow(top),
      capability: "deep:top",
      version: 1,
      intent: "go deep",
      success: true,
      loops: [{ iterations: 2 }],
    });
    const [ok, caught] = answer.tasks as readonly Task[];
    expect(ok).toMatchObject({
      tool: "deep:middle",
      success: true,
      executedPath: ["n1"],
      tasks: [{ tool: "deep:leaf", success: true, tasks: [{ tool: "work:echo", success: true }] }],
    });
    expect(caught).toMatchObject({
      tool: "deep:middle",
      success: false,
      tasks: [{ tool: "deep:leaf", success: false, decisions: [{ outcome: "true" }] }],
    });
    expect(caught?.tasks?.[0]?.tasks).toBeUndefined();
    const { traces, learning } = await whois("deep:leaf");
    expect(traces.filter(({ parentTraceId }) => parentTraceId !== undefined)).toHaveLength(3);
    expect(learning.paths.reduce((sum, { count }) => sum + count, 0)).toBe(4);
  });

  it("are kept of what code called that failed itself and is no capability", async () => {
    const before = (await whois("deep:leaf")).usage_count;
    const code = "await mcp.deep.leaf({});\nthrow new Error('in the end');";
    const failed = await execute(client(), { code });
    expect(failed.status).toBe("error");
    await counted("deep:leaf", before + 1);
    const answer = await trace(workflow(failed));
    expect(answer).toMatchObject({
      success: false,
      error: { code: "RUN_FAILED" },
      tasks: [{ tool: "deep:leaf", success: true, executedPath: ["d1", "n1"] }],
    });
    expect(answer).not.toHaveProperty("capability");
  });

  it("do not count what was under way when the run ended: it may be innocent of that", async () => {
    await succeeds(client(), {
      code: "return await mcp.work.slow({ ms: args.ms ?? 1 });",
      name: "deep:slow",
    });
    const { usage_count } = await whois("deep:leaf");
    const code = "return await Promise.all([mcp.deep.slow({ ms: 20000 }), mcp.deep.leaf({ fail: true })]);";
    const failed = await execute(client(), { code });
    expect(failed.status).toBe("error");
    await counted("deep:leaf", usage_count + 1);
    expect(await whois("deep:slow")).toMatchObject({ usage_count: 1, success_rate: 1 });
    const { tasks } = await trace(workflow(failed));
    const [slow, leaf] = tasks as readonly Task[];
    expect(slow).toMatchObject({ tool: "deep:slow", success: false });
    expect(slow).not.toHaveProperty("executedPath");
    expect(leaf).toMatchObject({ tool: "deep:leaf", success: false, decisions: [{ outcome: "true" }] });
  });

  it("[FP-5] are listed, newest first, without what ran inside", async () => {
    const { runs } = (await ask(client(), "pml_trace", { limit: 2 })) as unknown as { runs: readonly Run[] };
    expect(runs).toHaveLength(2);
    expect(runs[0]).toMatchObject({ success: false, error: { code: "RUN_FAILED" } });
    expect(runs[1]).toMatchObject({ capability: "deep:slow", success: true });
    expect(errorOf(await client().call("pml_trace", { workflow_id: "none" }))?.code).toBe("RUN_NOT_FOUND");
  });

  it("[FP-5] [UX-1] are shown by pml trace: a list, one run, and JSON", async () => {
    const list = await gateway().pml("trace", "--limit", "9");
    expect(list).toMatch(/^WORKFLOW +WHEN +TOOK +RESULT +WHAT +INTENT\n/);
    expect(list).toContain("deep:top, version 1");
    const id = /^(\S+) .*deep:top/m.exec(list)?.[1] ?? "";
    const text = await gateway().pml("trace", id);
    expect(text).toMatch(/^what +deep:top, version 1$/m);
    expect(text).toMatch(/^calls\n {2}\S+ +deep:middle \(version 1\) .* ok +path n1\n {4}\S+ +deep:leaf/m);
    expect(JSON.parse(await gateway().pml("trace", id, "--json"))).toMatchObject({ workflowId: id });
    const missing = await gateway()
      .pml("trace", "none")
      .then(
        () => "found",
        (error: { stderr: string }) => error.stderr,
      );
    expect(missing).toContain("No trace of the run none [RUN_NOT_FOUND]");
  });

  it("stay when the gateway starts anew", async () => {
    const before = await whois("file:open");
    await gateway().restart();
    const again = await gateway().connect("v2-2025");
    expect(await ask(again, "cap_whois", { name: "file:open" })).toMatchObject({
      learning: before.learning,
      traces: before.traces,
    });
    expect((await fails(again, { capability: "deep:leaf", args: { fail: true } })).code).toBe("RUN_FAILED");
    const dry = await execute(again, { capability: "file:open", options: { dry_run: true } });
    expect(dry).toMatchObject({ predictedPath: before.learning.dominantPath });
  });
});

describe("traces of runs that failed", () => {
  const gateway = useGateway("background", { mcpServers: { work: fixture("work") } });
  const client = useClient(gateway, "v2-2025");

  it("[EX-11] keep no argument that an error quotes, in no file; the live answer has it", async () => {
    const path = "/home/ada/the-diary-of-may.txt";
    const card = 4_111_222_233_334_444;
    const ways: readonly Readonly<Record<string, unknown>>[] = [
      { code: "return await mcp.work.readFile({ path: args.path });", args: { path } },
      {
        code: 'throw new Error("cannot use " + args.path + " with " + args.card);',
        args: { path, card },
      },
      {
        code: 'const p = args.a + "-diary-of-may.txt";\nreturn await mcp.work.readFile({ path: p });',
        args: { a: "/home/ada/the" },
      },
      {
        dag: { tasks: [{ id: "one", tool: "work:read_file", arguments: { path: { $arg: "path" } } }] },
        args: { path },
      },
    ];
    for (const way of ways) {
      const answer = await execute(client(), way);
      expect(answer.error?.message, JSON.stringify(way)).toContain("diary-of-may");
      const { workflowId } = answer as unknown as Run;
      const trace = await ask(client(), "pml_trace", { workflow_id: workflowId });
      expect((trace as unknown as Run).error?.code).toBe(answer.error?.code);
      expect(JSON.stringify(trace)).not.toMatch(/diary-of-may|4111222233334444/);
      expect(JSON.stringify(trace)).toContain("…");
    }
    await gateway().restart(async () => {
      const found = filesBelow(gateway().dataDir).filter((file) => {
        const bytes = readFileSync(file);
        return bytes.includes("diary-of-may.txt") || bytes.includes("4111222233334444");
      });
      expect(found).toEqual([]);
    });
  });
});
