/**
 * The tools of real servers as code in the sandbox reaches them: through the one door that clients use too.
 *
 * @module
 */

import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import type { EventStream } from "../base/event-stream.js";
import { PmlError } from "../base/pml-error.js";
import { isDeprecated } from "../discovery/deprecated.js";
import type { CallContext, KnownTool, ToolBox, ToolResult } from "../execution/tool-box.js";
import type { OfferedTool, RealServers } from "../mcp/real-servers.js";
import { type ServerName, type ToolId, toolId } from "../registry/tool-id.js";
import { invokeTool, type ToolInvoker } from "./invoke-tool.js";
import { type ToolPinEvents, type ToolPins, whatChanged } from "./tool-pins.js";
import { toolResultOf } from "./tool-result.js";

export interface GatewayToolBoxOptions {
  readonly invoker: ToolInvoker;
  /** Whether what a server says about its tools is believed. */
  readonly isTrusted: (server: ServerName) => boolean;
  /** What the results of a tool have looked like; the hash says which tool had that id. */
  readonly observedOutput?: (id: ToolId, hash: string) => Json | undefined;
  /** How long code waits for servers that are still starting. */
  readonly settleMs: number;
  /** What may be shown of tools that are not what they were. */
  readonly pins?: Pick<ToolPins, "shown">;
  readonly events: Pick<EventStream<ToolPinEvents>, "on">;
}

interface Offered {
  readonly known: KnownTool;
  readonly offered: OfferedTool;
}

export class GatewayToolBox implements ToolBox {
  readonly #options: GatewayToolBoxOptions;
  readonly #servers: RealServers;
  #offered: ReadonlyMap<string, Offered> | undefined;
  #tools: readonly KnownTool[] = [];

  constructor(options: GatewayToolBoxOptions) {
    this.#options = options;
    this.#servers = options.invoker.servers;
    this.#servers.listen({
      offerChanged: () => {
        this.#offered = undefined;
      },
      resourceUpdated() {},
      logged() {},
    });
    options.events.on("tools.shown", () => {
      this.#offered = undefined;
    });
  }

  tools(): readonly KnownTool[] {
    this.#current();
    return this.#tools;
  }

  known(id: ToolId): KnownTool | undefined {
    return this.#current().get(id)?.known;
  }

  settled(): Promise<void> {
    return this.#servers.settled("tools", this.#options.settleMs);
  }

  async call(
    { id, server }: KnownTool,
    args: Readonly<Record<string, Json>>,
    { scope, connection, client, signal }: CallContext,
  ): Promise<ToolResult> {
    const entry = this.#current().get(id);
    if (entry === undefined) throw new PmlError("TOOL_NOT_FOUND", `The tool "${id}" no longer exists`);
    const { tool, hash } = entry.offered;
    const answer = await invokeTool(this.#options.invoker, {
      entry: { kind: "real", id, server, tool, hash, listed: tool },
      args,
      meta: undefined,
      scope,
      // A question to the client's user would have to wait inside of a run; servers are told that nobody answers.
      caller: {
        connection,
        ...(client === undefined ? {} : { client }),
        capabilities: {},
        signal,
        onLog() {},
      },
    });
    if (answer.kind === "input-required")
      throw new PmlError("TOOL_FAILED", `"${id}" asks the user a question, which code cannot answer`, {
        hint: "Call the tool directly.",
      });
    return toolResultOf(answer.result as CallToolResult);
  }

  #current(): ReadonlyMap<string, Offered> {
    if (this.#offered !== undefined) return this.#offered;
    const transports = new Map(this.#servers.statuses().map(({ name, transport }) => [name, transport]));
    const offered = new Map<string, Offered>();
    for (const { server, tools } of this.#servers.offers()) {
      const transport = transports.get(server) ?? "stdio";
      const trusted = this.#options.isTrusted(server);
      for (const one of tools) {
        const id = toolId(server, one.tool.name);
        const { offered: shown, quarantined } = this.#options.pins?.shown(id, one) ?? { offered: one };
        offered.set(id, {
          offered: shown,
          known: {
            ...knownOf(shown),
            ...this.#observed(id, shown),
            id,
            server,
            transport,
            trusted,
            ...(quarantined === undefined ? {} : { quarantined: whatChanged(quarantined) }),
          },
        });
      }
    }
    this.#offered = offered;
    this.#tools = Array.from(offered.values(), ({ known }) => known);
    return offered;
  }

  #observed(id: ToolId, { tool, hash }: OfferedTool): Pick<KnownTool, "observedOutput"> {
    const { observedOutput } = this.#options;
    if (observedOutput === undefined || tool.outputSchema !== undefined) return {};
    return { observedOutput: () => observedOutput(id, hash) };
  }
}

function knownOf({ tool, hash }: OfferedTool): Omit<KnownTool, "id" | "server" | "transport" | "trusted"> {
  const { name, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    hash,
    ...(description === undefined ? {} : { description }),
    ...(isDeprecated(description ?? "") ? { isDeprecated: true } : {}),
    inputSchema: inputSchema as unknown as Json,
    ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as unknown as Json }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}
