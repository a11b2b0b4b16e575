import type { WireName } from "./wire-name.js";

/** One row of the wire-name table: an id and its name. */
export interface WireNameEntry {
  /** `server:tool`, or the id of anything else that is listed. */
  readonly id: string;
  readonly name: WireName;
}

/**
 * Where given wire names are kept (table `wire_name`), so that a name once given stays with its id.
 * Both implementations pass `test/suites/wire-name-store.suite.ts`.
 */
export interface WireNameStore {
  load(): Promise<readonly WireNameEntry[]>;
  /**
   * Keeps new entries. An id or a folded name that is kept already stays as it is, whoever comes second, but that a
   * capability loses its name to a real tool;
   * the answer is what the table holds now for these ids (an id whose name was taken is missing from it).
   */
  keep(entries: readonly WireNameEntry[]): Promise<readonly WireNameEntry[]>;
}
