/** What every client of every era gets from a tool, over every way in. */
import { join } from "node:path";
import type { Progress } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { IS_FULL } from "../support/sizes.js";
import { CLIENTS, clients } from "../support/test-client.js";
import { fixture, TRANSPORTS, useClient, useGateway } from "../support/test-gateway.js";
import { written } from "../support/written-file.js";

/** The code, message and data of the JSON-RPC error that `request` is answered with. */
async function errorOf(request: Promise<unknown>): Promise<{ code: number; message: string; data: unknown }> {
  const outcome = await request.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("value" in outcome) throw new Error(`Expected an error, got ${JSON.stringify(outcome.value)}`);
  const { code, message, data } = outcome.error as { code: number; message: string; data: unknown };
  return { code, message, data };
}

describe.each(TRANSPORTS)("[GW-1] over $over", ({ transport }) => {
  // Each client over stdio has a process of its own. Over HTTP nothing differs for it.
  const isProcess = IS_FULL || transport === "background";
  const gateway = useGateway(transport, { mcpServers: { kit: fixture("tools") } }, { isProcess });

  describe.each(CLIENTS)("$client", ({ kind }) => {
    const client = useClient(gateway, kind);

    it("connects at the revision it is for, and is told what is behind", () => {
      const version = client().protocolVersion;
      if (kind === "v2-2026") expect(version).toBe("2026-07-28");
      // The v1 client does not say it on stdio.
      else expect(version ?? "2025-11-25").toBe("2025-11-25");
      expect(client().instructions).toContain("kit");
    });

    it("[WIRE-2] lists a tool as its server describes it", async () => {
      const tools = await client().tools();
      expect(tools.find(({ name }) => name === "mcp__kit__add")).toEqual({
        name: "mcp__kit__add",
        title: "kit: add",
        description: "Adds two numbers",
        inputSchema: {
          type: "object",
          properties: { a: { type: "number" }, b: { type: "number" } },
          required: ["a", "b"],
        },
        outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
        _meta: { "pml/id": "kit:add" },
      });
    });

    it("[WIRE-3] calls by wire name, by id, and by a name that a client has folded", async () => {
      for (const name of ["mcp__kit__echo", "kit:echo", "MCP__Kit--Echo"]) {
        const { content } = await client().call(name, { text: `hello ${name}` });
        expect(content).toEqual([{ type: "text", text: `hello ${name}` }]);
      }
    });

    it("gets structured content", async () => {
      const result = await client().call("mcp__kit__add", { a: 2, b: 40 });
      expect(result.structuredContent).toEqual({ sum: 42 });
      expect(result.content).toEqual([{ type: "text", text: '{"sum":42}' }]);
    });

    it("gets an image", async () => {
      const { content } = await client().call("kit:picture");
      expect(content).toMatchObject([
        { type: "text", text: "one pixel" },
        { type: "image", mimeType: "image/png", data: expect.stringMatching(/^iVBORw0KGgo/) },
      ]);
    });

    it("gets a tool's failure as the tool said it", async () => {
      const result = await client().call("kit:fail");
      expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: "it did not work" }] });
    });

    it("gets a server's JSON-RPC error with its code and data", async () => {
      const error = await errorOf(client().call("kit:crash"));
      expect(error).toMatchObject({ code: -32050, data: { part: "spring" } });
      expect(error.message).toContain("the fixture broke");
    });

    it.each([
      ["mcp__kit__ecko", "mcp__kit__echo"],
      ["kit:ecko", "kit:echo"],
    ])("[FP-15] is offered the nearest name for the unknown tool %s", async (unknown, nearest) => {
      const error = await errorOf(client().call(unknown, { text: "x" }));
      expect(error.code).toBe(-32602);
      expect(error.message).toContain(`Did you mean "${nearest}"`);
      expect(error.data).toMatchObject({ code: "TOOL_NOT_FOUND", nearest: expect.any(Array) });
      expect((error.data as { nearest: string[] }).nearest[0]).toBe(nearest);
    });

    it("[FP-16, FP-21] is told which argument is wrong, in a result that a model can act on", async () => {
      const result = await client().call("kit:echo", { text: 7 });
      expect(result.isError).toBe(true);
      expect(result.structuredContent).toMatchObject({
        error: { code: "ARGUMENTS_INVALID", message: expect.stringContaining("text") },
      });
      // The text is the same object, for clients that read nothing else.
      expect(JSON.parse((result.content[0] as { text: string }).text)).toEqual(result.structuredContent);
    });

    it("hears of progress before the result, and never after", async () => {
      const steps = [1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` }));
      // Those that the client reads together with the result may be lost.
      await until("two steps are heard", async () => {
        const seen: Progress[] = [];
        const onProgress = (step: Progress) => void seen.push(step);
        const { content } = await client().call("kit:progress", {}, { onProgress });
        expect(content).toEqual([{ type: "text", text: "three steps" }]);
        expect(seen).toEqual(steps.slice(0, seen.length));
        return seen.length >= 2;
      });
    });

    it("cancels a call: the server hears of it, and can be called again", async () => {
      const file = join(gateway().directory, `sleep-${kind}`);
      const stop = new AbortController();
      const call = client().call("kit:sleep", { file }, { signal: stop.signal });
      call.catch(() => {});
      await written(file, "started");
      stop.abort();
      await expect(call).rejects.toThrow();
      await written(file, "cancelled", 5_000);
      expect((await client().call("kit:echo", { text: "still there" })).content).toMatchObject([
        { text: "still there" },
      ]);
    });

    it("hears what a tool says to the log", async () => {
      await client().watchLog();
      const line = `a line for ${kind}`;
      await client().call("kit:log", { text: line });
      await client().news.until(({ logs }) => logs.includes(line));
      // One call, one line, also where several clients are connected.
      expect(client().news.logs).toEqual([line]);
    });

    it("passes _meta on in both directions, without the gateway's own connection in it", async () => {
      const { content, _meta } = await client().call("kit:meta", {}, { meta: { "test/trace": "abc" } });
      const seen = JSON.parse((content[0] as { text: string }).text) as Record<string, unknown>;
      expect(seen["test/trace"]).toBe("abc");
      expect(_meta).toMatchObject({ "fixture/answer": 42 });
    });
  });
});

describe.each(clients("v1", "v2-2026"))("[GW-1] over stdio with --no-daemon, $client", ({ kind }) => {
  const config = { mcpServers: { kit: fixture("tools"), asks: fixture("questions") } };
  const gateway = useGateway("foreground", config, { isProcess: IS_FULL || kind === "v1" });
  const client = useClient(gateway, kind);

  it("lists, calls, and is asked", async () => {
    expect((await client().tools()).map(({ name }) => name)).toContain("mcp__kit__echo");
    expect((await client().call("kit:echo", { text: "hi" })).content).toMatchObject([{ text: "hi" }]);
    client().answerWith(() => ({ action: "accept", content: { answer: "blue" } }));
    const { content } = await client().call("asks:elicit", { question: "Colour?" });
    expect(content).toMatchObject([{ text: "accept blue" }]);
  });

  it("[ST-2] owns the data directory: a second owner is refused, with the reason", async () => {
    await expect(gateway().pml("serve", "--no-daemon")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/serve --no-daemon.*already owns it \[STORE_LOCKED\]/),
    });
  });
});
