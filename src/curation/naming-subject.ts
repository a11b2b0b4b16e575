/**
 * What a name is made from: everything that is known of one capability, and of the tools it calls.
 *
 * @module
 */
import { toolIdParts } from "../registry/tool-id.js";

/** A tool that the code calls. */
export interface NamedTool {
  /** `server:tool`. */
  readonly id: string;
  /** What the tool says of itself. */
  readonly description?: string;
  /** What its server says of itself: its title, its instructions. */
  readonly about?: string;
}

/** A capability that the code calls. */
export interface NamedCallee {
  /** Every name that code may call it by. */
  readonly names: readonly string[];
  /** What a call of it does: itself as `namespace:action`, the tools that it reaches, or nothing that may be told. */
  readonly does: readonly NamedTool[];
}

export interface NamingSubject {
  /** Of the capability; only compared. */
  readonly id: string;
  /** The intent given with the code; may be empty, long, French, or misleading. */
  readonly intent: string;
  /** As it was written. */
  readonly code: string;
  /** In the order of the first calls. */
  readonly tools: readonly NamedTool[];
  readonly callees?: readonly NamedCallee[];
  /** Of its JSON Schema. */
  readonly parameters: readonly string[];
}

/** The parts of a tool's id, or of a server's name alone. */
export function splitId(id: string): { readonly server: string; readonly tool: string } {
  const [server, tool] = toolIdParts(id) ?? [id, ""];
  return { server, tool };
}
