import type { Scope } from "../registry/scope.js";

/** `all`: everything in one list. `lean`: PML's own tools only; everything stays callable. */
export type Exposure = "all" | "lean";

/** What a listing depends on beside configuration and store: never who asks, or when they connected. */
export interface View {
  readonly scope: Scope;
  readonly exposure: Exposure;
}

/** What a client's connection was opened with. */
export interface Session extends View {
  /** Unlike any other connection's, also of the same client. */
  readonly id: string;
  /** A person at a command, not an agent: what history says about who did something. */
  readonly byPerson?: boolean;
}
