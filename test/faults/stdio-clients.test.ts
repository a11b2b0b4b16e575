/** Clients on stdio that send what is no message: they are told, and others do not notice. */
import { beforeAll, describe, expect, it } from "vitest";
import { fixture, newPlace, pml, type Rpc, type ServeClient, serve, until } from "./support/pml.js";

const place = newPlace({ isProcess: true });
const config = place.config({ mcpServers: { healthy: fixture("healthy") } });
const args = ["--config", config];
let other: ServeClient;

beforeAll(async () => {
  other = await serve(place, args);
});

async function works(client: ServeClient): Promise<void> {
  expect(await client.call("healthy:echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
}

const errors = (client: ServeClient) => client.others.filter((message: Rpc) => message.error !== undefined);

describe("lines that are no messages [GW-1]", () => {
  it.each(["hello", "[1, 2", '"text"', "[]", "null", '{"jsonrpc":"2.0","id":1,', "\u0000\u0001"])(
    "answers %j with MESSAGE_INVALID, and goes on",
    async (line) => {
      const client = await serve(place, args);
      client.raw(`${line}\n`);
      await until("it is told", () => errors(client).length > 0);
      expect(errors(client)).toMatchObject([
        { id: null, error: { code: -32_700, data: { code: "MESSAGE_INVALID" } } },
      ]);
      await works(client);
      expect(await client.close()).toBe(0);
    },
  );

  it.each([
    [{}, null],
    [{ id: "x" }, null],
    [{ jsonrpc: "2.0", id: "x" }, null],
    [{ jsonrpc: "1.0", id: "x", method: "tools/list" }, "x"],
    [{ jsonrpc: "2.0", id: {}, method: "tools/list" }, null],
    [{ jsonrpc: "2.0", id: 1.5, method: "tools/list" }, null],
    [{ jsonrpc: "2.0", id: "x", method: 5 }, "x"],
    [{ jsonrpc: "2.0", id: "x", method: "tools/list", params: [] }, "x"],
    [{ jsonrpc: "2.0", id: "x", method: "tools/call", params: null }, "x"],
  ])("answers the object %j, which is no message, with an error", async (message, id) => {
    const client = await serve(place, args);
    client.raw(`${JSON.stringify(message)}\n`);
    await until("it is told", () => errors(client).length > 0);
    expect(errors(client)).toMatchObject([
      { id, error: { code: -32_600, data: { code: "MESSAGE_INVALID" } } },
    ]);
    await works(client);
    expect(await client.close()).toBe(0);
  });

  it.each([
    { jsonrpc: "2.0", id: 9_999, result: {} },
    { jsonrpc: "2.0", id: 9_999, error: 5 },
    { jsonrpc: "2.0", method: "notifications/nobody-knows" },
  ])("lives through %j, to which there is no answer", async (message) => {
    const client = await serve(place, args);
    client.raw(`${JSON.stringify(message)}\n\n\r\n`);
    await works(client);
    expect(await client.close()).toBe(0);
  });

  it("takes messages in pieces, several at once, and with a carriage return", async () => {
    const client = await serve(place, args);
    const line = (id: string) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" });
    client.raw(line("a").slice(0, 10));
    client.raw(`${line("a").slice(10)}\r\n${line("b")}\n${line("c")}\n`);
    await until("all are answered", () =>
      ["a", "b", "c"].every((id) => client.others.some((message) => message.id === id)),
    );
    await client.close();
  });

  it.each(["background", "foreground"])(
    "[TB-8] answers messages over 10 MiB with LIMIT_EXCEEDED, and goes on (%s)",
    async (mode) => {
      const client = await serve(
        place,
        mode === "background" ? args : [...args, "--no-daemon", "--data-dir", `${place.directory}/own`],
      );
      const text = "x".repeat(10 * 1024 * 1024);
      // The id last, as most clients write it.
      const call = { name: "healthy:echo", arguments: { text, id: "inner" } };
      client.raw(`${JSON.stringify({ method: "tools/call", params: call, jsonrpc: "2.0", id: "large" })}\n`);
      client.raw(`${text}no JSON\n`);
      await until("both are answered", () => errors(client).length === 2);
      const error = { code: -32_600, data: { code: "LIMIT_EXCEEDED" } };
      expect(errors(client)).toMatchObject([
        { id: "large", error },
        { id: null, error: { data: error.data } },
      ]);
      expect(errors(client)[0]?.error?.message).toContain("longer than 10485760 bytes");
      await works(client);
      await works(other);
      expect(await client.close()).toBe(0);
    },
  );

  it("takes a long message under the limit", async () => {
    const text = "x".repeat(5 * 1024 * 1024);
    expect((await other.call("healthy:echo", { text })).text.length).toBe(text.length);
  });
});

describe("a client that hangs up after its last request [GW-1]", () => {
  const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
  const clientInfo = { name: "test", version: "1.0.0" };
  const opening =
    line({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    }) + line({ method: "notifications/initialized" });
  const wait = (id: number, ms: number) =>
    line({ id, method: "tools/call", params: { name: "healthy:wait", arguments: { ms } } });
  const ids = (stdout: string) =>
    stdout
      .trim()
      .split("\n")
      .flatMap((text) => (JSON.parse(text) as Rpc).id ?? []);

  describe.each([["background"], ["foreground"]])("in the %s", (mode) => {
    const where =
      mode === "background" ? args : [...args, "--no-daemon", "--data-dir", `${place.directory}/last`];

    it("gets every answer that it still waits for", async () => {
      const { code, stdout, stderr } = await pml(place, ["serve", ...where], {
        input: opening + wait(2, 700) + wait(3, 300),
      });
      expect({ code, stderr: mode === "background" ? stderr : "" }).toEqual({ code: 0, stderr: "" });
      expect(ids(stdout)).toEqual([1, 3, 2]);
      expect(stdout).toContain("waited 700");
    });

    /** From its start to its end, of a client that is waited for. */
    let waitedMs = 0;

    it("is waited for no longer than a few seconds", async () => {
      const startedAt = Date.now();
      const { code, stdout } = await pml(place, ["serve", ...where], {
        input: opening + wait(2, 60_000) + wait(3, 300),
      });
      expect(code).toBe(0);
      expect(ids(stdout)).toEqual([1, 3]);
      waitedMs = Date.now() - startedAt;
      expect(waitedMs).toBeLessThan(50_000);
    });

    // A client that is waited for ends after five seconds each time; one that is not may be slow on a busy machine,
    // where the other was slow too.
    it("ends at once where it waits for nothing", { retry: 2 }, async () => {
      const client = await serve(place, where);
      await works(client);
      const startedAt = Date.now();
      expect(await client.close()).toBe(0);
      expect(Date.now() - startedAt).toBeLessThan(Math.max(4_000, waitedMs - 2_000));
    });
  });
});

describe("calls that are wrong [GW-1]", () => {
  it("offers the nearest names for an unknown tool", async () => {
    const { error } = await other.ask("tools/call", { name: "mcp__healthy__ecko", arguments: {} });
    expect(error).toMatchObject({ code: -32_602, data: { code: "TOOL_NOT_FOUND" } });
    expect(error?.message).toContain('Unknown tool: "mcp__healthy__ecko". Did you mean "mcp__healthy__echo"');
    expect((await other.ask("tools/call", { name: "healthy:ecko" })).error?.message).toContain(
      '"healthy:echo"',
    );
  });

  it.each([
    [{}, "text"],
    [{ text: 5 }, "text"],
    [{ text: null }, "text"],
  ])("names the argument that is wrong in %j", async (wrong, field) => {
    const { text, code } = await other.call("healthy:echo", wrong);
    expect(code).toBe("ARGUMENTS_INVALID");
    expect(text).toContain(field);
  });

  it.each<object>([
    { name: 5 },
    {},
    { name: "healthy:echo", arguments: [] },
    { name: "healthy:echo", arguments: "text" },
    { name: null },
  ])("answers tools/call with the parameters %j with an error of the protocol", async (params) => {
    const { error } = await other.ask("tools/call", params);
    expect(error?.code).toBeLessThan(0);
    await works(other);
  });

  it("refuses a cursor that it never gave", async () => {
    expect((await other.ask("tools/list", { cursor: "made up" })).error?.code).toBe(-32_602);
  });

  it("answers an unknown method", async () => {
    expect((await other.ask("no/such/method")).error?.code).toBe(-32_601);
  });
});
