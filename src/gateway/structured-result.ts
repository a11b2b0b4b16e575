import type { CallToolResult } from "@modelcontextprotocol/server";

/** A result of ours: the structured content, and the same as JSON for clients that read text. */
export function structuredResult(content: object, isError = false): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(content) }],
    structuredContent: content as Record<string, unknown>,
    ...(isError ? { isError } : {}),
  };
}
