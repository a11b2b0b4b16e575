/** Approval by a person: asked through the client, or from outside, before anything happens. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { counted, errorOf, execute } from "../support/agent.js";
import { clients, type Reply, type TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const APPROVALS = { scripted: true, unannotated: "auto", direct: "ask" };
/** Direct calls are asked about like calls of code; `direct-calls.test.ts` is about those that are not. */
const CONFIG = { mcpServers: { work: fixture("work") }, approvals: APPROVALS };
const WAITING = "approval_required";

/** Code that counts, and then does what needs a person. */
const destroying = (id: string) =>
  `await mcp.work.count({ id: ${JSON.stringify(id)} });\nreturn (await mcp.work.destroy({ what: ${JSON.stringify(id)} })).count;`;

const ONCE = { action: "accept", content: { decision: "once" } } as const;
const NO = { action: "accept", content: { decision: "no" } } as const;

/** The reply of a person, who needs a moment to read. */
function slowly(reply: Reply): () => Promise<Reply> {
  return () => new Promise((resolve) => setTimeout(() => resolve(reply), LIMITS.quickestDeclineMs + 50));
}

async function destroyed(client: TestClient): Promise<number> {
  return counted(client, "destroyed");
}

interface Waiting {
  readonly workflowId: string;
  readonly approval: {
    readonly message: string;
    readonly next: string;
    readonly tools: readonly { readonly tool: string }[];
    readonly calls: readonly { readonly tool: string; readonly arguments: unknown }[];
  };
}

async function waits(client: TestClient, input: Readonly<Record<string, unknown>>): Promise<Waiting> {
  const answer = (await execute(client, input)) as unknown as Waiting & { readonly status: string };
  expect(answer.status).toBe(WAITING);
  return answer;
}

describe("[EX-6] the user of", () => {
  const transport = "stdio";
  const gateway = useGateway("background", CONFIG);

  describe.each(clients("v1", "v2-2026"))("$client", ({ kind }) => {
    const client = useClient(gateway, kind);
    const id = (name: string) => `${transport} ${kind} ${name}`;

    it("is asked before anything has run, and once is one time", async () => {
      const code = destroying(id("once"));
      const before = client().questions.length;
      const seen: number[] = [];
      client().answerWith(async () => {
        seen.push(await counted(client(), id("once")));
        return { action: "accept", content: { decision: "once" } };
      });
      const first = await execute(client(), { code });
      expect(first).toMatchObject({ status: "success", mode: "direct" });
      expect(seen).toEqual([0]);
      expect(client().questions[before]).toContain("work:destroy");
      expect(client().questions[before]).toContain(id("once"));
      expect(await execute(client(), { code })).toMatchObject({ status: "success" });
      expect(client().questions.length).toBe(before + 2);
      expect(await counted(client(), id("once"))).toBe(2);
    });

    it("says no, and nothing runs", async () => {
      const before = await destroyed(client());
      for (const reply of [slowly({ action: "decline" }), () => NO]) {
        client().answerWith(reply);
        const { error } = await execute(client(), { code: destroying(id("no")) });
        expect(error).toMatchObject({ code: "APPROVAL_REJECTED" });
      }
      expect(await destroyed(client())).toBe(before);
      expect(await counted(client(), id("no"))).toBe(0);
    });

    it.each([
      ["closes the question", { action: "cancel" }],
      ["has a client that declines by itself", { action: "decline" }],
    ] as const)("%s, decides nothing, and is not asked again", async (what, reply) => {
      const code = destroying(id(what));
      client().answerWith(() => reply);
      const before = client().questions.length;
      const { workflowId, approval } = await waits(client(), { code });
      expect(approval.next).toContain(workflowId);
      expect(await counted(client(), id(what))).toBe(0);
      client().answerWith(() => ONCE);
      await waits(client(), { resume: workflowId });
      expect(await waits(client(), { code })).toMatchObject({ workflowId });
      expect(client().questions.length).toBe(before + 1);
      await gateway().pml("approve", workflowId);
      expect(await execute(client(), { resume: workflowId })).toMatchObject({
        status: "success",
        workflowId,
      });
      expect(await counted(client(), id(what))).toBe(1);
    });

    it("[FP-7] is asked for a capability that is called like a tool, too", async () => {
      const name = `danger${transport}:${kind.replace("-", "")}`;
      client().answerWith(() => ({ action: "accept", content: { decision: "once" } }));
      await execute(client(), { code: destroying(id("tool")), name });
      const before = client().questions.length;
      const { structuredContent } = await client().call(name);
      expect(structuredContent).toMatchObject({ result: expect.any(Number) });
      expect(client().questions.length).toBe(before + 1);
      client().answerWith(() => NO);
      expect(errorOf(await client().call(name))).toMatchObject({ code: "APPROVAL_REJECTED" });
    });

    it("is asked for a destructive tool that the client calls itself", async () => {
      const before = await destroyed(client());
      client().answerWith(() => ({ action: "decline" }));
      expect(errorOf(await client().call("work:destroy", { what: id("fast") }))).toMatchObject({
        code: "APPROVAL_REQUIRED",
      });
      client().answerWith(() => NO);
      expect(errorOf(await client().call("work:destroy"))).toMatchObject({ code: "APPROVAL_REJECTED" });
      expect(await destroyed(client())).toBe(before);
      client().answerWith(() => ({ action: "accept", content: { decision: "once" } }));
      expect((await client().call("work:destroy")).structuredContent).toEqual({ count: before + 1 });
      expect((await client().call("work:unannotated")).content).toMatchObject([{ text: "ran" }]);
    });

    it("[EX-7] is asked before each layer that needs it, with what was done so far", async () => {
      const code = `const a = await mcp.work.count({ id: ${JSON.stringify(id("layer"))} });
const both = await Promise.all([mcp.work.destroy({ n: 1 }), mcp.work.echo({ value: a.count })]);
const last = await mcp.work.destroy({ n: 2 });
return [a.count, both[1].value, last.count - both[0].count];`;
      const asked: (readonly [number, boolean])[] = [];
      client().answerWith(async (question) => {
        asked.push([await counted(client(), id("layer")), question.includes("1 call is done")]);
        return { action: "accept", content: { decision: "once" } };
      });
      expect(await execute(client(), { code, options: { per_layer_validation: true } })).toMatchObject({
        status: "success",
        result: [1, 1, 1],
        tasks: [{ taskId: "n1" }, { taskId: "n2" }, { taskId: "n3" }, { taskId: "n4" }],
      });
      expect(asked).toEqual([
        [1, true],
        [1, false],
      ]);
      expect(await counted(client(), id("layer"))).toBe(1);
    });
  });
});

describe.each(clients("v2-2025", "v2-2026"))(
  "[TB-7] over HTTP, $client that can ask its user",
  ({ kind }) => {
    const gateway = useGateway("http", CONFIG);
    const client = useClient(gateway, kind);

    it("is not asked, because its answer decides nothing: a person decides from outside", async () => {
      const always = { action: "accept", content: { decision: "always" } } as const;
      client().answerWith(() => always);
      const before = await destroyed(client());
      const { workflowId, approval } = await waits(client(), { code: destroying(`http ${kind}`) });
      expect(approval).toMatchObject({
        next: expect.stringContaining(`main.js approve ${workflowId} --config ${gateway().config}`),
      });
      expect(errorOf(await client().call("work:destroy", { what: kind }))).toMatchObject({
        code: "APPROVAL_REQUIRED",
      });
      expect([client().questions, await destroyed(client())]).toEqual([[], before]);
      await gateway().pml("approve", workflowId);
      expect(await execute(client(), { resume: workflowId })).toMatchObject({ status: "success" });
    });
  },
);

describe("[EX-6] a client that cannot ask", () => {
  const gateway = useGateway("http", CONFIG);
  const client = useClient(gateway, "v2-2025", { can: [] });
  const approve = (...args: readonly string[]) => gateway().pml("approve", ...args);

  it("is told what waits, and goes on once a person has approved", async () => {
    const code = destroying("outside");
    const { workflowId, approval } = await waits(client(), { code });
    expect(approval.tools).toMatchObject([{ tool: "work:destroy" }]);
    expect(approval.calls).toMatchObject([
      { tool: "work:count", arguments: { id: "outside" } },
      { tool: "work:destroy", arguments: { what: "outside" } },
    ]);
    expect(await waits(client(), { resume: workflowId })).toMatchObject({ workflowId });
    // The same once more is the same run, not another.
    expect(await waits(client(), { code })).toMatchObject({ workflowId });
    await approve(workflowId);
    expect(await counted(client(), "outside")).toBe(0);
    expect(await execute(client(), { resume: workflowId })).toMatchObject({ status: "success", workflowId });
    expect(await counted(client(), "outside")).toBe(1);
    expect(await execute(client(), { resume: workflowId })).toMatchObject({
      status: "success",
      warnings: [expect.stringContaining("has already ended")],
    });
    expect(await counted(client(), "outside")).toBe(1);
    await waits(client(), { code });
  });

  it("may send the same again instead of resuming", async () => {
    const code = destroying("sent again");
    const { workflowId } = await waits(client(), { code });
    await approve(workflowId);
    expect(await execute(client(), { code })).toMatchObject({ status: "success", workflowId });
    expect(await counted(client(), "sent again")).toBe(1);
  });

  it("cannot change code or arguments after the approval", async () => {
    const code =
      'return (await mcp.work.destroy({ what: args.what })).count + 0 * (await mcp.work.count({ id: "args" })).count;';
    const { workflowId } = await waits(client(), { code, args: { what: "a" } });
    await approve(workflowId);
    await waits(client(), { code, args: { what: "b" } });
    await waits(client(), { code: `${code}\n// more`, args: { what: "a" } });
    for (const more of [{ args: { what: "b" } }, { options: { timeout: 5 } }, { code }])
      expect((await execute(client(), { resume: workflowId, ...more })).error).toMatchObject({
        code: "ARGUMENTS_INVALID",
      });
    expect(await counted(client(), "args")).toBe(0);
    expect(await execute(client(), { resume: workflowId })).toMatchObject({ status: "success" });
  });

  it("cannot approve itself", async () => {
    const { workflowId } = await waits(client(), { code: destroying("itself") });
    for (const tool of ["pml:approve", "pml_approve"])
      await expect(client().call(tool, { workflow_id: workflowId, decision: "once" })).rejects.toThrow(
        /Unknown tool/,
      );
    await waits(client(), { resume: workflowId });
  });

  it("is told of what does not exist, was rejected, and of others' runs alike", async () => {
    const { workflowId } = await waits(client(), { code: destroying("rejected") });
    await approve(workflowId, "--reject");
    expect((await execute(client(), { resume: workflowId })).error).toMatchObject({
      code: "APPROVAL_REJECTED",
    });
    for (const resume of ["nothing", crypto.randomUUID()])
      expect((await execute(client(), { resume })).error).toMatchObject({ code: "RUN_NOT_FOUND" });
  });

  it("always holds for the tool as it is, until it is revoked", async () => {
    const { workflowId } = await waits(client(), { code: destroying("always") });
    await approve(workflowId, "--always");
    expect(await execute(client(), { resume: workflowId })).toMatchObject({ status: "success" });
    expect(await execute(client(), { code: destroying("always 2") })).toMatchObject({ status: "success" });
    expect((await client().call("work:destroy")).isError).not.toBe(true);
    await approve("--revoke", "work:destroy");
    await waits(client(), { code: destroying("always 3") });
  });

  it("is told so where it calls a tool itself, and calls it again once a person has approved", async () => {
    const before = await destroyed(client());
    const error = errorOf(await client().call("work:destroy", { what: "direct" }));
    expect(error).toMatchObject({ code: "APPROVAL_REQUIRED", workflowId: expect.any(String) });
    await approve(String(error?.workflowId));
    expect((await client().call("work:destroy", { what: "direct" })).structuredContent).toEqual({
      count: before + 1,
    });
    expect(errorOf(await client().call("work:destroy", { what: "direct" }))?.code).toBe("APPROVAL_REQUIRED");
  });

  it("[EX-8] finds what it waits for after a restart, and calls nothing twice", async () => {
    const code =
      'await mcp.work.count({ id: "before" });\nawait mcp.work.destroy({});\nreturn Math.random() < 2;';
    const options = { per_layer_validation: true };
    const waiting = await waits(client(), { code, options });
    await gateway().restart();
    const other = await gateway().connect("v1", { can: [] });
    await waits(other, { resume: waiting.workflowId });
    await approve(waiting.workflowId);
    expect(await execute(other, { resume: waiting.workflowId })).toMatchObject({
      status: "success",
      result: true,
      tasks: [
        { taskId: "n1", success: true },
        { taskId: "n2", success: true },
      ],
    });
    // The server was started anew with the gateway: what it counts now came after the restart.
    expect(await counted(other, "before")).toBe(0);
    await other.close();
  });
});

describe("[EX-8] an approval that is not given in time", () => {
  const gateway = useGateway("http", { ...CONFIG, approvals: { ...APPROVALS, expiresSeconds: 1 } });
  const client = useClient(gateway, "v2-2025", { can: [] });

  it("has expired, for who asked and who would approve", async () => {
    const { workflowId } = await waits(client(), { code: destroying("late") });
    await expect
      .poll(async () => (await execute(client(), { resume: workflowId })).error?.code, { timeout: 10_000 })
      .toBe("APPROVAL_EXPIRED");
    await expect(gateway().pml("approve", workflowId)).rejects.toThrow(/APPROVAL_EXPIRED/);
    expect(await counted(client(), "late")).toBe(0);
  });
});
