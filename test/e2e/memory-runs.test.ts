/** Runs that are watched, cancelled, or lost with the process that they ran in. */
import { describe, expect, it } from "vitest";
import { readOwner } from "../../src/daemon/owner-file.js";
import { isAlive, until } from "../faults/support/pml.js";
import { ask, counted, execute, succeeds } from "../support/agent.js";
import { childrenOf } from "../support/processes.js";
import { clients } from "../support/test-client.js";
import { fixture, transports, useClient, useGateway } from "../support/test-gateway.js";

const config = { mcpServers: { work: fixture("work") } };

/** Waits in a tool, which counts that it has begun, for longer than any test does. */
const waits = (id: string) =>
  `await mcp.work.slow({ id: "${id}", ms: args.ms ?? 600_000 });\nreturn "waited";`;

/** Goes on when what it told was heard: a client forgets who listens as soon as it has read the answer. */
const tells = (who: string) => `for (let step = 1; step <= 3; step += 1) {
  pml.progress(step, 3, "${who} " + step);
  while ((await mcp.work.seen({ id: args.heard })).count < step) await mcp.work.slow({ ms: 20 });
}
return "told";`;

describe.each(transports("background"))("over $over", ({ transport }) => {
  const gateway = useGateway(transport, config);

  describe.each(clients("v1"))("$client", ({ kind }) => {
    const client = useClient(gateway, kind);
    const space = kind.replace(/[^a-z0-9]/g, "");

    it("[EX-2] cancels a run and the tool call that it waits for, and the next run works", async () => {
      const id = `waits-${kind}`;
      // Once as code, and once as a tool.
      const name = `${space}:waits`;
      await succeeds(client(), { code: waits(id), args: { ms: 1 }, name });
      for (const [tool, args] of [
        ["pml_execute", { intent: "wait", code: waits(id) }],
        [`mcp__${space}__waits`, {}],
      ] as const) {
        const [begun, aborted] = [await counted(client(), id), await counted(client(), "aborted")];
        const stop = new AbortController();
        const call = client().call(tool, args, { signal: stop.signal });
        const ended = expect(call).rejects.toThrow();
        await until("the run has begun", async () => (await counted(client(), id)) === begun + 1);
        stop.abort();
        await ended;
        await until("the tool call is aborted", async () => (await counted(client(), "aborted")) > aborted);
        expect((await succeeds(client(), { capability: name, args: { ms: 1 } })).result).toBe("waited");
      }
    });

    it("[EX-3] hears every second that a long run goes on, and nothing after its answer", async () => {
      const told: number[] = [];
      const code = `await mcp.work.slow({ ms: 2400 }); return "${kind}";`;
      const { structuredContent } = await client().call(
        "pml_execute",
        { intent: "take long", code },
        { onProgress: ({ progress }) => void told.push(progress) },
      );
      expect(structuredContent).toMatchObject({ status: "success", result: kind });
      expect(told.length).toBeGreaterThanOrEqual(2);
      expect(told).toEqual([...new Set(told)].sort((a, b) => a - b));
      const heard = told.length;
      await ask(client(), "work:slow", { ms: 1_200 });
      expect(told).toHaveLength(heard);
    });

    it("[EX-3] hears of progress, of code and of a capability as a tool", async () => {
      const name = `${space}:tells`;
      for (const [heard, tool, input] of [
        ["code", "pml_execute", (args: object) => ({ intent: "tell", args, code: tells(kind), name })],
        ["name", "pml_execute", (args: object) => ({ intent: "tell", args, capability: name })],
        ["tool", `mcp__${space}__tells`, (args: object) => ({ ...args })],
      ] as const) {
        const told: object[] = [];
        const id = `${kind} heard ${heard}`;
        await client().call(tool, input({ heard: id }), {
          onProgress(progress) {
            // Signs of a run that takes long are those of the next test.
            if (progress.message?.startsWith("Running") !== true) told.push(progress);
            void client().call("work:count", { id });
          },
        });
        expect(told, heard).toEqual(
          [1, 2, 3].map((progress) => ({ progress, total: 3, message: `${kind} ${progress}` })),
        );
      }
    });
  });
});

describe("[EX-2] a run whose sandbox is killed", () => {
  const gateway = useGateway("http", config, { isProcess: true });
  const client = useClient(gateway, "v2-2025");

  it("is answered, its tool call aborted, no process left behind, and the next run works", async () => {
    await succeeds(client(), { code: waits("killed"), args: { ms: 1 }, name: "killed:waits" });
    const aborted = await counted(client(), "aborted");
    const runs = [
      execute(client(), { code: waits("killed") }),
      execute(client(), { capability: "killed:waits" }),
    ];
    await until("both have begun", async () => (await counted(client(), "killed")) === 3);
    const [broker, ...more] = childrenOf(readOwner(gateway().dataDir)?.pid ?? 0, "broker.js");
    if (broker === undefined) throw new Error("The gateway has no child broker.js");
    expect(more).toEqual([]);
    const guests = childrenOf(broker);
    expect(guests.length).toBeGreaterThan(1);
    process.kill(broker, "SIGKILL");
    for (const { error } of await Promise.all(runs))
      expect(error).toMatchObject({ code: "SANDBOX_FAILED", hint: expect.any(String) });
    expect((await succeeds(client(), { code: "return 'next';" })).result).toBe("next");
    expect((await succeeds(client(), { capability: "killed:waits", args: { ms: 1 } })).result).toBe("waited");
    await until(
      "the tool calls are aborted",
      async () => (await counted(client(), "aborted")) === aborted + 2,
    );
    await until("the guests have ended", () => guests.every((pid) => !isAlive(pid)));
  });
});
