/**
 * Runs in the form for people.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import type { TracedTask as Task } from "../gateway/own/run-view.js";
import { ANY_WIDTH, shown, table, visible, visibleLines } from "./output.js";
import { agoText, localTime } from "./when.js";

type Trace = Extract<AnswerOf<"pml:trace">, { readonly traceId: string }>;
type Run = Omit<Trace, "tasks" | "decisions" | "loops">;
type Runs = Extract<AnswerOf<"pml:trace">, { readonly runs: readonly unknown[] }>;
type RunningTrace = Exclude<AnswerOf<"pml:trace">, Trace | Runs>;
type Running = NonNullable<Runs["running"]>[number];

/** One line per run, unfinished ones first. */
export function runsText({ runs, running = [] }: Pick<Runs, "runs" | "running">, width?: number): string {
  if (runs.length + running.length === 0) return "No runs";
  const cells = [...running, ...runs].map((run) => [
    shown(run.workflowId),
    shown(agoText(run.at)),
    milliseconds(run.durationMs),
    "status" in run ? "running" : outcomeOf(run),
    nameOf(run),
    visible(run.intent.replace(/\s+/g, " ")),
  ]);
  return table([["WORKFLOW", "WHEN", "TOOK", "RESULT", "WHAT", "INTENT"], ...cells], width);
}

/** The calls so far of an unfinished run. */
export function runningText(run: RunningTrace): string {
  const text = table(
    [
      ["run", shown(run.workflowId)],
      ["what", nameOf(run)],
      ["intent", shown(run.intent)],
      ["by", shown(run.by)],
      ["since", shown(`${localTime(run.at)} (${agoText(run.at)})`)],
      ["result", "running"],
    ],
    ANY_WIDTH,
  );
  const calls = run.tasks.map(({ taskId, tool, success, durationMs }) => [
    `  ${shown(taskId)}`,
    shown(tool),
    durationMs === undefined ? "" : milliseconds(durationMs),
    success === undefined ? "running" : success ? "ok" : "failed",
  ]);
  return calls.length === 0 ? text : `${text}\n\ncalls\n${table(calls, ANY_WIDTH)}`;
}

/** The code that ran, its path and decisions, and its calls as a tree. */
export function traceText(run: Trace): string {
  const { tasks, error } = run;
  const fields: readonly (readonly string[])[] = [
    ["run", shown(run.workflowId)],
    ["what", nameOf(run)],
    ["intent", shown(run.intent)],
    ["by", shown(run.by)],
    ["when", shown(`${localTime(run.at)} (${agoText(run.at)})`)],
    ["took", milliseconds(run.durationMs)],
    ["result", outcomeOf(run)],
    ...(error?.message === undefined ? [] : [["error", visibleLines(error.message)]]),
    ...flowFields(run),
  ];
  const text = table(fields, ANY_WIDTH);
  if (tasks.length === 0) return text;
  const lines = tasks.flatMap((task) => taskRows(task, "  "));
  return `${text}\n\ncalls\n${table(lines, ANY_WIDTH)}`;
}

function taskRows(task: Task, indent: string): readonly (readonly string[])[] {
  const { version, tasks = [] } = task;
  const name = `${shown(task.tool)}${version === undefined ? "" : ` (version ${version})`}`;
  const flow = flowFields(task)
    .map(([key, value]) => `${key} ${value}`)
    .join("; ");
  const row = [
    `${indent}${shown(task.taskId)}`,
    name,
    milliseconds(task.durationMs),
    taskOutcome(task),
    flow,
  ];
  return [row, ...tasks.flatMap((below) => taskRows(below, `${indent}  `))];
}

function taskOutcome({ success, status }: Task): string {
  if (status !== undefined && status !== "success") return shown(status);
  return success ? "ok" : "failed";
}

function flowFields(of: Pick<Task, "executedPath" | "decisions" | "loops">): readonly (readonly string[])[] {
  const { executedPath = [], decisions = [], loops = [] } = of;
  const taken = decisions.map(
    ({ nodeId, outcome, count }) =>
      `${shown(nodeId)}=${shown(outcome)}${count === undefined ? "" : ` ×${count}`}`,
  );
  const rounds = loops.map(({ nodeId, iterations }) => `${shown(nodeId)} ×${iterations}`);
  return [
    ["path", pathText(executedPath)],
    ["decisions", taken.join(", ")],
    ["loops", rounds.join(", ")],
  ].filter(([, value]) => value !== "");
}

function nameOf({ capability, version }: Pick<Run | Running, "capability" | "version">): string {
  if (capability === undefined) return "code that is not a capability";
  return `${shown(capability)}, version ${shown(version)}`;
}

function outcomeOf({ success, error }: Run): string {
  return success ? "success" : visible(error?.code ?? "failed");
}

function milliseconds(value: number | undefined): string {
  if (value === undefined) return "";
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`;
}

/** Nodes in the order in which they were passed. */
export function pathText(path: readonly string[]): string {
  return path.map(visible).join(" → ");
}
