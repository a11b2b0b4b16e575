/**
 * The stored state of a list of tools between starts: its mode and its order.
 *
 * @module
 */

/** `all`: every tool. `lean`: the two entry points and the most useful capabilities. */
export type ListMode = "all" | "lean";

export interface ToolListState {
  readonly mode: ListMode;
  /** Ids of capabilities, most useful first. */
  readonly ranked: readonly string[];
  /** Ids of capabilities that were named since then, oldest first. */
  readonly fresh: readonly string[];
  readonly rankedAt: Date;
}

/** By scope and role, as one key. */
export interface ToolListStore {
  load(): Promise<ReadonlyMap<string, ToolListState>>;
  save(key: string, state: ToolListState): Promise<void>;
}
