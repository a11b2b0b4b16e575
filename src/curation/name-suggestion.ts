/**
 * A name that was thought of for a capability, and why.
 *
 * @module
 */

/** What confidence is the sum of, each between 0 and its weight. */
export interface ConfidenceParts {
  /** How well the namespace follows from the tools: at most 0.3. */
  readonly tools: number;
  /** How clearly intent and code say the same: at most 0.3. */
  readonly intent: number;
  /** Whether the name is free, short, and no other's: at most 0.4. */
  readonly uniqueness: number;
}

export interface NameSuggestion {
  /** Of the subject. */
  readonly id: string;
  /** `namespace:verb_object[_variant]`, valid and free. */
  readonly name: string;
  /** 0 to 1: the sum of its parts. */
  readonly confidence: number;
  readonly parts: ConfidenceParts;
  /** Why this name, each a short English clause a person reads. */
  readonly reasons: readonly string[];
  /** One English sentence of what the code does, for those who search. */
  readonly description: string;
  readonly tags: readonly string[];
  /** Others with the same structure and other literals, by id. */
  readonly near: readonly string[];
  /** The source of the name: `heuristics`, or a model's name. */
  readonly by: string;
}

/** Over this a name is applied without asking a person. */
export const SURE = 0.8;

export function isSure({ confidence }: Pick<NameSuggestion, "confidence">): boolean {
  return confidence > SURE;
}

export interface TakenNames {
  /** Another capability or tool has this display name. */
  isTaken(name: string): boolean;
}
