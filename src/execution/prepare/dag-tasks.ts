/**
 * Runs of code that was made of a graph: its calls go by the names of their tasks, and every task comes to an end that is
 * told, also one that was skipped.
 *
 * @module
 */
import type { Analysis } from "../../analysis/analysis.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { Dag } from "../../registry/definition.js";
import { foldSpelling } from "../../registry/tool-id.js";
import type { TaskReport } from "../ports/execute-answer.js";
import { keptError } from "../run/given-values.js";
import type { EndedRun } from "../run/runner.js";
import { firstCharacters } from "../run/task-log.js";
import { type CheckedDag, checkDag } from "./check-dag.js";
import { DAG_ERROR, failureOf } from "./dag-code.js";
import type { PreparedRun } from "./prepared-run.js";

/** Nodes of code, and the tasks that they are. */
export type TaskNames = ReadonlyMap<string, string>;

/**
 * The calls of the code, in order, are the tasks, in order. Nothing where they cannot be: a graph that was stored beside
 * the code may have been changed since, and names what it does not belong to no more.
 */
export function taskNamesOf(
  { tasks }: CheckedDag,
  { calls }: Pick<Analysis, "calls">,
): TaskNames | undefined {
  const ordered = [...calls].sort((a, b) => a.line - b.line || a.column - b.column);
  if (ordered.length !== tasks.length) return undefined;
  const names = new Map<string, string>();
  for (const [index, { id, target }] of tasks.entries()) {
    const call = ordered[index];
    if (call === undefined) return undefined;
    const isTool = call.target.kind === "tool";
    if (isTool && foldSpelling(call.target.id) !== foldSpelling(target.name)) return undefined;
    if (target.object === "capabilities" && isTool) return undefined;
    names.set(call.node, id);
  }
  return names;
}

/** Of a graph that is stored with code; nothing where it is none, or another's. */
export function storedTasks(dag: Dag, analysis: Pick<Analysis, "calls">): DagTasks | undefined {
  try {
    const checked = checkDag(dag);
    const names = taskNamesOf(checked, analysis);
    return names && { dag: checked, names };
  } catch (error) {
    if (error instanceof PmlError) return undefined;
    throw error;
  }
}

export interface DagTasks {
  readonly dag: CheckedDag;
  readonly names: TaskNames;
}

/** The same run, with the names and the endings of its tasks. */
export function asDagRun(prepared: PreparedRun, tasks: DagTasks): PreparedRun {
  const { plan } = prepared;
  return {
    ...prepared,
    plan: { ...plan, taskNames: tasks.names },
    finish: (ended) => prepared.finish(endedDag(ended, tasks)),
  };
}

function endedDag(ended: EndedRun, { dag }: DagTasks): EndedRun {
  const { report, trace } = ended;
  const { outcome } = report;
  const message = outcome.kind === "threw" && outcome.name === DAG_ERROR ? outcome.message : undefined;
  const said = (id: string) =>
    message === undefined ? "" : firstCharacters(failureOf(message, id) ?? "", LIMITS.previewChars);
  const called = report.tasks.map(
    (task): TaskReport => ({
      ...task,
      status: task.success ? "success" : "failed",
      resultPreview: task.success || task.resultPreview !== "" ? task.resultPreview : said(task.taskId),
    }),
  );
  const known = new Set(called.map(({ taskId }) => taskId));
  const succeeded = new Set(called.filter(({ success }) => success).map(({ taskId }) => taskId));
  const others = dag.tasks.flatMap(({ id, needs, target }): readonly TaskReport[] => {
    if (known.has(id)) return [];
    const lost = needs.filter((need) => !succeeded.has(need));
    // It could have been called, and was not: what it refers to is missing, or the call was refused.
    const hasFailed = message !== undefined && lost.length === 0;
    return [
      {
        taskId: id,
        tool: target.name,
        success: false,
        status: hasFailed ? "failed" : "skipped",
        durationMs: 0,
        resultPreview: hasFailed ? said(id) : skippedText(lost),
      },
    ];
  });
  const tasks = [...called, ...others];
  const own = tasks.filter(({ taskId }) => dag.tasks.some(({ id }) => id === taskId));
  const tools = new Set(dag.tasks.filter(({ target }) => target.object === "mcp").map(({ id }) => id));
  const error =
    message === undefined ? ended.error : dagError(message, own, (id) => tools.has(id) && known.has(id));
  return {
    ...ended,
    report: { ...report, tasks },
    trace: {
      ...trace,
      tasks: tasks.map(({ taskId, tool, success, status = "skipped", durationMs }) => ({
        taskId,
        tool,
        success,
        status,
        durationMs,
      })),
      ...(error === undefined ? {} : keptError(error, report.given)),
    },
    error,
  };
}

function skippedText(lost: readonly string[]): string {
  const text =
    lost.length === 0
      ? "skipped: the run had ended"
      : `skipped: it needs ${lost.map((id) => JSON.stringify(id)).join(", ")}`;
  return firstCharacters(text, LIMITS.previewChars);
}

/** An error of tools where nothing else has failed. */
function dagError(message: string, tasks: readonly TaskReport[], isCall: (id: string) => boolean): PmlError {
  const ids = (status: TaskReport["status"]) =>
    tasks.filter((task) => task.status === status).map(({ taskId }) => taskId);
  const failed = ids("failed");
  const skipped = ids("skipped");
  return new PmlError(failed.every(isCall) ? "TOOL_FAILED" : "RUN_FAILED", message, {
    hint: "All other tasks have done their work; `tasks` says how each of them ended.",
    data: { failed, ...(skipped.length === 0 ? {} : { skipped }) },
  });
}
