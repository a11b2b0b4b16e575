/**
 * Runs, and what was learnt from them, as agents and people read them.
 *
 * @module
 */
import type { DecisionTaken, LoopPassed } from "../../registry/capability-store.js";
import type { KeptTask, KeptTrace, Learning } from "../../registry/trace-store.js";
import { creatorOf } from "../../registry/visibility.js";

/** What all runs of a version have in common. */
export interface LearningAnswer {
  /** Most frequent first, the first 20. */
  readonly paths: readonly {
    /** Nodes of the code that were passed. */
    readonly path: readonly string[];
    readonly count: number;
    /** Between 0 and 1. */
    readonly successRate: number;
  }[];
  /** How many paths there are, where that is more. */
  readonly totalPaths?: number;
  /** Runs on paths that are not told apart, because there are too many. */
  readonly otherPaths?: { readonly count: number; readonly successRate: number };
  /** What most successful runs took; left out where none has succeeded. */
  readonly dominantPath?: readonly string[];
  readonly decisionStats: readonly {
    readonly nodeId: string;
    /** As it is written; left out of older versions. */
    readonly condition?: string;
    /** How often each was taken, in all. */
    readonly outcomes: Readonly<Record<string, { readonly count: number }>>;
  }[];
  /** How often loops went round in a run; left out where there are none. */
  readonly loopStats?: readonly {
    readonly nodeId: string;
    readonly runs: number;
    readonly min: number;
    readonly max: number;
    readonly average: number;
  }[];
}

/** One run. */
export interface RunSummary {
  readonly workflowId: string;
  readonly traceId: string;
  /** Of a run that another one called. */
  readonly parentTraceId?: string;
  /** What ran; left out for code that is not a capability. */
  readonly capability?: string;
  readonly version?: number;
  readonly intent: string;
  /** `user@org`. */
  readonly by: string;
  readonly at: string;
  readonly success: boolean;
  readonly durationMs: number;
  readonly executedPath: readonly string[];
  readonly error?: { readonly code?: string; readonly message?: string };
}

/** One call of a run, with those that it has made itself. */
interface TracedTask extends KeptTask {
  /** Of a capability, where its trace is kept. */
  readonly version?: number;
  readonly executedPath?: readonly string[];
  readonly decisions?: readonly DecisionTaken[];
  readonly loops?: readonly LoopPassed[];
  readonly tasks?: readonly TracedTask[];
}

/** `pml_trace` of one run. */
export interface TraceAnswer extends RunSummary {
  readonly decisions: readonly DecisionTaken[];
  readonly loops: readonly LoopPassed[];
  /** In the order in which they began. */
  readonly tasks: readonly TracedTask[];
}

/** `pml_trace` without a run: the last ones, newest first. */
export interface RunsAnswer {
  readonly runs: readonly RunSummary[];
}

/** The name of a capability, as the asker may see it. */
export type NameOf = (fqdn: string) => string;

export function learningOf(learning: Learning): LearningAnswer {
  const { paths, totalPaths, otherPaths, dominantPath, decisions, loops } = learning;
  return {
    paths: paths.map(({ path, ...counts }) => ({ path, ...rateOf(counts) })),
    ...(totalPaths > paths.length ? { totalPaths } : {}),
    ...(otherPaths === undefined ? {} : { otherPaths: rateOf(otherPaths) }),
    ...(dominantPath === undefined ? {} : { dominantPath }),
    decisionStats: decisions.map(({ outcomes, ...decision }) => ({
      ...decision,
      // Outcomes of a switch are texts of the code: no name of a prototype among them is special.
      outcomes: Object.fromEntries(outcomes.map(({ outcome, times }) => [outcome, { count: times }])),
    })),
    ...(loops.length === 0
      ? {}
      : {
          loopStats: loops.map(({ nodeId, runs, iterations, fewest, most }) => ({
            nodeId,
            runs,
            min: fewest,
            max: most,
            average: Math.round((iterations / runs) * 100) / 100,
          })),
        }),
  };
}

export function runSummaryOf(trace: KeptTrace, nameOf: NameOf): RunSummary {
  const { fqdn, version, parentTraceId, errorCode, errorMessage } = trace;
  return {
    workflowId: trace.workflowId,
    traceId: trace.traceId,
    ...(parentTraceId === undefined ? {} : { parentTraceId }),
    ...(fqdn === undefined || version === undefined ? {} : { capability: nameOf(fqdn), version }),
    intent: trace.intent,
    by: creatorOf(trace.scope),
    at: trace.executedAt.toISOString(),
    success: trace.success,
    durationMs: trace.durationMs,
    executedPath: trace.executedPath,
    ...(trace.success
      ? {}
      : {
          error: {
            ...(errorCode === undefined ? {} : { code: errorCode }),
            ...(errorMessage === undefined ? {} : { message: errorMessage }),
          },
        }),
  };
}

/** `nested` are the traces of what the run called, by the tasks that they are in it. */
export function traceAnswerOf(main: KeptTrace, nested: readonly KeptTrace[], nameOf: NameOf): TraceAnswer {
  const traces = new Map(
    nested.flatMap((trace) => (trace.taskId === undefined ? [] : [[trace.taskId, trace]])),
  );
  return {
    ...runSummaryOf(main, nameOf),
    decisions: main.decisions,
    loops: main.loops,
    tasks: treeOf(main.tasks, traces),
  };
}

/** A task's id begins with that of the call that made it. */
function treeOf(tasks: readonly KeptTask[], traces: ReadonlyMap<string, KeptTrace>): readonly TracedTask[] {
  const ids = new Set(tasks.map(({ taskId }) => taskId));
  const children = new Map<string | undefined, KeptTask[]>();
  for (const task of tasks) {
    const parent = parentOf(task.taskId, ids);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [task]);
    else siblings.push(task);
  }
  const view = (task: KeptTask): TracedTask => {
    const trace = traces.get(task.taskId);
    const below = children.get(task.taskId)?.map(view);
    return {
      ...task,
      ...(trace === undefined ? {} : flowOf(trace)),
      ...(below === undefined ? {} : { tasks: below }),
    };
  };
  return (children.get(undefined) ?? []).map(view);
}

function parentOf(taskId: string, ids: ReadonlySet<string>): string | undefined {
  for (let dot = taskId.lastIndexOf("."); dot > 0; dot = taskId.lastIndexOf(".", dot - 1)) {
    const parent = taskId.slice(0, dot);
    if (ids.has(parent)) return parent;
  }
  return undefined;
}

function flowOf({ version, executedPath, decisions, loops }: KeptTrace): Partial<TracedTask> {
  return {
    ...(version === undefined ? {} : { version }),
    executedPath,
    ...(decisions.length === 0 ? {} : { decisions }),
    ...(loops.length === 0 ? {} : { loops }),
  };
}

function rateOf({ runs, successes }: { readonly runs: number; readonly successes: number }) {
  return { count: runs, successRate: Math.round((successes / runs) * 10_000) / 10_000 };
}
