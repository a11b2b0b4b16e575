/**
 * What a name is made from: everything that is known of one capability, and of the tools it calls.
 *
 * @module
 */

/** A tool that the code calls. */
export interface NamedTool {
  /** `server:tool`. */
  readonly id: string;
  /** What the tool says of itself. */
  readonly description?: string;
  /** What its server says of itself: its title, its instructions. */
  readonly about?: string;
}

export interface NamingSubject {
  /** Of the capability; only compared. */
  readonly id: string;
  /** What somebody wanted when the code was written; may be empty, long, French, or misleading. */
  readonly intent: string;
  /** As it was written. */
  readonly code: string;
  /** In the order of the first calls. */
  readonly tools: readonly NamedTool[];
  /** Of its JSON Schema. */
  readonly parameters: readonly string[];
}
