import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import type { ToolResult } from "../execution/ports/tool-box.js";

/** What a server answered to a call, as runs know it. */
export function toolResultOf({ content, structuredContent, isError }: CallToolResult): ToolResult {
  return {
    content: (content ?? []) as unknown as readonly Json[],
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent: structuredContent as Json }),
  };
}
