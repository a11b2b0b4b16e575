import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { TaskReport } from "../ports/execute-answer.js";
import type { CheckedDag } from "../prepare/check-dag.js";
import { DAG_ERROR, failureOf } from "../prepare/dag-code.js";
import { keptError } from "./given-values.js";
import { keptTask } from "./nested-runs.js";
import type { EndedRun } from "./runner.js";
import { firstCharacters } from "./task-log.js";

/** The outcome of a graph's run for each task: every task has an outcome, including skipped ones. */
export function endedDag(ended: EndedRun, dag: CheckedDag): EndedRun {
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
    // The task was due and was not called: a referenced value is missing, or the call was refused.
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
      tasks: tasks.map((task) => ({
        ...(keptTask(task, report.taskStarts) as Readonly<Record<string, Json>>),
        status: task.status ?? "skipped",
      })),
      ...(error && keptError(error, report.given)),
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

/** The error is a tool's error if nothing else has failed. */
function dagError(message: string, tasks: readonly TaskReport[], isCall: (id: string) => boolean): PmlError {
  const ids = (status: TaskReport["status"]) =>
    tasks.filter((task) => task.status === status).map(({ taskId }) => taskId);
  const failed = ids("failed");
  const skipped = ids("skipped");
  return new PmlError(failed.every(isCall) ? "TOOL_FAILED" : "RUN_FAILED", message, {
    hint: "All other tasks succeeded; `tasks` has the outcome of each.",
    data: { failed, ...(skipped.length > 0 && { skipped }) },
  });
}
