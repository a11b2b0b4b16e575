/**
 * The tools of real servers as code in the sandbox reaches them: through the one door that clients use too.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import { PmlError } from "../base/pml-error.js";
import type { CallContext, KnownTool, ToolBox, ToolResult } from "../execution/ports/tool-box.js";
import { invokeTool, type ToolInvoker } from "./invoke-tool.js";
import type { ToolInventory } from "./tool-inventory.js";
import { toolResultOf } from "./tool-result.js";

/** Code waits up to `settleMs` for servers that are still starting. */
export function gatewayToolBox(inventory: ToolInventory, invoker: ToolInvoker, settleMs: number): ToolBox {
  return {
    tools: () => inventory.tools(),
    settled: () => invoker.servers.settled("tools", settleMs),
    async call(
      { id, server }: KnownTool,
      args: Readonly<Record<string, Json>>,
      { scope, connection, client, signal }: CallContext,
    ): Promise<ToolResult> {
      const found = inventory.snapshot().byId.get(id);
      if (found === undefined) throw new PmlError("TOOL_NOT_FOUND", `The tool "${id}" is gone`);
      const { tool, hash } = found.shown;
      const answer = await invokeTool(invoker, {
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
        throw new PmlError("TOOL_FAILED", `"${id}" asks its user something, which code cannot answer`, {
          hint: "Call the tool directly.",
        });
      return toolResultOf(answer.result as CallToolResult);
    },
  };
}
