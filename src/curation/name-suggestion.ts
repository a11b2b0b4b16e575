/**
 * A suggested name for a capability, with its reasons.
 *
 * @module
 */

/** The summands of the confidence, each between 0 and its weight. */
export interface ConfidenceParts {
  /** How well the namespace follows from the tools: at most 0.3. */
  readonly tools: number;
  /** How clearly intent and code agree: at most 0.3. */
  readonly intent: number;
  /** Whether the name is free, short and unlike others: at most 0.4. */
  readonly uniqueness: number;
}

export interface NameSuggestion {
  /** The id of the subject. */
  readonly id: string;
  /** `namespace:verb_object[_variant]`, valid and free. */
  readonly name: string;
  /** 0 to 1: the sum of its parts. */
  readonly confidence: number;
  readonly parts: ConfidenceParts;
  /** The reasons for this name, each a short English clause for people. */
  readonly reasons: readonly string[];
  /** One English sentence about what the code does, for searches. */
  readonly description: string;
  readonly tags: readonly string[];
  /** Others with the same structure and other literals, by id. */
  readonly near: readonly string[];
  /** The source of the name: `heuristics`, or a model's name. */
  readonly by: string;
}

/** Above this a name is applied without asking a person. */
export const SURE = 0.8;

export function isSure({ confidence }: Pick<NameSuggestion, "confidence">): boolean {
  return confidence > SURE;
}

export interface TakenNames {
  /** Whether another capability or tool has this display name. */
  isTaken(name: string): boolean;
}
