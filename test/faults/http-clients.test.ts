/** What the HTTP endpoint refuses, and that it goes on afterwards. */
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sized } from "../support/sizes.js";
import { fixture, newPlace, pml, type ServeClient, startServe, until } from "./support/pml.js";

const place = newPlace({ isProcess: true });
const config = place.config({ mcpServers: { healthy: fixture("healthy") }, log: { level: "error" } });
let gateway: ServeClient["child"];
let port = 0;

beforeAll(async () => {
  // Its output is a text for people, so it is read here and not by a client.
  const serving = startHttp(["--http", "0"]);
  gateway = serving.child;
  await until("it serves", () => serving.port() > 0);
  port = serving.port();
});

afterAll(async () => {
  gateway.kill("SIGTERM");
  await new Promise((resolve) => gateway.once("close", resolve));
  expect(gateway.exitCode).toBe(0);
});

function startHttp(more: readonly string[]) {
  let said = "";
  const { child } = startServe(place, ["--config", config, ...more], {}, (text) => {
    said += text;
  });
  return { child, port: () => Number(/127\.0\.0\.1:(\d+)\/mcp/.exec(said)?.[1] ?? 0) };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | readonly string[];
}

interface Got {
  readonly status: number;
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
}

function ask({ method = "POST", path = "/mcp", headers = {}, body = "" }: Sent): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      method,
      path,
      agent: false,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    });
    sent.on("response", async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({
        status: response.statusCode ?? 0,
        body: Buffer.concat(chunks).toString(),
        headers: response.headers,
      });
    });
    sent.on("error", reject);
    // Several parts, and no length in the headers, where a list is given.
    for (const part of Array.isArray(body) ? body : []) sent.write(part);
    sent.end(Array.isArray(body) ? undefined : body);
  });
}

const rpc = (method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
const INITIALIZE = rpc("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
});

async function works(): Promise<void> {
  const { status, headers } = await ask({ body: INITIALIZE });
  expect(status).toBe(200);
  const session = { "mcp-session-id": String(headers["mcp-session-id"]) };
  const called = await ask({
    headers: session,
    body: rpc("tools/call", { name: "healthy:echo", arguments: { text: "hi" } }),
  });
  expect(called.body).toContain('"text":"hi"');
  expect((await ask({ method: "DELETE", headers: session })).status).toBe(200);
}

describe("HTTP requests that are refused [GW-1, GW-4]", () => {
  it.each<[string, Sent, number, string]>([
    ["a foreign Host", { headers: { host: "evil.example" }, body: INITIALIZE }, 403, "Host"],
    [
      "a foreign Host that only begins well",
      { headers: { host: "localhost.evil.example" }, body: INITIALIZE },
      403,
      "Host",
    ],
    ["a foreign Origin", { headers: { origin: "https://evil.example" }, body: INITIALIZE }, 403, "Origin"],
    ["the Origin null", { headers: { origin: "null" }, body: INITIALIZE }, 403, "Origin"],
    [
      "a foreign Host for /healthz",
      { method: "GET", path: "/healthz", headers: { host: "evil.example" } },
      403,
      "Host",
    ],
    ["another path", { path: "/other", body: INITIALIZE }, 404, "NOT_FOUND"],
    ["a file that is none of the dashboard", { method: "GET", path: "/none.txt" }, 404, "/mcp"],
    ["no JSON", { body: '{"jsonrpc": s3cret}' }, 400, "MESSAGE_INVALID"],
    ["an empty body", { body: "" }, 400, "MESSAGE_INVALID"],
    [
      "an unknown session",
      { headers: { "mcp-session-id": "none" }, body: rpc("tools/list") },
      404,
      "Session not found",
    ],
    ["a request without a session", { body: rpc("tools/list") }, 400, "Mcp-Session-Id"],
    ["a list of nothing", { body: "[]" }, 400, "error"],
    ["a number", { body: "5" }, 400, "error"],
    ["null", { body: "null" }, 400, "error"],
    ["an unknown method of HTTP", { method: "PUT", body: INITIALIZE }, 405, "error"],
    [
      "a body that says it is too large",
      { headers: { "content-length": String(5 * 1024 * 1024) }, body: "{" },
      413,
      "LIMIT_EXCEEDED",
    ],
    [
      "a body that turns out too large",
      { body: Array.from({ length: 80 }, () => " ".repeat(65_536)) },
      413,
      "LIMIT_EXCEEDED",
    ],
  ])("answers %s", async (_what, sent, status, text) => {
    const got = await ask(sent);
    expect({ status: got.status, said: got.body.includes(text) || got.body }).toEqual({ status, said: true });
    expect(got.body).not.toContain("    at ");
    await works();
  });

  it("[TB-8] answers a body that is too large by its request's id, on a connection that lives", async () => {
    const large = { method: "tools/call", params: { id: 1, text: "x".repeat(6 * 1024 * 1024) } };
    const body = JSON.stringify({ ...large, jsonrpc: "2.0", id: "large" });
    const got = await ask({ headers: { connection: "keep-alive" }, body });
    expect(got.status).toBe(413);
    expect(JSON.parse(got.body)).toMatchObject({
      id: "large",
      error: { code: -32600, data: { code: "LIMIT_EXCEEDED" } },
    });
    expect(got.headers.connection).not.toBe("close");
  });

  it("answers /healthz", async () => {
    expect(JSON.parse((await ask({ method: "GET", path: "/healthz" })).body)).toEqual({
      status: "ok",
      version: "0.1.0",
    });
  });

  it("lets pages of this machine in", async () => {
    expect((await ask({ headers: { origin: "http://localhost:5173" }, body: INITIALIZE })).status).toBe(200);
  });
});

describe("[SC-2] a call over HTTP", () => {
  const CALL = { name: "healthy:echo", arguments: { text: "hi" } };
  const META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const modern = (more: Readonly<Record<string, string>> = {}): Sent => ({
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": CALL.name,
      ...more,
    },
    body: rpc("tools/call", { ...CALL, _meta: META }),
  });

  it("of a session is answered by one JSON body, also while another of the same id is open", async () => {
    const { headers } = await ask({ body: INITIALIZE });
    const session = String(headers["mcp-session-id"]);
    const call = () => ask({ headers: { "mcp-session-id": session }, body: rpc("tools/call", CALL) });
    const [got] = await Promise.all([call(), call()]);
    expect(got.headers).toMatchObject({ "content-type": "application/json", "mcp-session-id": session });
    expect(JSON.parse(got.body)).toMatchObject({ id: 1, result: { content: [{ text: "hi" }] } });
  });

  it.each([
    ["", (message: object) => message],
    [" in a list", (message: object) => [message]],
  ])("[GW-1] of a session that was cancelled%s gets no answer, and its response ends", async (_, sent) => {
    const { headers } = await ask({ body: INITIALIZE });
    const session = { "mcp-session-id": String(headers["mcp-session-id"]) };
    const wait = { name: "healthy:wait", arguments: { ms: 100_000 } };
    let got: Got | undefined;
    const call = ask({ headers: session, body: rpc("tools/call", wait) });
    call.then(
      (ended) => {
        got = ended;
      },
      () => {},
    );
    const cancelled = { method: "notifications/cancelled", params: { requestId: 1 } };
    await until("the response has ended", async () => {
      const body = JSON.stringify(sent({ jsonrpc: "2.0", ...cancelled }));
      expect((await ask({ headers: session, body })).status).toBe(202);
      return got !== undefined;
    });
    expect(got).toMatchObject({ status: 200, body: "" });
  });

  it("of 2026 is answered by one JSON body", async () => {
    const { status, headers, body } = await ask(modern());
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "application/json" });
    expect(JSON.parse(body)).toMatchObject({
      id: 1,
      result: { resultType: "complete", content: [{ text: "hi" }] },
    });
  });

  it.each<[string, Sent]>([
    ["names another tool in its head", modern({ "mcp-name": "healthy:other" })],
    ["names another method in its head", modern({ "mcp-method": "tools/list" })],
    ["names another revision in its head", modern({ "mcp-protocol-version": "2025-06-18" })],
  ])("of 2026 that %s is refused", async (_what, sent) => {
    const { status, body } = await ask(sent);
    expect({ status, code: JSON.parse(body).error?.code }).toEqual({ status: 400, code: expect.any(Number) });
  });

  it("of a session with an unknown revision in its head is refused", async () => {
    const { headers } = await ask({ body: INITIALIZE });
    const session = { "mcp-session-id": String(headers["mcp-session-id"]), "mcp-protocol-version": "1" };
    expect((await ask({ headers: session, body: rpc("tools/call", CALL) })).status).toBe(400);
  });
});

/** What the endpoint answers to these very bytes, until it hangs up or has answered. */
function askRaw(head: string, body = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(`${head.replaceAll("\n", "\r\n")}\r\n\r\n${body}`),
    );
    let said = "";
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      said += text;
      if (/^HTTP\/1\.1 200 .*\r\n\r\n/s.test(said)) socket.destroy();
    });
    socket.on("close", () => resolve(said));
    socket.on("error", reject);
  });
}

describe("[TB-9] requests that could be read in two ways", () => {
  const POST = "POST /mcp HTTP/1.1";
  const json = `content-type: application/json\ncontent-length: ${INITIALIZE.length}`;
  const many = Array.from({ length: 2_500 }, () => "a:").join("\n");

  it.each([
    ["two Host headers", `${POST}\nHost: localhost\nHost: evil.example\n${json}`],
    ["two Host headers, the first foreign", `${POST}\nHost: evil.example\nHost: localhost\n${json}`],
    ["two Host headers that are the same", `${POST}\nHost: localhost\nhost: localhost\n${json}`],
    [
      "a second Host behind thousands of headers",
      `${POST}\nHost: localhost\n${many}\nHost: evil.example\n${json}`,
    ],
    [
      "two Origin headers",
      `${POST}\nHost: localhost\nOrigin: http://localhost\nOrigin: https://evil.example\n${json}`,
    ],
    ["two lengths", `${POST}\nHost: localhost\ncontent-length: 1\n${json}`],
    ["the same length twice", `${POST}\nHost: localhost\ncontent-length: ${INITIALIZE.length}\n${json}`],
    ["a length and chunks", `${POST}\nHost: localhost\ntransfer-encoding: chunked\n${json}`],
    ["a header over two lines", `${POST}\nHost: localhost\nX-A: b\n evil\n${json}`],
    ["a Host over two lines", `${POST}\nHost:\n localhost\n${json}`],
    ["a target at another host", `POST http://evil.example/mcp HTTP/1.1\nHost: localhost\n${json}`],
    ["a target at another scheme", `POST file:///mcp HTTP/1.1\nHost: localhost\n${json}`],
    ["a target for everything", `OPTIONS * HTTP/1.1\nHost: localhost`],
    ["no Host", `${POST}\n${json}`],
    ["two sessions", `${POST}\nHost: localhost\nMcp-Session-Id: a\nMcp-Session-Id: b\n${json}`],
  ])("answers %s with 400", async (_what, head) => {
    expect(await askRaw(head, INITIALIZE)).toMatch(/^HTTP\/1\.1 400 /);
    await works();
  });

  it("takes the same request with one of each", async () => {
    expect(
      await askRaw(
        `${POST}\nHost: localhost\naccept: application/json, text/event-stream\n${json}`,
        INITIALIZE,
      ),
    ).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("says why", async () => {
    const said = await askRaw(`${POST}\nHost: localhost\nHost: localhost\n${json}`, INITIALIZE);
    expect(said).toContain('Cannot read the request: it has two \\"host\\" headers');
    expect(said).toContain("MESSAGE_INVALID");
  });
});

describe("addresses that are refused [GW-4]", () => {
  const serveOn = (address: string) =>
    pml(place, ["serve", "--config", config, "--data-dir", `${place.directory}/refused`, "--http", address]);

  // Each is a process.
  it.each(
    sized(["0.0.0.0:0", "[::]:0", "192.0.2.1:7000", "example.org:80"], ["0.0.0.0:0", "example.org:80"]),
  )("does not bind to %s", async (address) => {
    const { code, stderr, stdout } = await serveOn(address);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("[BIND_REFUSED]");
    expect(stderr).toContain("beyond this machine HTTP needs TLS");
  });

  it("says that the port is in use", async () => {
    const { code, stderr } = await serveOn(String(port));
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot serve on 127.0.0.1:${port}: the port is in use [BIND_REFUSED]`);
  });

  it.each(["99999", "port", "-1", "1.2.3.4", ""])("takes --http=%s for wrong usage", async (address) => {
    const { code, stderr } = await pml(place, ["serve", "--config", config, `--http=${address}`]);
    expect({ code, usage: stderr.includes("[USAGE]") || stderr }).toEqual({ code: 2, usage: true });
  });
});
