import type { Tool } from "@modelcontextprotocol/server";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";

/**
 * A tool of PML itself: `pml_*` and `cap_*`. A value, so that a test needs no server to run it. Like a real tool it
 * may ask the caller's user something before it answers.
 */
export type OwnTool = OwnToolParts &
  (
    | { readonly personOnly?: never; readonly decides?: Decides }
    /** For a person at a command alone: not listed, and unknown to everybody else. */
    | { readonly personOnly: true; readonly decides: Decides }
  );

/**
 * Whether a call by a command of a person is a decision, which the `DecisionGate` has to admit. Reading, and what only
 * takes something back, is none. The input is not checked yet: what is not known to be harmless is a decision.
 */
type Decides = (input: Readonly<Record<string, unknown>>) => boolean;

/** For tools that only show something, or that change nothing that a person is asked about. */
export const decidesNothing: Decides = () => false;

/** Clients that search tools instead of showing them all to the model always show it these. */
export const ALWAYS_LOADED = { "anthropic/alwaysLoad": true };

interface OwnToolParts {
  /** `pml:discover`, `cap:lookup`: the id that calls may use too. */
  readonly id: string;
  readonly tool: Tool;
  /** Called by whoever knows it, and in no list. */
  readonly unlisted?: true;
  run(input: Readonly<Record<string, unknown>>, scope: Scope, caller: Caller): Promise<ServerAnswer>;
}
