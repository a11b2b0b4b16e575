import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import type { ToolResult } from "../execution/ports/tool-box.js";
import { wireJson } from "../mcp/real-servers.js";

/** What a server answered to a call, as runs know it. */
export function toolResultOf({ content, structuredContent, isError }: CallToolResult): ToolResult {
  return {
    content: (content ?? []).map(wireJson),
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as Json }),
  };
}

/** A result of PML itself: the structured content, and the same as JSON for clients that read text. */
export function structuredResult(content: object, isError = false): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(content) }],
    structuredContent: content as Record<string, unknown>,
    ...(isError ? { isError } : {}),
  };
}
