/**
 * Runs as people read them.
 *
 * @module
 */
import type { OwnAnswer } from "../app/own-tool-call.js";
import { isJsonObject } from "../base/json-object.js";
import { shown, trimmed } from "./cap-report.js";
import { table, visible, visibleLines } from "./output.js";

const SECOND_CHARS = "2026-11-16T01:02:03".length;

/** One line a run. */
export function runsText({ runs }: OwnAnswer, width?: number): string {
  const rows = rowsOf(runs);
  if (rows.length === 0) return "No runs";
  const cells = rows.map((run) => [
    shown(run.workflowId),
    second(run.at),
    milliseconds(run.durationMs),
    outcomeOf(run),
    nameOf(run),
    visible(String(run.intent ?? "").replace(/\s+/g, " ")),
  ]);
  return trimmed(table([["WORKFLOW", "WHEN", "TOOK", "RESULT", "WHAT", "INTENT"], ...cells], width));
}

/** What ran, its path and decisions, and its calls as a tree. */
export function traceText(run: OwnAnswer): string {
  const error = isJsonObject(run.error) ? run.error : {};
  const fields: readonly (readonly string[])[] = [
    ["run", shown(run.workflowId)],
    ["what", nameOf(run)],
    ["intent", shown(run.intent)],
    ["by", shown(run.by)],
    ["when", second(run.at)],
    ["took", milliseconds(run.durationMs)],
    ["result", outcomeOf(run)],
    ...(typeof error.message === "string" ? [["error", visibleLines(error.message)]] : []),
    ...flowFields(run),
  ];
  const tasks = rowsOf(run.tasks);
  const text = trimmed(table(fields, Number.POSITIVE_INFINITY));
  if (tasks.length === 0) return text;
  const lines = tasks.flatMap((task) => taskRows(task, "  "));
  return `${text}\n\ncalls\n${trimmed(table(lines, Number.POSITIVE_INFINITY))}`;
}

function taskRows(task: OwnAnswer, indent: string): readonly (readonly string[])[] {
  const { version } = task;
  const name = `${shown(task.tool)}${typeof version === "number" ? ` (version ${version})` : ""}`;
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
  return [row, ...rowsOf(task.tasks).flatMap((below) => taskRows(below, `${indent}  `))];
}

function taskOutcome({ success, status }: OwnAnswer): string {
  if (typeof status === "string" && status !== "success") return shown(status);
  return success === true ? "ok" : "failed";
}

function flowFields({ executedPath, decisions, loops }: OwnAnswer): readonly (readonly string[])[] {
  const taken = rowsOf(decisions).map(
    ({ nodeId, outcome, count }) =>
      `${shown(nodeId)}=${shown(outcome)}${typeof count === "number" ? ` ×${count}` : ""}`,
  );
  const rounds = rowsOf(loops).map(({ nodeId, iterations }) => `${shown(nodeId)} ×${shown(iterations)}`);
  return [
    ["path", pathText(executedPath)],
    ["decisions", taken.join(", ")],
    ["loops", rounds.join(", ")],
  ].filter(([, value]) => value !== "");
}

function nameOf({ capability, version }: OwnAnswer): string {
  if (capability === undefined) return "code that is no capability";
  return `${shown(capability)}, version ${shown(version)}`;
}

function outcomeOf({ success, error }: OwnAnswer): string {
  if (success === true) return "success";
  return isJsonObject(error) && typeof error.code === "string" ? visible(error.code) : "failed";
}

function milliseconds(value: unknown): string {
  return typeof value === "number"
    ? `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ms`
    : "";
}

function second(date: unknown): string {
  return typeof date === "string" ? shown(date.slice(0, SECOND_CHARS).replace("T", " ")) : "";
}

/** Nodes in the order in which they were passed. */
export function pathText(path: unknown): string {
  return Array.isArray(path) ? path.map((node) => visible(String(node))).join(" → ") : "";
}

export function rowsOf(value: unknown): readonly OwnAnswer[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
