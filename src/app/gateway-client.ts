/**
 * An MCP client of the gateway, for commands: what a person does with `pml tools` goes the way of an agent.
 *
 * @module
 */
import { Client, type Tool } from "@modelcontextprotocol/client";
import { VERSION } from "../base/version.js";
import { LineTransport } from "../mcp/line-transport.js";
import { joinGateway } from "./join-gateway.js";
import type { Settings } from "./settings.js";

const CALL_MS = 600_000;

interface ToolCallAnswer {
  readonly isError: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: unknown;
}

export interface GatewayClient {
  listTools(): Promise<readonly Tool[]>;
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolCallAnswer>;
}

/** Joins the gateway, starting it where none runs, and leaves it when `work` is done. */
export async function withGateway<T>(
  settings: Settings,
  work: (client: GatewayClient) => Promise<T>,
): Promise<T> {
  const socket = await joinGateway({ ...settings, exposure: "all" });
  const client = new Client({ name: "pml-cli", version: VERSION });
  try {
    await client.connect(new LineTransport(socket, socket, { endsOutput: true }));
    return await work({
      listTools: async () => (await client.listTools()).tools,
      callTool: async (name, args) => {
        const result = await client.request(
          { method: "tools/call", params: { name, arguments: { ...args } } },
          { timeout: CALL_MS },
        );
        return {
          isError: result.isError === true,
          content: result.content,
          ...("structuredContent" in result ? { structuredContent: result.structuredContent } : {}),
        };
      },
    });
  } finally {
    await client.close();
    socket.destroy();
  }
}
