import type { Embedder, EmbedderState } from "../discovery/embedder.js";
import { embedderFailed } from "./embedder-failed.js";

/** Discovery by words alone: because nothing else is wanted, or because what is wanted cannot be had. */
export class NoEmbedder implements Embedder {
  readonly id = "none";
  readonly weight = 0;
  readonly state: EmbedderState;
  readonly problem: string | undefined;

  /** @param problem why what is wanted cannot be had */
  constructor(problem?: string) {
    this.problem = problem;
    this.state = problem === undefined ? "none" : "failed";
  }

  embed(): Promise<never> {
    return Promise.reject(embedderFailed("embed a text", this.problem ?? "no model is configured"));
  }

  async close(): Promise<void> {}
}
