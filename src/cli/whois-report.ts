/**
 * All about a capability as people read it: the record, what its runs have in common, and the last of them.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { recordText, shown } from "./cap-report.js";
import { ANY_WIDTH, table } from "./output.js";
import { savedSentence } from "./saved-report.js";
import { pathText, runsText } from "./trace-report.js";

type Whois = AnswerOf<"cap:whois">;
type Known = Extract<Whois, { type: "capability" }>;
type Learning = Known["learning"];

export function whoisText(answer: Whois): string {
  if (answer.type === "mcp-server") return recordText(answer);
  const { learning, traces, dag, saved, ...record } = answer;
  return [
    recordText(record),
    ...(saved === undefined ? [] : [savedSentence(saved)]),
    ...section("tasks", (dag?.tasks ?? []).map(taskRow)),
    ...section("paths", pathRows(learning)),
    ...section("decisions", learning.decisionStats.map(decisionRow)),
    ...section("loops", (learning.loopStats ?? []).map(loopRow)),
    ...(traces.length === 0 ? [] : [`last runs\n${indented(runsText({ runs: traces }, ANY_WIDTH))}`]),
  ].join("\n\n");
}

/** The dominant one has a star. */
function pathRows({ paths, otherPaths, dominantPath }: Learning): readonly (readonly string[])[] {
  const dominant = JSON.stringify(dominantPath);
  const rows = paths.map(({ path, ...counts }) => {
    const [count = "", rate = ""] = countCells(counts);
    return [`${count}${JSON.stringify(path) === dominant ? "*" : ""}`, rate, pathText(path)];
  });
  return otherPaths === undefined ? rows : [...rows, [...countCells(otherPaths), "other paths"]];
}

function countCells({ count, successRate }: NonNullable<Learning["otherPaths"]>): readonly string[] {
  return [`×${count}`, `${Math.round(successRate * 100)} %`];
}

function taskRow(task: NonNullable<Known["dag"]>["tasks"][number]): readonly string[] {
  const { id, tool, capability, arguments: given, dependsOn = [] } = task;
  return [
    shown(id),
    shown(tool ?? capability),
    given === undefined ? "" : shown(JSON.stringify(given)),
    dependsOn.length === 0 ? "" : `after ${dependsOn.map(shown).join(", ")}`,
  ];
}

function decisionRow({ nodeId, condition, outcomes }: Learning["decisionStats"][number]): readonly string[] {
  const taken = Object.entries(outcomes).map(([outcome, { count }]) => `${shown(outcome)} ×${count}`);
  return [shown(nodeId), shown(condition), taken.join(", ")];
}

function loopRow(loop: NonNullable<Learning["loopStats"]>[number]): readonly string[] {
  const { nodeId, min, max, average, runs } = loop;
  const rounds = min === max ? shown(min) : `${min} to ${max}, ${average} on average`;
  return [shown(nodeId), `${rounds} in ${runs} runs`];
}

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  return [`${title}\n${indented(table(rows, ANY_WIDTH))}`];
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
