/**
 * Statistics learnt from runs, and the traces of runs while they are kept.
 *
 * Statistics are updated when a run is written, together with its trace, so they stay when traces are pruned.
 *
 * @module
 */
import type { CapabilityUse, DecisionTaken, LoopPassed, RunTrace } from "./capability-store.js";
import type { Fqdn } from "./fqdn.js";
import type { Scope } from "./scope.js";

/** A path through the code of a version that runs have taken. */
export interface PathTaken {
  readonly path: readonly string[];
  readonly runs: number;
  readonly successes: number;
}

export interface DecisionStatistics {
  readonly nodeId: string;
  /** As written in the code; absent if the structure of the version is not available. */
  readonly condition?: string;
  /** How often each was taken, most often first; several times per run inside a loop. */
  readonly outcomes: readonly { readonly outcome: string; readonly times: number }[];
}

export interface LoopStatistics {
  readonly nodeId: string;
  /** Runs that reached the loop, and its iterations: in total, and the most in one run. */
  readonly runs: number;
  readonly iterations: number;
  readonly fewest: number;
  readonly most: number;
}

/** Statistics over all runs of one version. */
export interface Learning {
  /** Most frequent first, at equal counts the most recent one first. */
  readonly paths: readonly PathTaken[];
  readonly totalPaths: number;
  /** Runs on paths that are no longer distinguished. */
  readonly otherPaths: Omit<PathTaken, "path"> | undefined;
  /** The path of most successful runs, with several the most recent one. */
  readonly dominantPath: readonly string[] | undefined;
  /** In the order of the code. */
  readonly decisions: readonly DecisionStatistics[];
  readonly loops: readonly LoopStatistics[];
}

export interface KeptTask {
  readonly taskId: string;
  readonly tool: string;
  readonly success: boolean;
  /** The status of a graph's task that neither succeeded nor failed: `skipped`. */
  readonly status?: string;
  readonly durationMs: number;
  /** Start time, relative to the start of the run; absent for runs of earlier versions. */
  readonly startMs?: number;
}

/** A run as stored. */
export interface KeptTrace
  extends Omit<RunTrace, "tasks" | "decisions" | "loops" | "argsHash">,
    Partial<Pick<CapabilityUse, "fqdn" | "version">> {
  readonly decisions: readonly DecisionTaken[];
  readonly loops: readonly LoopPassed[];
  readonly tasks: readonly KeptTask[];
}

/** The intent of a use of a capability, and its outcome. */
export interface SucceededIntent {
  readonly fqdn: Fqdn;
  readonly intent: string;
  /** The owner of the run. */
  readonly scope: Scope;
}

/** Selects the runs of a project, optionally of one of its users. */
export type RunsOf = Pick<Scope, "org" | "project"> & { readonly user?: string };

/** Selects runs; default: all. */
export interface RunsFilter {
  readonly fqdn?: Fqdn | undefined;
  readonly success?: boolean | undefined;
  /** Runs that come after this one in the list. */
  readonly after?: Pick<KeptTrace, "executedAt" | "traceId"> | undefined;
}

export interface PruneOptions {
  /** Traces of runs before this time are deleted. */
  readonly before: Date;
  /** How many traces of each capability are kept. */
  readonly perCapability: number;
  /** How many traces of code that is not a capability are kept in each project. */
  readonly withoutCapability: number;
}

/** The port for reading traces and statistics. They are written with the counters of capabilities. */
export interface TraceStore {
  /** The first `most` paths. */
  learning(fqdn: Fqdn, version: number, most: number): Promise<Learning>;
  /** The last runs of a capability, any version, newest first. */
  runsOf(fqdn: Fqdn, whose: RunsOf, most: number): Promise<readonly KeptTrace[]>;
  /** All traces of one run, including inner runs, in the order of their start; the first `most`. */
  ofWorkflow(workflowId: string, whose: RunsOf, most: number): Promise<readonly KeptTrace[]>;
  /** The last top-level runs, newest first; with a filter, only matching ones. */
  latest(whose: RunsOf, most: number, filter?: RunsFilter): Promise<readonly KeptTrace[]>;
  /**
   * From the newest traces: top-level runs of all users, newest first, each once per user; only the newest of each
   * user.
   */
  succeededIntents(most: number, perUser: number): Promise<readonly SucceededIntent[]>;
  /**
   * Deletes traces that are too old or too many, in small steps, and returns how many; statistics stay. Only one of
   * several gateways does it at a time; the others return at once.
   */
  prune(options: PruneOptions): Promise<number>;
}
