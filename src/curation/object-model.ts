/**
 * The port to the model that chooses the words after the verb of a name.
 *
 * @module
 */
import type { WordVectors } from "../discovery/embedder.js";

/** A possible word of a name. */
export interface Candidate {
  /** Equal for singular and plural. */
  readonly key: string;
  /** In its first spelling. */
  readonly word: string;
  /** Whether the intent has it. */
  readonly isSaid: boolean;
  /** Its index among the words of the intent, or else among those of tools and code. */
  readonly at: number;
  /** Its features, as the model's numbers. */
  readonly facts: readonly number[];
}

/** The source of a name in the form for the model. */
export interface NamingSource {
  readonly candidates: readonly Candidate[];
  /** The input of the encoder: the intent, and the words of tools and code. */
  readonly intent: readonly string[];
  readonly rest: readonly string[];
}

export interface SourceVectors {
  readonly intent: WordVectors;
  readonly rest: WordVectors;
}

export interface ScoredWord extends Omit<Candidate, "facts"> {
  readonly probability: number;
  /** The base verb of this form. */
  readonly verb: string | undefined;
  /** Only implied by the intent (`past their due date`: overdue), with its probability. */
  readonly implied?: number;
}

export interface ObjectModel {
  /** @param intent in English */
  read(intent: string, tools: readonly string[], code: string): NamingSource;
  /** All possible words after this verb, most likely first. Without vectors, only features are used. */
  score(source: NamingSource, verb: string, vectors?: SourceVectors): readonly ScoredWord[];
}

/** One of the two may have no words, and so no vectors. */
export function sourceVectors(intent?: WordVectors, rest?: WordVectors): SourceVectors | undefined {
  const some = intent ?? rest;
  if (some === undefined) return undefined;
  const none: WordVectors = { text: new Float32Array(some.text.length), words: [] };
  return { intent: intent ?? none, rest: rest ?? none };
}
