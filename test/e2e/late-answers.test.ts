/** A person who answers PML's question after the client has given the request up. */
import { describe, expect, it } from "vitest";
import { counted, execute } from "../support/agent.js";
import { CLIENTS, type Reply, type TestClient } from "../support/test-client.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const CONFIG = {
  mcpServers: { work: fixture("work") },
  approvals: { scripted: true, unannotated: "auto", direct: "ask" },
};
const ONCE: Reply = { action: "accept", content: { decision: "once" } };
const ROUNDS = 2;

/** Answers each question when `answer` is called; `open` resolves when a question is there. */
function person(client: TestClient) {
  let reply: (reply: Reply) => void = () => {};
  const open = new Promise<void>((resolve) => {
    client.answerWith(() => {
      resolve();
      return new Promise((answer) => {
        reply = answer;
      });
    });
  });
  return { open, answer: () => reply(ONCE) };
}

/** The runs that wait for a person. */
async function waiting(list: Promise<string>): Promise<readonly string[]> {
  const { waiting: runs } = JSON.parse(await list) as { waiting: readonly { workflowId: string }[] };
  return runs.map(({ workflowId }) => workflowId);
}

describe.each(CLIENTS.filter(({ kind }) => kind !== "v2-2026"))(
  "[EX-6] $client, whose question is open within its request,",
  ({ kind }) => {
    const gateway = useGateway("background", CONFIG);
    const client = useClient(gateway, kind);

    it.each([
      ["code", "pml_execute"],
      ["a tool", "work:destroy"],
    ])("has the yes counted that comes later: %s", async (what, tool) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const id = `${what} ${round}`;
        const args =
          tool === "pml_execute"
            ? { intent: "destroy", code: `return await mcp.work.destroy({ what: "${id}" });` }
            : { what: id };
        const destroyed = await counted(client(), "destroyed");
        const { open, answer } = person(client());
        const stop = new AbortController();
        const call = client().call(tool, args, { signal: stop.signal });
        call.catch(() => {});
        await open;
        const [workflowId = ""] = await waiting(gateway().pml("approve", "--list", "--json"));
        stop.abort();
        await expect(call).rejects.toThrow();
        answer();
        await expect
          .poll(() => waiting(gateway().pml("approve", "--list", "--json")), { timeout: 10_000 })
          .toEqual([]);
        // Deciding runs nothing.
        expect(await counted(client(), "destroyed")).toBe(destroyed);
        const asked = client().questions.length;
        expect(await execute(client(), { resume: workflowId })).toMatchObject({ status: "success" });
        expect(await counted(client(), "destroyed")).toBe(destroyed + 1);
        expect(client().questions.length).toBe(asked);
      }
    });

    it("has progress while the question is open, so that it does not time out", async () => {
      const { open, answer } = person(client());
      const told: number[] = [];
      const call = client().call(
        "pml_execute",
        { intent: "destroy", code: 'return await mcp.work.destroy({ what: "patient" });' },
        { timeoutMs: 4_000, onProgress: ({ progress }) => told.push(progress) },
      );
      call.catch(() => {});
      await open;
      // Longer than the timeout.
      await expect.poll(() => told.length, { timeout: 60_000 }).toBeGreaterThan(9);
      answer();
      expect((await call).structuredContent).toMatchObject({ status: "success" });
      expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
    });
  },
);

describe("[EX-6] a 2026-era client that gives up while its user is asked", () => {
  const gateway = useGateway("background", CONFIG);
  const client = useClient(gateway, "v2-2026");

  it("leaves a run that waits, and that a person decides", async () => {
    const { open, answer } = person(client());
    const stop = new AbortController();
    const code = 'return (await mcp.work.destroy({ what: "later" })).count;';
    const call = client().call("pml_execute", { intent: "destroy", code }, { signal: stop.signal });
    call.catch(() => {});
    await open;
    stop.abort();
    answer();
    await expect(call).rejects.toThrow();
    const [workflowId = ""] = await waiting(gateway().pml("approve", "--list", "--json"));
    expect(await execute(client(), { resume: workflowId })).toMatchObject({ status: "approval_required" });
    await gateway().pml("approve", workflowId);
    expect(await execute(client(), { resume: workflowId })).toMatchObject({ status: "success" });
  });
});
