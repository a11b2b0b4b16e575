/**
 * The port to an embedding model, which turns texts into vectors.
 *
 * @module
 */
import type { VectorProgress } from "./vector-keeper.js";

/** Models may need another form for a query than for a document. */
export type EmbeddedKind = "query" | "document";

/** `cold` loads at the first request. `none` never answers. */
export type EmbedderState = "none" | "cold" | "loading" | "ready" | "failed";

export interface Background {
  readonly mean: number;
  readonly deviation: number;
}

/** Unit vectors of words in their context, and of the whole text; zeros for words beyond the model's limit. */
export interface WordVectors {
  readonly text: Float32Array;
  readonly words: readonly Float32Array[];
}

export interface Embedder {
  /** Identifies the model and everything else that affects its vectors; vectors of two ids are never compared. */
  readonly id: string;
  /** The weight of its score relative to the score by words, between 0 and 1. */
  readonly weight: number;
  /** Mean and deviation of the cosines of unrelated texts, if they are known for the model. */
  readonly background?: Background | undefined;
  readonly state: EmbedderState;
  /** Why it has failed. */
  readonly problem: string | undefined;
  /** Unit vectors of equal length, one for each text. Rejects with `EMBEDDER_FAILED`. */
  embed(texts: readonly string[], kind: EmbeddedKind, signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** Only for a local model. The words contain no spaces. Rejects with `EMBEDDER_FAILED`. */
  embedWords?(words: readonly string[], signal?: AbortSignal): Promise<WordVectors>;
  /** Ends everything it has started; it cannot be used afterwards. */
  close(): Promise<void>;
}

/** Plain data, because it goes through the local socket. */
export interface EmbedderStatus extends VectorProgress {
  readonly id: string;
  readonly state: EmbedderState;
  readonly problem?: string;
  /** Kinds of vectors that the database searches instead of memory: tools, capabilities, intents. */
  readonly outside?: readonly string[];
  /** Why the database cannot do so, if it is a server. */
  readonly noOutside?: string;
}

/** The text for people. */
interface EmbedderReport {
  readonly state: "ok" | "warning";
  readonly detail: string;
  readonly advice?: string;
}

/** The status of the embedder, for `pml doctor` and for programs. */
export function embedderStatus(
  embedder: Embedder,
  { known, pending }: VectorProgress,
  outside: readonly string[] = [],
): EmbedderStatus {
  const { id, state, problem } = embedder;
  return { id, state, known, pending, outside, ...(problem === undefined ? {} : { problem }) };
}

const SAYS: Readonly<Record<Exclude<EmbedderState, "none" | "failed">, string>> = {
  cold: "model idle (loads on first search)",
  loading: "loading",
  ready: "ready",
};

/** Nothing here is a blocking problem: the search by words works without any model. */
export function describeEmbedder(status: EmbedderStatus): EmbedderReport {
  const { id, state, problem, known, pending } = status;
  if (state === "none") return { state: "ok", detail: "no model: search uses words only" };
  const progress = `${known} of ${known + pending} descriptions indexed`;
  if (state === "failed")
    return {
      state: "warning",
      detail: `${id === "none" ? "" : `${id}: `}${problem ?? "it does not answer"}; search uses words only`,
      advice: "Check discovery.embedder in the configuration",
    };
  const trouble = problem === undefined ? "" : `; ${problem}`;
  return {
    state: problem === undefined ? "ok" : "warning",
    detail: `${id}: ${SAYS[state]}${trouble}; ${progress}, ${placeOf(status)}`,
  };
}

function placeOf({ outside = [], noOutside }: EmbedderStatus): string {
  const place =
    outside.length === 0
      ? "vectors searched in memory"
      : `pgvector searches vectors of ${outside.join(" and ")}`;
  return noOutside === undefined ? place : `${place} (${noOutside}, needed only for very many vectors)`;
}
