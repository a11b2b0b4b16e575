import type { Tool } from "@modelcontextprotocol/server";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";

/**
 * A tool of PML itself: `pml_*` and `cap_*`. A value, so that a test needs no server to run it. Like a real tool it
 * may ask the caller's user something before it answers.
 */
export interface OwnTool {
  /** `pml:discover`, `cap:lookup`: the id that calls may use too. */
  readonly id: string;
  readonly tool: Tool;
  /** For a person at a command alone: not listed, and unknown to everybody else. */
  readonly personOnly?: true;
  /** Called by whoever knows it, and in no list. */
  readonly unlisted?: true;
  run(input: Readonly<Record<string, unknown>>, scope: Scope, caller: Caller): Promise<ServerAnswer>;
}
