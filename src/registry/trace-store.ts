/**
 * What was learnt from runs, and the traces of runs for as long as they are kept.
 *
 * Learning is counted when a run is written, together with its trace, so it stays when traces are pruned.
 *
 * @module
 */
import type { CapabilityUse, DecisionTaken, LoopPassed, RunTrace } from "./capability-store.js";
import type { Fqdn } from "./fqdn.js";
import type { Scope } from "./scope.js";

/** A way through the code of a version that runs have taken. */
export interface PathTaken {
  readonly path: readonly string[];
  readonly runs: number;
  readonly successes: number;
}

export interface DecisionStatistics {
  readonly nodeId: string;
  /** As it is written in the code; left out where the structure of the version is not at hand. */
  readonly condition?: string;
  /** How often each was taken, most often first; several times a run inside a loop. */
  readonly outcomes: readonly { readonly outcome: string; readonly times: number }[];
}

export interface LoopStatistics {
  readonly nodeId: string;
  /** Runs that came to the loop, and how often it went round: in all, and in one run. */
  readonly runs: number;
  readonly iterations: number;
  readonly fewest: number;
  readonly most: number;
}

/** What is known from all runs of one version. */
export interface Learning {
  /** Most frequent first, of several the one that was taken last. */
  readonly paths: readonly PathTaken[];
  /** How many there are in all. */
  readonly totalPaths: number;
  /** Runs on paths that were not told apart any more. */
  readonly otherPaths: Omit<PathTaken, "path"> | undefined;
  /** The path that most successful runs took, of several the one that was taken last. */
  readonly dominantPath: readonly string[] | undefined;
  /** In the order of the code. */
  readonly decisions: readonly DecisionStatistics[];
  readonly loops: readonly LoopStatistics[];
}

export interface KeptTask {
  readonly taskId: string;
  readonly tool: string;
  readonly success: boolean;
  /** Of a task of a graph, where it is neither of the two: `skipped`. */
  readonly status?: string;
  readonly durationMs: number;
  /** When it began, after the start of the run; left out of runs of earlier versions. */
  readonly startMs?: number;
}

/** A run as it was written. */
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

/** Which runs; all when left out. */
export interface RunsFilter {
  readonly fqdn?: Fqdn | undefined;
  readonly success?: boolean | undefined;
  /** Those that come after this one in the list. */
  readonly after?: Pick<KeptTrace, "executedAt" | "traceId"> | undefined;
}

export interface PruneOptions {
  /** Traces of runs before that are deleted, */
  readonly before: Date;
  /** and those of a capability beyond this many, */
  readonly perCapability: number;
  /** and those of code that is not a capability, in a project. */
  readonly withoutCapability: number;
}

/** Where traces and what was learnt from them are read. They are written with the counters of capabilities. */
export interface TraceStore {
  /** The first `most` paths. */
  learning(fqdn: Fqdn, version: number, most: number): Promise<Learning>;
  /** The last runs of a capability, any version, newest first. */
  runsOf(fqdn: Fqdn, whose: RunsOf, most: number): Promise<readonly KeptTrace[]>;
  /** All traces of one run, also of what it called, in the order in which they began; the first `most`. */
  ofWorkflow(workflowId: string, whose: RunsOf, most: number): Promise<readonly KeptTrace[]>;
  /** The last top-level runs, newest first; with a filter, those that fit. */
  latest(whose: RunsOf, most: number, filter?: RunsFilter): Promise<readonly KeptTrace[]>;
  /** Of the newest traces: top-level runs of all users, newest first, each once for each user; the newest of each user. */
  succeededIntents(most: number, perUser: number): Promise<readonly SucceededIntent[]>;
  /**
   * Deletes what is too old or too much, in small steps, and answers how many; what was learnt stays. Of several
   * gateways one does it at a time: the others have nothing to do.
   */
  prune(options: PruneOptions): Promise<number>;
}
