/**
 * The confidence of a suggestion: tools 0.3, intent 0.3, uniqueness 0.4. Above 0.8 a name may be given without asking a
 * person, so the intent gets most of its share only if it agrees with code that changes something, or says in few words
 * what is done with the data that the code reads.
 *
 * @module
 */
import type { Evidence } from "./action-of.js";
import type { FreeName } from "./free-name.js";
import type { ConfidenceParts } from "./name-suggestion.js";

const TOOLS = 0.3;
const INTENT = 0.3;
const UNIQUENESS = { itself: 0.4, variant: 0.2, number: 0.1 } as const;
/** Similar capabilities exist: they may be merged. */
const NEAR = 0.05;
const MANY_DEMANDS = 3;
const FEW_CLAUSES = 2;

export function confidenceOf(of: {
  /** 0 to 1: how well the namespace follows from the tools. */
  readonly certainty: number;
  readonly evidence: Evidence;
  readonly by: FreeName["by"];
  readonly isNear: boolean;
}): { readonly parts: ConfidenceParts; readonly confidence: number } {
  const parts = {
    tools: rounded(TOOLS * of.certainty),
    intent: rounded(INTENT * clarityOf(of.evidence)),
    uniqueness: rounded(UNIQUENESS[of.by] - (of.isNear ? NEAR : 0)),
  };
  return { parts, confidence: rounded(parts.tools + parts.intent + parts.uniqueness) };
}

/**
 * 0 to 1: how clearly intent and code agree. Code that changes something shows its purpose; for code that only reads, a
 * short intent must say what to do with the data.
 */
export function clarityOf({ from, trust, contradicts, hasEffect, clauses, demands }: Evidence): number {
  if (trust === "none") return 0.1;
  if (contradicts) return 0.2;
  if (trust === "some") return 0.25;
  // The intent has many demands, and a name covers only one.
  if (demands >= MANY_DEMANDS) return 0.3;
  if (hasEffect) return from === "intent" ? 1 : 0.8;
  return from === "intent" && clauses <= FEW_CLAUSES ? 0.85 : 0.3;
}

function rounded(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}
