import type { Scope } from "./scope.js";

/** The server id for the usage of capabilities. */
export const CAPABILITY_SERVER = "pml-capabilities";

/** One call through the gateway in the form of `tool_usage`. Never the arguments, never the result. */
export interface UsageRow {
  /** The real server; `pml-capabilities` for capabilities, `pml-std` for management tools. */
  readonly serverId: string;
  readonly toolName: string;
  readonly org: string;
  readonly project: string;
  readonly user: string;
  readonly calledAt: Date;
  readonly durationMs: number;
  readonly success: boolean;
  /** A PML error code, or `isError` if the tool itself reported the failure. */
  readonly errorCode?: string;
}

export interface UsageTotals {
  readonly serverId: string;
  readonly toolName: string;
  readonly calls: number;
  readonly successes: number;
  readonly totalDurationMs: number;
  readonly lastCalledAt: Date;
}

/** The port to the storage of usage. Both implementations pass `test/suites/usage-store.suite.ts`. */
export interface UsageStore {
  /** Adds all rows or none. */
  add(rows: readonly UsageRow[]): Promise<void>;
  /** Per tool, most calls first, then by name; of one project if one is given. */
  totals(of?: Pick<Scope, "org" | "project">): Promise<readonly UsageTotals[]>;
  /** Deletes rows older than `before`, returns how many. */
  prune(before: Date): Promise<number>;
}

/** One call of a capability, from any kind of caller. */
export function capabilityUsage(
  name: string,
  scope: Scope,
  call: Pick<UsageRow, "calledAt" | "durationMs" | "success" | "errorCode">,
): UsageRow {
  return { serverId: CAPABILITY_SERVER, toolName: name, ...scope, ...call };
}

export interface CountedRuns {
  readonly total: number;
  readonly failed: number;
}

/** The number of runs that are still stored, without inner runs. */
export interface RunCounts {
  since(of: Pick<Scope, "org" | "project">, time: Date): Promise<CountedRuns>;
}
