/**
 * How the embedder is, for `pml doctor` and for programs.
 *
 * @module
 */
import type { Embedder, EmbedderState } from "./embedder.js";
import type { VectorProgress } from "./vector-keeper.js";

/** Plain data, because it goes through the local socket. */
export interface EmbedderStatus extends VectorProgress {
  readonly id: string;
  readonly state: EmbedderState;
  readonly problem?: string;
  /** What is searched by the database, and not in memory: tools, capabilities, intents. */
  readonly outside?: readonly string[];
  /** Why the database could not do so, where it is a server. */
  readonly noOutside?: string;
}

/** What a person is told. */
export interface EmbedderReport {
  readonly state: "ok" | "warning";
  readonly detail: string;
  readonly advice?: string;
}

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

/** Nothing here is a problem that stops anybody: words find tools without any model. */
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
