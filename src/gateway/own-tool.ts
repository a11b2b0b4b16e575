import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Scope } from "../registry/scope.js";

/** What a tool of PML itself is told about the request. */
interface OwnToolContext {
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

/** A tool of PML itself: `pml_*` and `cap_*`. A value, so that a test needs no server to run it. */
export interface OwnTool {
  /** `pml:discover`, `cap:lookup`: the id that calls may use too. */
  readonly id: string;
  readonly tool: Tool;
  run(input: Readonly<Record<string, unknown>>, context: OwnToolContext): Promise<CallToolResult>;
}
