/** Results that a preview truncates, read in pages: by which users, until when, and with any content. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { type Answer, ask, errorOf, execute, succeeds } from "../support/agent.js";
import { SCOPES, usePeople } from "../support/people.js";
import { clients, type TestClient } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

const config = {
  mcpServers: { work: fixture("work"), kit: fixture("tools") },
  approvals: { unannotated: "auto" },
};

interface Run extends Answer {
  readonly workflowId: string;
  readonly tasks: readonly {
    readonly taskId: string;
    readonly tool: string;
    readonly success: boolean;
    readonly resultPreview: string;
  }[];
}

const ran = async (client: TestClient, code: string, args: object = {}) =>
  (await succeeds(client, { code, args, options: { no_cache: true } })) as Run;

interface Page {
  readonly content: string;
  readonly length: number;
  readonly total: number;
  readonly next_offset?: number;
}

const page = async (client: TestClient, workflow_id: string, task_id: string, more: object = {}) =>
  (await ask(client, "pml_get_task_result", { workflow_id, task_id, ...more })) as unknown as Page;

async function whole(client: TestClient, workflow: string, task: string, more: object = {}): Promise<string> {
  let text = "";
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const got: Page = await page(client, workflow, task, { offset, ...more });
    expect(Array.from(got.content)).toHaveLength(got.length);
    text += got.content;
    offset = got.next_offset;
  }
  return text;
}

const refusal = async (client: TestClient, workflow_id: string, task_id: string) =>
  errorOf(await client.call("pml_get_task_result", { workflow_id, task_id }));

/** What is hard to cut: pairs, halves of them, signs that JSON escapes, quotes. */
const STRANGE = `{ faces: "😀👩‍👩‍👧".repeat(200), half: "\\ud800x", nul: "\\u0000", quotes: '"\\\\"', none: [[], {}, null] }`;

describe.each(transports("background"))("over $over", ({ transport }) => {
  const gateway = useGateway(transport, config);

  describe.each(clients("v2-2026"))("$client", ({ kind }) => {
    const client = useClient(gateway, kind);

    it("[EX-10] [FP-11] gets the whole result in pages, raw and indented", async () => {
      const run = await ran(client(), `const value = ${STRANGE};\nreturn await mcp.work.echo({ value });`);
      const [task] = run.tasks;
      expect(task).toMatchObject({ taskId: "n1", tool: "work:echo", success: true });
      const text = JSON.stringify(run.result);
      expect(Array.from(task?.resultPreview ?? "")).toEqual(Array.from(text).slice(0, 240));
      for (const limit of [97, 100_000]) {
        expect(await whole(client(), run.workflowId, "n1", { limit })).toBe(text);
        expect(await whole(client(), run.workflowId, "n1", { limit, format: "pretty" })).toBe(
          JSON.stringify(run.result, null, 2),
        );
      }
      expect(await page(client(), run.workflowId, "n1", { offset: 100_000 })).toMatchObject({
        content: "",
        length: 0,
        total: Array.from(text).length,
      });
    });

    it("[EX-10] gets short results, calls of a loop, images, and what failed as its error", async () => {
      const run = await ran(
        client(),
        `for (const value of [1, 2]) await mcp.work.echo({ value });
         const image = await mcp.kit.picture({});
         await mcp.work.fail({}).catch(() => {});
         return image;`,
      );
      expect(run.tasks.map(({ taskId, tool }) => [taskId, tool])).toHaveLength(4);
      const [first, second, picture, failed] = run.tasks.map(({ taskId }) => taskId);
      expect(await whole(client(), run.workflowId, first ?? "")).toBe('{"value":1}');
      expect(second).toBe(`${first}#2`);
      expect(await whole(client(), run.workflowId, second ?? "")).toBe('{"value":2}');
      expect(JSON.parse(await whole(client(), run.workflowId, picture ?? ""))).toEqual(run.result);
      expect(JSON.parse(await whole(client(), run.workflowId, failed ?? ""))).toMatchObject({
        error: { code: "TOOL_FAILED", message: "broken on purpose", tool: "work:fail" },
      });
      expect(await refusal(client(), run.workflowId, "n9")).toMatchObject({
        code: "TASK_NOT_FOUND",
        tasks: run.tasks.map(({ taskId }) => taskId),
      });
    });

    it("[EX-10] gets what a capability returned, and what those returned that it calls", async () => {
      await succeeds(client(), {
        name: "deep:leaf",
        code: "return { said: 'x'.repeat(args.length) };",
        args: { length: 1 },
      });
      await succeeds(client(), {
        name: "deep:top",
        code: "const { said } = await mcp.deep.leaf({ length: args.length }); if (args.hard) throw new Error('no'); return [said];",
        args: { length: 2 },
      });
      const run = await ran(
        client(),
        "await mcp.deep.top({ length: 3, hard: true }).catch(() => {}); await mcp.deep.top({ length: 900 }); return 'done'",
      );
      const leaf = JSON.stringify({ said: "x".repeat(900) });
      expect(run.tasks.map(({ taskId, resultPreview }) => [taskId, resultPreview])).toEqual([
        ["n1", ""],
        ["n1.n1", '{"said":"xxx"}'],
        ["n2", JSON.stringify(["x".repeat(900)]).slice(0, 240)],
        ["n2.n1", leaf.slice(0, 240)],
      ]);
      expect(await whole(client(), run.workflowId, "n2")).toBe(JSON.stringify(["x".repeat(900)]));
      expect(await whole(client(), run.workflowId, "n2.n1", { limit: 100 })).toBe(leaf);
      expect(await gateway().pml("result", run.workflowId, "n1.n1")).toBe('{"said":"xxx"}\n');
      expect(await refusal(client(), run.workflowId, "n1")).toMatchObject({ code: "TASK_NOT_FOUND" });
    });

    it("[EX-10] is told what is wrong with what it asks for", async () => {
      expect(await refusal(client(), "nope", "n1")).toMatchObject({
        code: "RUN_NOT_FOUND",
        message: "Run not found: nope",
      });
      for (const wrong of [
        { limit: 0 },
        { limit: 100_001 },
        { offset: -1 },
        { format: "xml" },
        { task: "n1" },
      ]) {
        const answer = await client().call("pml_get_task_result", {
          workflow_id: "w",
          task_id: "n1",
          ...wrong,
        });
        expect(errorOf(answer), JSON.stringify(wrong)).toMatchObject({ code: "ARGUMENTS_INVALID" });
      }
    });
  });
});

describe("results that stay", () => {
  const gateway = useGateway("background", config);

  it("[EX-10] outlive the gateway, the short ones too", async () => {
    const client = await gateway().connect("v2-2025");
    const run = await ran(
      client,
      `await mcp.work.echo({ value: "x".repeat(1_000) });\nawait mcp.work.echo({ value: 2 });`,
    );
    await gateway().restart();
    const later = await gateway().connect("v2-2025");
    expect(await whole(later, run.workflowId, "n1")).toBe(JSON.stringify({ value: "x".repeat(1_000) }));
    expect(await whole(later, run.workflowId, "n2")).toBe('{"value":2}');
  });

  it("[EX-10] are kept of runs that fail, too", async () => {
    const client = await gateway().connect("v2-2025");
    const code = `await mcp.work.echo({ value: "x".repeat(1_000) });\nthrow new Error("no more");`;
    const run = (await execute(client, { code })) as Run;
    expect(run.error?.code).toBe("RUN_FAILED");
    expect(await whole(client, run.workflowId, "n1")).toBe(JSON.stringify({ value: "x".repeat(1_000) }));
  });

  it("[UX-1] [EX-10] pml result prints all of a large one", async () => {
    const client = await gateway().connect("v2-2025");
    const run = await ran(client, `await mcp.work.echo({ value: "😀".repeat(args.n) });`, { n: 400_000 });
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        new URL("../../dist/cli/main.js", import.meta.url).pathname,
        "result",
        run.workflowId,
        "n1",
        "--config",
        gateway().config,
        "--data-dir",
        gateway().dataDir,
      ],
      { maxBuffer: 64_000_000, env: gateway().env },
    );
    expect(stdout).toBe(`${JSON.stringify({ value: "😀".repeat(400_000) })}\n`);
    expect(await gateway().pml("result", run.workflowId, "n1", "--offset", "8", "--limit", "5")).toBe(
      ':"😀😀😀\n',
    );
    expect(await gateway().pml("result", run.workflowId, "n1", "--pretty", "--limit", "4")).toBe("{\n  \n");
    const json = await gateway().pml("result", run.workflowId, "n1", "--limit", "3", "--json");
    expect(JSON.parse(json)).toEqual({
      content: '{"v',
      offset: 0,
      length: 3,
      total: 400_012,
      next_offset: 3,
    });
    await expect(gateway().pml("result", run.workflowId, "n7")).rejects.toMatchObject({
      code: 1,
      stderr: "pml: Task not found: n7 [TASK_NOT_FOUND]\n     The run has n1.\n",
    });
  });
});

describe("results that expire", () => {
  const gateway = useGateway("background", { ...config, results: { ttlSeconds: 2 } });

  it("[EX-10] [FP-18] are there for as long as the configuration says, and then say that they have expired", async () => {
    const client = await gateway().connect("v2-2025");
    const run = await ran(client, `await mcp.work.echo({ value: "x".repeat(1_000) });`);
    let code: string | undefined;
    await until("it has expired", async () => {
      code = (await refusal(client, run.workflowId, "n1"))?.code;
      return code !== undefined;
    });
    expect(code).toBe("RESULT_EXPIRED");
  });
});

describe("results of others", () => {
  const { gateway, of } = usePeople();

  it("[EX-10] are not there; a person at the command line reads those of the project", async () => {
    const run = await ran(of("ada"), `await mcp.work.echo({ value: "mine".repeat(100) });`);
    const text = JSON.stringify({ value: "mine".repeat(100) });
    expect(await whole(of("ada"), run.workflowId, "n1")).toBe(text);
    const never = "00000000-0000-4000-8000-000000000000";
    for (const person of ["bob", "cy", "dan"] as const)
      for (const task of ["n1", "n9"]) {
        const found = JSON.stringify(await refusal(of(person), run.workflowId, task));
        expect(found.replaceAll(run.workflowId, never)).toBe(
          JSON.stringify(await refusal(of(person), never, task)),
        );
        expect(found).toContain("RUN_NOT_FOUND");
      }
    expect(await gateway().pml("result", run.workflowId, "n1", "--scope", SCOPES.bob)).toBe(`${text}\n`);
    await expect(gateway().pml("result", run.workflowId, "n1", "--scope", SCOPES.dan)).rejects.toMatchObject({
      stderr: expect.stringContaining("[RUN_NOT_FOUND]"),
    });
  });
});
