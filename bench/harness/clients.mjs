/** MCP clients as programs use them: the official v2 client, in either era, over each transport. */
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { pause } from "./workbench.mjs";

const CONNECT_MS = 20_000;
const RETRY_MS = 100;

/** @typedef {"2025" | "2026"} Era */

// The SDK's HTTP client uses one signal for all of its requests, which Node reports as a leak after 1,500 of them.
process.removeAllListeners("warning");
process.on("warning", (warning) => {
  if (warning.name !== "MaxListenersExceededWarning") console.error(warning);
});

/**
 * Starts a server, or a gateway on stdio, and connects to it; with `approves`, the client says yes to every question.
 */
export async function connectStdio(bench, owner, args, era = "2025", { approves = false } = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: bench.env(owner),
    cwd: bench.scratch,
    stderr: "ignore",
  });
  const client = newClient(era, approves ? { elicitation: { form: {} } } : {});
  if (approves)
    client.setRequestHandler("elicitation/create", () => ({
      action: "accept",
      content: { decision: "once" },
    }));
  bench.atEnd(() => client.close());
  await client.connect(transport, { timeout: CONNECT_MS });
  return Object.assign(client, { pid: transport.pid });
}

/** Connects to an endpoint, with retries until it is reachable. */
export async function connectHttp(bench, url, { era = "2025", sse = false } = {}) {
  const until = Date.now() + CONNECT_MS;
  for (;;) {
    const client = newClient(era);
    try {
      const Transport = sse ? SSEClientTransport : StreamableHTTPClientTransport;
      await client.connect(new Transport(new URL(url)), { timeout: CONNECT_MS });
      bench.atEnd(() => client.close());
      return client;
    } catch (error) {
      await client.close().catch(() => {});
      if (Date.now() > until) throw error;
      await pause(RETRY_MS);
    }
  }
}

function newClient(era, capabilities = {}) {
  return new Client(
    { name: "pml-bench", version: "1.0.0" },
    { capabilities, versionNegotiation: { mode: era === "2026" ? { pin: "2026-07-28" } : "legacy" } },
  );
}

/** A function that calls server-everything's `echo` under the name that the gateway gives it; a wrong answer throws. */
export async function echoCaller(client) {
  const until = Date.now() + CONNECT_MS;
  let name;
  while (name === undefined) {
    const { tools } = await client.listTools(undefined, { cacheMode: "bypass" });
    name = tools.map((tool) => tool.name).find((tool) => /(^|[^a-z])echo$/.test(tool));
    if (name === undefined && Date.now() > until)
      throw new Error(`no echo among ${tools.map((tool) => tool.name).join(", ") || "no tools"}`);
    if (name === undefined) await pause(RETRY_MS);
  }
  return async (message = "hi") => {
    const { content } = await client.callTool({ name, arguments: { message: String(message) } });
    if (content[0]?.text !== `Echo: ${message}`) throw new Error(`wrong answer: ${JSON.stringify(content)}`);
  };
}

/** Everything that `pml_execute` returns about a run: fields that an agent does not need are in `_meta`. */
export function wholeAnswer({ structuredContent, _meta }) {
  return { ..._meta?.["pml/run"], ...structuredContent };
}
