/**
 * The port to a model that refines names, behind an API or behind the calling client.
 *
 * @module
 */

/** The description of one capability for a model: limited in length, and without values that may be secret. */
export interface NamingBrief {
  /** `1`, `2`, …: PML's ids mean nothing to a model. */
  readonly key: string;
  readonly intent: string;
  readonly code: string;
  readonly tools: readonly string[];
  readonly suggestedName: string;
}

/** A model's answer to one brief; nothing in it is trusted. */
export interface NamingAnswer {
  readonly key: string;
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

export interface NameModel {
  /** The name for display: `claude-haiku-…`, `sampling`. */
  readonly name: string;
  /**
   * Throws if there is no usable answer: unreachable, refused, too late, invalid. Briefs without an answer are omitted.
   */
  refine(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<readonly NamingAnswer[]>;
}
