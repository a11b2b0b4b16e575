import type { CallToolResult, ListToolsResult, Server, ServerContext } from "@modelcontextprotocol/server";
import { PmlError } from "../../base/pml-error.js";
import { clientCall } from "../client-call.js";
import { toProtocolError, toToolResult } from "../error-mapping.js";
import type { Gateway } from "../gateway.js";
import { invokeTool } from "../invoke-tool.js";
import { pageOf } from "../pages.js";
import type { Session } from "../session.js";
import { type CatalogueEntry, toolKey } from "../tool-catalogue.js";

export async function listTools(
  gateway: Gateway,
  session: Session,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  await gateway.firstServers("tools");
  const tools = await gateway.tools.list(session);
  if (cursor === undefined) gateway.connections.noteSent(session.id, "tools", tools);
  const { items, nextCursor } = pageOf(tools, toolKey, cursor);
  return { tools: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
}

/** What a client sent, as far as it has been looked at. */
export interface ToolCallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

export async function callTool(
  gateway: Gateway,
  session: Session,
  server: Server,
  params: ToolCallParams,
  ctx: ServerContext,
): Promise<CallToolResult> {
  const entry = await findTool(gateway, params.name);
  const { caller, meta, close } = clientCall(server, session.id, ctx);
  try {
    const answer = await invokeTool(gateway, {
      entry,
      args: params.arguments,
      meta,
      scope: session.scope,
      caller,
    });
    if (answer.kind === "input-required") return answer.result as unknown as CallToolResult;
    return server.projectCallToolResult(answer.result as CallToolResult, entry.listed.outputSchema);
  } catch (error) {
    return toToolResult(error);
  } finally {
    await close();
  }
}

async function findTool(gateway: Gateway, name: string): Promise<CatalogueEntry> {
  const entry =
    (await gateway.tools.resolve(name)) ??
    (await gateway.firstServers("tools").then(() => gateway.tools.resolve(name)));
  if (entry !== undefined) return entry;
  const like = await gateway.tools.nearest(name);
  throw toProtocolError(
    new PmlError(
      "TOOL_NOT_FOUND",
      `Unknown tool: "${name.slice(0, 200)}"${like.length === 0 ? "" : `. Did you mean ${like.map((text) => `"${text}"`).join(" or ")}?`}`,
      {
        hint: "tools/list has the names of all tools; ids such as server:tool work too.",
        data: { nearest: like },
      },
    ),
  );
}
