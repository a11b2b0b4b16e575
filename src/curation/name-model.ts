/**
 * What may refine names: a model, behind an API or behind the client that asked.
 *
 * @module
 */

/** What a model is told of one capability: bounded, and without values that may be secret. */
export interface NamingBrief {
  /** `1`, `2`, …: PML's ids mean nothing to a model. */
  readonly key: string;
  readonly intent: string;
  readonly code: string;
  readonly tools: readonly string[];
  readonly suggestedName: string;
}

/** What a model said of one brief; nothing of it is trusted. */
export interface NamingAnswer {
  readonly key: string;
  readonly name: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

export interface NameModel {
  /** As it is shown: `claude-haiku-…`, `sampling`. */
  readonly name: string;
  /**
   * Throws where there is no usable answer: unreachable, refused, late, not what was asked for. Briefs that it said
   * nothing of are left out.
   */
  refine(briefs: readonly NamingBrief[], signal: AbortSignal): Promise<readonly NamingAnswer[]>;
}
