export interface Token {
  readonly kind: "word" | "punctuation" | "string" | "template" | "regex";
  /** Strings and templates without their quotes, escapes as written. */
  readonly text: string;
  readonly line: number;
}

/** Stands in a template's text for each of its `${…}`. */
export const HOLE: string;

/** Comments and white space are dropped; a template with its `${…}` is one token. */
export function tokenize(text: string): readonly Token[];

/** The index of the bracket that closes the one at `open`, or the last index when none does. */
export function closingIndex(tokens: readonly Token[], open: number): number;
