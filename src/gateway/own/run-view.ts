/**
 * Runs and learnt statistics in the form for agents and people.
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

/** Statistics over all runs of a version. */
export const learningAnswer = z.strictObject({
  /** The passed nodes of the code, the 20 most frequent paths first. */
  paths: list(z.strictObject({ path, ...counted })),
  /** The number of paths, if there are more. */
  totalPaths: z.int().exactOptional(),
  /** Runs on paths that are not distinguished, because there are too many. */
  otherPaths: z.strictObject(counted).exactOptional(),
  /** The path of most successful runs; absent if none has succeeded. */
  dominantPath: path.exactOptional(),
  decisionStats: list(
    z.strictObject({
      nodeId: z.string(),
      /** As written in the code; absent for older versions. */
      condition: z.string().exactOptional(),
      /** How often each outcome was taken, over all runs. */
      outcomes: z.record(z.string(), z.strictObject({ count: z.int() })),
    }),
  ),
  /** How many iterations loops made in a run. */
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

export const runSummary = z.strictObject({
  workflowId: z.string(),
  traceId: z.string(),
  /** Present if another run called this one. */
  parentTraceId: z.string().exactOptional(),
  /** The capability that ran; absent for code that is not a capability. */
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

/** One call of a run, with the calls that it made itself. */
export interface TracedTask extends KeptTask {
  /** Only for a capability whose trace is stored. */
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

/** The code that ran, for a person: absent for code that did not become a capability. */
const drawnCode = {
  code: z.string().exactOptional(),
  /** Paths, decisions and tasks use its nodes. */
  structure: given<DrawnStructure>().exactOptional(),
};

/** `pml_trace` of one run; its tasks in the order of their start. */
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

/** `pml_trace` of a run that has not ended: its calls so far. */
const runningAnswer = runningSummary.extend({ tasks: list(runningTask), ...drawnCode });

/** `pml_trace` without a run: the last runs, newest first. */
const runsAnswer = z.strictObject({
  runs: list(runSummary),
  /** Runs that have not ended, newest first. */
  running: list(runningSummary).exactOptional(),
  /** The cursor of the next page, for a person. */
  next: z.string().exactOptional(),
});
export const traceAnswers = z.union([traceAnswer, runningAnswer, runsAnswer]);

export type RunningSummary = z.infer<typeof runningSummary>;
export type RunningAnswer = z.infer<typeof runningAnswer>;

export type LearningAnswer = z.infer<typeof learningAnswer>;
export type RunSummary = z.infer<typeof runSummary>;
export type TraceAnswer = z.infer<typeof traceAnswer>;
export type RunsAnswer = z.infer<typeof runsAnswer>;

/** The name of a capability, as the caller may see it. */
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
      // Outcomes of a switch are texts of the code, which may equal a name of the prototype.
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

/** `nested` are the traces of the runs that this run called, by task. */
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

/** A task's id begins with the id of the call that made it. */
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
