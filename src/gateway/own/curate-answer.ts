/**
 * What `cap_curate` answers, as it stands in `structuredContent`.
 *
 * @module
 */
import type { ErrorShape } from "../../base/pml-error.js";
import type { ConfidenceParts } from "../../curation/name-suggestion.js";
import type { WithWarnings } from "./answers.js";

/** One name that was thought of. */
export interface NameSuggestionRow {
  /** UUID of the pattern: what `apply` takes, like any other form of the name. */
  readonly id: string;
  readonly currentName: string;
  readonly suggestedName: string;
  /** Between 0 and 1; `auto` applies what is over 0.8. */
  readonly confidence: number;
  /** Why this name. */
  readonly reasoning: string;
  /** What the code does. */
  readonly description: string;
  readonly tags: readonly string[];
  /** The model that thought of it; heuristics did where it is left out. */
  readonly by?: string;
  /** What these are called now: the same structure, other literals. */
  readonly near?: readonly string[];
  /** Where one has to look closer, or with `detail: "full"`: what it was run for, what it calls, and its code, cut. */
  readonly intent?: string;
  readonly tools?: readonly string[];
  readonly code?: string;
  /** With `detail: "full"`. */
  readonly usageCount?: number;
  readonly parts?: ConfidenceParts;
}

/** `cap_curate` with mode `suggest`. */
export interface SuggestAnswer extends WithWarnings {
  readonly mode: "suggest";
  readonly suggestions: readonly NameSuggestionRow[];
  /** On all pages together. */
  readonly total: number;
  /** Where the next page begins; left out on the last one. */
  readonly next_offset?: number;
  /** What to do with them. */
  readonly hint?: string;
}

export interface AppliedName {
  readonly id: string;
  /** What it was called, and still answers to. */
  readonly from: string;
  readonly name: string;
  readonly confidence: number;
  readonly by?: string;
}

export interface NameLeft {
  readonly id: string;
  readonly currentName: string;
  readonly suggestedName: string;
  readonly confidence: number;
  readonly why: string;
}

/** `cap_curate` with mode `auto`. */
export interface AutoAnswer extends WithWarnings {
  readonly mode: "auto";
  readonly applied: readonly AppliedName[];
  /** The first of those that keep the name that they have. */
  readonly left: readonly NameLeft[];
  readonly left_total: number;
  /** How many fit the filter and were not looked at: call again. */
  readonly others?: number;
}

/** What became of one of the renames. */
export interface RenameResult {
  /** As it was given. */
  readonly id: string;
  readonly ok: boolean;
  readonly from?: string;
  readonly name?: string;
  /** Never changes. */
  readonly fqdn?: string;
  readonly error?: ErrorShape;
}

/** `cap_curate` with mode `apply`. */
export interface ApplyAnswer extends WithWarnings {
  readonly mode: "apply";
  /** In the order of the renames. */
  readonly results: readonly RenameResult[];
  readonly applied: number;
  readonly failed: number;
}
