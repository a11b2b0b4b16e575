/**
 * The facts that a name is made from: one capability, and the tools it calls.
 *
 * @module
 */
import { toolIdParts } from "../registry/tool-id.js";

/** A tool that the code calls. */
export interface NamedTool {
  /** `server:tool`. */
  readonly id: string;
  /** The tool's own description. */
  readonly description?: string;
  /** The server's self-description: its title, its instructions. */
  readonly about?: string;
}

/** A capability that the code calls. */
export interface NamedCallee {
  /** Every name that code may call it by. */
  readonly names: readonly string[];
  /** What a call of it does: itself as `namespace:action`, the tools that it reaches, or nothing that may be shown. */
  readonly does: readonly NamedTool[];
}

export interface NamingSubject {
  /** The id of the capability; only compared. */
  readonly id: string;
  /** The intent given with the code; may be empty, long, French, or misleading. */
  readonly intent: string;
  /** As written. */
  readonly code: string;
  /** In the order of the first calls. */
  readonly tools: readonly NamedTool[];
  readonly callees?: readonly NamedCallee[];
  /** The names in its JSON Schema. */
  readonly parameters: readonly string[];
}

/** The parts of a tool's id, or of a server's name alone. */
export function splitId(id: string): { readonly server: string; readonly tool: string } {
  const [server, tool] = toolIdParts(id) ?? [id, ""];
  return { server, tool };
}
