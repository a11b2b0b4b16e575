import type { ServerAnswer } from "../../mcp/real-servers.js";
import { structuredResult } from "../structured-result.js";

/** How PML's own tools answer. */
export function ownAnswer(content: object, isError = false): ServerAnswer {
  return { kind: "result", result: structuredResult(content, isError) };
}
