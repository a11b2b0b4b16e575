/**
 * How PML's own tools answer: the structured content, and the same as JSON text.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { ServerAnswer } from "../../mcp/real-servers.js";

export function ownAnswer(structuredContent: object, isError = false): ServerAnswer {
  const result: CallToolResult = {
    content: [{ type: "text", text: JSON.stringify(structuredContent) }],
    structuredContent: structuredContent as Record<string, unknown>,
    ...(isError ? { isError } : {}),
  };
  return { kind: "result", result };
}
