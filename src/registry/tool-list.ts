/**
 * What is stored of a list of tools between starts: how much is listed, and in which order.
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

/** By scope and role, as one text. */
export interface ToolListStore {
  load(): Promise<ReadonlyMap<string, ToolListState>>;
  save(key: string, state: ToolListState): Promise<void>;
}
