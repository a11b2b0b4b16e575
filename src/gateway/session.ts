import type { Scope } from "../registry/scope.js";
import type { Exposure } from "./tool-catalogue.js";

/** What a client's connection was opened with. */
export interface Session {
  /** Unlike any other connection's, also of the same client. */
  readonly id: string;
  readonly scope: Scope;
  readonly exposure: Exposure;
}
