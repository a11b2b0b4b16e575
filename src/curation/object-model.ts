/**
 * The port to the model that chooses the words behind the verb of a name.
 *
 * @module
 */
import type { WordVectors } from "../discovery/embedder.js";

/** A word that a name may have. */
export interface Candidate {
  /** One for both numbers of a noun. */
  readonly key: string;
  /** As it is first written. */
  readonly word: string;
  /** Whether the intent has it. */
  readonly isSaid: boolean;
  /** Its place among the words of the intent, or else among those of tools and code. */
  readonly at: number;
  /** What is known of it, in the numbers of the model. */
  readonly facts: readonly number[];
}

/** What a name is made from, as the model reads it. */
export interface NamingSource {
  readonly candidates: readonly Candidate[];
  /** What the encoder reads: the intent, and the words of tools and code. */
  readonly intent: readonly string[];
  readonly rest: readonly string[];
}

export interface SourceVectors {
  readonly intent: WordVectors;
  readonly rest: WordVectors;
}

export interface ScoredWord extends Omit<Candidate, "facts"> {
  readonly probability: number;
  /** The verb that it is a form of. */
  readonly verb: string | undefined;
  /** Only implied by the intent (`past their due date`: overdue), and how surely. */
  readonly implied?: number;
}

export interface ObjectModel {
  /** @param intent in English */
  read(intent: string, tools: readonly string[], code: string): NamingSource;
  /** All words that a name may have behind this verb, the likeliest first. Without vectors, facts alone decide. */
  score(source: NamingSource, verb: string, vectors?: SourceVectors): readonly ScoredWord[];
}

/** One of the two may have no words, and so no vectors. */
export function sourceVectors(intent?: WordVectors, rest?: WordVectors): SourceVectors | undefined {
  const some = intent ?? rest;
  if (some === undefined) return undefined;
  const none: WordVectors = { text: new Float32Array(some.text.length), words: [] };
  return { intent: intent ?? none, rest: rest ?? none };
}
