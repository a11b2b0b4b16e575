/**
 * Runs, and what was learnt from them, as agents and people read them.
 *
 * @module
 */
import { z } from "zod";
import { defined } from "../../base/defined.js";
import type { DrawnStructure } from "../../execution/run/started-run.js";
import type { KeptTask, KeptTrace, Learning } from "../../registry/trace-store.js";
import { creatorOf } from "../../registry/visibility.js";
import { given, list } from "../operation.js";

const path = list(z.string());
const counted = { count: z.int(), successRate: z.number() };

/** What all runs of a version have in common. */
export const learningAnswer = z.strictObject({
  /** Nodes of the code that were passed; most frequent first, the first 20. */
  paths: list(z.strictObject({ path, ...counted })),
  /** How many paths there are, where that is more. */
  totalPaths: z.int().exactOptional(),
  /** Runs on paths that are not told apart, because there are too many. */
  otherPaths: z.strictObject(counted).exactOptional(),
  /** What most successful runs took; left out where none has succeeded. */
  dominantPath: path.exactOptional(),
  decisionStats: list(
    z.strictObject({
      nodeId: z.string(),
      /** As it is written; left out of older versions. */
      condition: z.string().exactOptional(),
      /** How often each was taken, in all. */
      outcomes: z.record(z.string(), z.strictObject({ count: z.int() })),
    }),
  ),
  /** How often loops went round in a run. */
  loopStats: list(
    z.strictObject({
      nodeId: z.string(),
      runs: z.int(),
      min: z.int(),
      max: z.int(),
      average: z.number(),
    }),
  ).exactOptional(),
});

/** One run. */
export const runSummary = z.strictObject({
  workflowId: z.string(),
  traceId: z.string(),
  /** Of a run that another one called. */
  parentTraceId: z.string().exactOptional(),
  /** What ran; left out for code that is not a capability. */
  capability: z.string().exactOptional(),
  version: z.int().exactOptional(),
  intent: z.string(),
  /** `user@org`. */
  by: z.string(),
  at: z.string(),
  success: z.boolean(),
  durationMs: z.number(),
  executedPath: path,
  error: z
    .strictObject({ code: z.string().exactOptional(), message: z.string().exactOptional() })
    .exactOptional(),
});

const decisions = list(
  z.strictObject({ nodeId: z.string(), outcome: z.string(), count: z.int().exactOptional() }),
);
const loops = list(z.strictObject({ nodeId: z.string(), iterations: z.int() }));

/** One call of a run, with those that it has made itself. */
export interface TracedTask extends KeptTask {
  /** Of a capability, where its trace is kept. */
  readonly version?: number;
  readonly executedPath?: readonly string[];
  readonly decisions?: z.infer<typeof decisions>;
  readonly loops?: z.infer<typeof loops>;
  readonly tasks?: readonly TracedTask[];
}

const tracedTask: z.ZodType<TracedTask> = z.strictObject({
  taskId: z.string(),
  tool: z.string(),
  success: z.boolean(),
  status: z.string().exactOptional(),
  durationMs: z.number(),
  startMs: z.number().exactOptional(),
  version: z.int().exactOptional(),
  executedPath: path.exactOptional(),
  decisions: decisions.exactOptional(),
  loops: loops.exactOptional(),
  get tasks() {
    return list(tracedTask).exactOptional();
  },
});

/** What ran, for a person: left out for code that did not become a capability. */
const drawnCode = {
  code: z.string().exactOptional(),
  /** Nodes are those of paths, decisions and tasks. */
  structure: given<DrawnStructure>().exactOptional(),
};

/** `pml_trace` of one run; its tasks in the order in which they began. */
const traceAnswer = runSummary.extend({ decisions, loops, tasks: list(tracedTask), ...drawnCode });

/** A run that has not ended. */
const runningSummary = z.strictObject({
  workflowId: z.string(),
  status: z.literal("running"),
  capability: z.string().exactOptional(),
  version: z.int().exactOptional(),
  intent: z.string(),
  by: z.string(),
  at: z.string(),
  /** So far. */
  durationMs: z.number(),
  calls: z.int(),
});

const runningTask = z.strictObject({
  taskId: z.string(),
  tool: z.string(),
  startMs: z.number(),
  /** Absent until the call is answered. */
  success: z.boolean().exactOptional(),
  durationMs: z.number().exactOptional(),
});

/** `pml_trace` of a run that has not ended: what it has done so far. */
const runningAnswer = runningSummary.extend({ tasks: list(runningTask), ...drawnCode });

/** `pml_trace` without a run: the last ones, newest first. */
const runsAnswer = z.strictObject({
  runs: list(runSummary),
  /** Those that have not ended, newest first. */
  running: list(runningSummary).exactOptional(),
  /** Where the next page begins, for a person. */
  next: z.string().exactOptional(),
});
export const traceAnswers = z.union([traceAnswer, runningAnswer, runsAnswer]);

export type RunningSummary = z.infer<typeof runningSummary>;
export type RunningAnswer = z.infer<typeof runningAnswer>;

export type LearningAnswer = z.infer<typeof learningAnswer>;
export type RunSummary = z.infer<typeof runSummary>;
export type TraceAnswer = z.infer<typeof traceAnswer>;
export type RunsAnswer = z.infer<typeof runsAnswer>;

/** The name of a capability, as the asker may see it. */
export type NameOf = (fqdn: string) => string;

export function learningOf(learning: Learning): LearningAnswer {
  const { paths, totalPaths, otherPaths, dominantPath, decisions, loops } = learning;
  return {
    paths: paths.map(({ path, ...counts }) => ({ path, ...rateOf(counts) })),
    ...(totalPaths > paths.length ? { totalPaths } : {}),
    ...(otherPaths === undefined ? {} : { otherPaths: rateOf(otherPaths) }),
    ...defined({ dominantPath }),
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
    ...defined({ parentTraceId }),
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
            ...defined({ code: errorCode, message: errorMessage }),
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
      ...defined({ tasks: below }),
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
    ...defined({ version }),
    executedPath,
    ...(decisions.length === 0 ? {} : { decisions }),
    ...(loops.length === 0 ? {} : { loops }),
  };
}

function rateOf({ runs, successes }: { readonly runs: number; readonly successes: number }) {
  return { count: runs, successRate: Math.round((successes / runs) * 10_000) / 10_000 };
}
