import type { Tool } from "@modelcontextprotocol/server";
import { cleanTexts } from "../mcp/clean-text.js";
import type { OfferedTool } from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";
import type { ToolPin } from "../registry/tool-store.js";

/** What each server offered when it was last seen: its pins but for those of tools that had gone by then. */
export function rememberedTools(pins: readonly ToolPin[]): ReadonlyMap<ServerName, readonly OfferedTool[]> {
  const servers = new Map<ServerName, ToolPin[]>();
  for (const pin of pins) servers.set(pin.server, [...(servers.get(pin.server) ?? []), pin]);
  return new Map([...servers].map(([server, known]) => [server, offered(known)]));
}

function offered(pins: readonly ToolPin[]): readonly OfferedTool[] {
  // All tools of one listing were seen at the same moment.
  const last = Math.max(...pins.map(({ lastSeenAt }) => lastSeenAt.getTime()));
  return pins
    .filter(({ lastSeenAt }) => lastSeenAt.getTime() === last)
    .map(({ currentTool, currentHash }) => ({
      tool: cleanTexts(currentTool as unknown as Tool),
      raw: currentTool,
      hash: currentHash,
    }));
}
