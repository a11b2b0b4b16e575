/**
 * All about a capability as people read it: the record, what its runs have in common, and the last of them.
 *
 * @module
 */
import type { OwnAnswer } from "../app/own-tool-call.js";
import { isJsonObject } from "../base/json-object.js";
import { recordText, shown, trimmed } from "./cap-report.js";
import { table } from "./output.js";
import { pathText, rowsOf, runsText } from "./trace-report.js";

export function whoisText({ learning, traces, dag, ...record }: OwnAnswer): string {
  const learnt = isJsonObject(learning) ? learning : {};
  const runs = rowsOf(traces);
  return [
    recordText(record),
    ...section("tasks", rowsOf(isJsonObject(dag) ? dag.tasks : undefined).map(taskRow)),
    ...section("paths", pathRows(learnt)),
    ...section("decisions", rowsOf(learnt.decisionStats).map(decisionRow)),
    ...section("loops", rowsOf(learnt.loopStats).map(loopRow)),
    ...(runs.length === 0 ? [] : [`last runs\n${indented(runsText({ runs }, Number.POSITIVE_INFINITY))}`]),
  ].join("\n\n");
}

/** The dominant one has a star. */
function pathRows({ paths, otherPaths, dominantPath }: OwnAnswer): readonly (readonly string[])[] {
  const dominant = JSON.stringify(dominantPath);
  const rows = rowsOf(paths).map((taken) => {
    const star = JSON.stringify(taken.path) === dominant ? "*" : "";
    return [`${countText(taken)}${star}`, rateText(taken), pathText(taken.path)];
  });
  return isJsonObject(otherPaths)
    ? [...rows, [countText(otherPaths), rateText(otherPaths), "other paths"]]
    : rows;
}

function taskRow({ id, tool, capability, arguments: given, dependsOn }: OwnAnswer): readonly string[] {
  const needs =
    Array.isArray(dependsOn) && dependsOn.length > 0 ? `after ${dependsOn.map(shown).join(", ")}` : "";
  return [
    shown(id),
    shown(tool ?? capability),
    given === undefined ? "" : shown(JSON.stringify(given)),
    needs,
  ];
}

function decisionRow({ nodeId, condition, outcomes }: OwnAnswer): readonly string[] {
  const taken = Object.entries(isJsonObject(outcomes) ? outcomes : {}).map(
    ([outcome, times]) => `${shown(outcome)} ×${shown(isJsonObject(times) ? times.count : undefined)}`,
  );
  return [shown(nodeId), shown(condition), taken.join(", ")];
}

function loopRow({ nodeId, min, max, average, runs }: OwnAnswer): readonly string[] {
  const rounds = min === max ? shown(min) : `${shown(min)} to ${shown(max)}, ${shown(average)} on average`;
  return [shown(nodeId), `${rounds} in ${shown(runs)} runs`];
}

function countText({ count }: OwnAnswer): string {
  return `×${shown(count)}`;
}

function rateText({ successRate }: OwnAnswer): string {
  return typeof successRate === "number" ? `${Math.round(successRate * 100)} %` : "–";
}

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  return [`${title}\n${indented(trimmed(table(rows, Number.POSITIVE_INFINITY)))}`];
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
