import type { Scope } from "./scope.js";

export interface CountedRuns {
  readonly total: number;
  readonly failed: number;
}

/** How many runs there were, as far as they are remembered; not those inside other runs. */
export interface RunCounts {
  since(of: Pick<Scope, "org" | "project">, time: Date): Promise<CountedRuns>;
}
