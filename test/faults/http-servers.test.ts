/** Real servers over Streamable HTTP and over SSE that die and come back on the same port. */
import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doctor, fixture, newPlace, type ServeClient, serve, until } from "./support/pml.js";

class Remote {
  readonly #kind: string;
  #child: ChildProcess | undefined;
  port = 0;

  constructor(kind: string) {
    this.#kind = kind;
  }

  async start(): Promise<number> {
    const { command, args } = fixture(this.#kind, String(this.port));
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.#child = child;
    this.port = await new Promise<number>((resolve) =>
      child.stdout.once("data", (line) => resolve(Number(String(line)))),
    );
    return child.pid ?? 0;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("exit", resolve));
  }
}

const place = newPlace({ isProcess: true });
const VARIABLES = { env: { KEY: "k3y" } };
const http = new Remote("http");
const sse = new Remote("sse");
let client: ServeClient;
let args: readonly string[];
let pid: Readonly<Record<string, number>>;

beforeAll(async () => {
  pid = { http: await http.start(), sse: await sse.start() };
  const config = place.config({
    mcpServers: {
      healthy: fixture("healthy"),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how a configuration writes a variable.
      http: { url: `http://127.0.0.1:${http.port}/mcp`, headers: { "x-key": "${KEY}" } },
      sse: { type: "sse", url: `http://127.0.0.1:${sse.port}/sse` },
    },
  });
  args = ["--config", config];
  client = await serve(place, args, VARIABLES);
});

afterAll(async () => {
  await http.kill();
  await sse.kill();
});

describe("servers over HTTP [GW-2]", () => {
  it("sends the configured headers", async () => {
    expect(await client.call("http:work")).toEqual({ text: `${pid.http} k3y`, isError: false });
  });

  it("reaches a server of 2024-11-05 over SSE", async () => {
    expect(await client.call("sse:work")).toEqual({ text: `${pid.sse}`, isError: false });
    const { status } = await doctor(place, args, VARIABLES);
    expect(status?.servers.find(({ name }) => name === "sse")).toMatchObject({
      transport: "sse",
      protocolVersion: "2024-11-05",
    });
  });

  it.each(["http:unusable", "http:unusable-stream", "sse:unusable"])(
    "tells at once that the answer of %s cannot be used",
    async (tool) => {
      expect(await client.call(tool)).toMatchObject({ isError: true, code: "TOOL_FAILED" });
    },
  );

  it.each([
    ["http", http],
    ["sse", sse],
  ] as const)(
    "tells that an %s server has died, and reaches it again when it is back",
    async (name, remote) => {
      await remote.kill();
      expect(await client.call(`${name}:work`)).toMatchObject({ isError: true, code: "SERVER_UNAVAILABLE" });
      expect(await client.call("healthy:echo", { text: "here" })).toEqual({ text: "here", isError: false });
      const away = (await client.tools()).find((tool) => tool.name === `mcp__${name}__work`);
      expect(away?._meta?.["pml/unavailable"]).toBe(true);
      const { findings } = await doctor(place, args, VARIABLES);
      expect(findings.find(({ part }) => part === `server ${name}`)).toMatchObject({ state: "problem" });
      const now = await remote.start();
      expect((await client.call(`${name}:work`)).text).toMatch(new RegExp(`^${now}\\b`));
      const back = (await client.tools()).find((tool) => tool.name === `mcp__${name}__work`);
      expect(back?._meta?.["pml/unavailable"]).toBeUndefined();
    },
  );

  it("starts a new session with a server that came back unnoticed", async () => {
    await http.kill();
    const now = await http.start();
    await until("it answers", async () => (await client.call("http:work")).text.startsWith(`${now} `));
    expect(await client.call("healthy:echo", { text: "here" })).toEqual({ text: "here", isError: false });
  });
});
