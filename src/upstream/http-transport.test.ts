import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import { httpTransport } from "./http-transport.js";
import type { HttpServerEntry } from "./server-entry.js";

/** Answers with a text of so many bytes, as JSON or as an event stream; the method says which. */
let server: Server;

beforeAll(async () => {
  server = createServer(async (req, res) => {
    let body = "";
    for await (const chunk of req) body += chunk;
    const { id, method, params } = JSON.parse(body);
    const answer = JSON.stringify({
      result: { id: "inner", text: "x".repeat(params.bytes) },
      jsonrpc: "2.0",
      id,
    });
    const isJson = method === "json";
    res.writeHead(200, { "content-type": isJson ? "application/json" : "text/event-stream" });
    res.end(isJson ? answer : `event: message\ndata: ${answer}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("[TB-8] httpTransport", () => {
  it.each(["json", "events"])("replaces an answer that is too long by an error (%s)", async (method) => {
    const { port } = server.address() as AddressInfo;
    const transport = httpTransport({
      transport: "http",
      url: new URL(`http://127.0.0.1:${port}/mcp`),
      headers: {},
    } as unknown as HttpServerEntry);
    const answers: JSONRPCMessage[] = [];
    transport.onmessage = (message) => answers.push(message);
    await transport.start();
    for (const [id, bytes] of [LIMITS.messageBytes, 10].entries()) {
      await transport.send({ jsonrpc: "2.0", id, method, params: { bytes } });
      await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(id + 1);
    }
    expect(answers).toMatchObject([
      { id: 0, error: { code: -32600, data: { code: "LIMIT_EXCEEDED" } } },
      { id: 1, result: { text: "xxxxxxxxxx" } },
    ]);
    await transport.close();
  });
});
