import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import type { ToolResult } from "../execution/ports/tool-box.js";
import { wireJson } from "../mcp/real-servers.js";

/** Converts a server's answer to a call into the form for runs. */
export function toolResultOf({ content, structuredContent, isError }: CallToolResult): ToolResult {
  return {
    content: (content ?? []).map(wireJson),
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as Json }),
  };
}

/** A result of PML itself: structured content, and the same as JSON for clients that read text. */
export function structuredResult(content: object, isError = false): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(content) }],
    structuredContent: content as Record<string, unknown>,
    ...(isError ? { isError } : {}),
  };
}
