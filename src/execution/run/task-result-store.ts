/**
 * The port to where results of tasks are kept.
 *
 * @module
 */
import type { Scope } from "../../registry/scope.js";

export interface ResultKey {
  readonly workflowId: string;
  readonly taskId: string;
}

export interface KeptResult extends ResultKey {
  /** Who asked for the run. */
  readonly scope: Scope;
  readonly expiresAt: Date;
  /** JSON, without white space. Left out where it is not kept, and `notKept` says why. */
  readonly text?: string;
  readonly notKept?: string;
}

export interface StoredPage {
  readonly scope: Scope;
  readonly expiresAt: Date;
  /** Left out where it was not kept, or is gone. */
  readonly content?: string;
  /** Characters of the whole text. */
  readonly total: number;
  readonly notKept?: string;
}

/** What is known of a run beside its results. */
export interface RunOfResults {
  readonly scope: Scope;
  /** Also those whose results are gone, or that have none; by id. */
  readonly tasks: readonly string[];
  /** Left out while the run is not traced yet. */
  readonly ranAt?: Date;
}

/** Passes `test/suites/task-result-store.suite.ts` on both databases. */
export interface TaskResultStore {
  /** All or none. A later result of the same task takes the place of the earlier. */
  add(results: readonly KeptResult[]): Promise<void>;
  /** Some characters of a text; `offset` may be past its end. */
  page(key: ResultKey, offset: number, limit: number): Promise<StoredPage | undefined>;
  whole(key: ResultKey): Promise<StoredPage | undefined>;
  run(workflowId: string): Promise<RunOfResults | undefined>;
  /** Takes out the results that expired before `now`, and forgets what expired before `forget`; answers how many. */
  prune(now: Date, forget: Date): Promise<number>;
}
