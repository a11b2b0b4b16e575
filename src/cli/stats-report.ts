/**
 * The output of `pml stats`.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { counted, table, visible } from "./output.js";
import { savedReport } from "./saved-report.js";
import { localTime } from "./when.js";

type Stats = AnswerOf<"pml:stats">;

export function statsReport(answer: Stats): string {
  const { capabilities, runs, approvals, search } = answer;
  const head = table(
    [
      ["project", text(answer.project)],
      [
        "capabilities",
        counts(capabilities.total, `${capabilities.named} named`, states(capabilities.by_trust)),
      ],
      ["success rate", percent(capabilities.success_rate)],
      ["runs today", counts(runs.today.total, `${runs.today.failed} failed`)],
      ["runs now", `${runs.running ?? 0} running, ${runs.waiting ?? 0} in line`],
      ["approvals", counts(`${approvals.waiting} waiting`, states(approvals.decided ?? {}))],
      ...(answer.cache === undefined ? [] : [["cache", cacheLine(answer.cache)]]),
      ...(search === undefined
        ? []
        : [
            ["intents", `${search.searched} searched, ${search.matched} matched`],
            ["suggestions", `${search.suggested} made, ${search.accepted} used`],
          ]),
    ],
    Number.POSITIVE_INFINITY,
  );
  const used = capabilities.most_used.map((one) => [
    text(one.name),
    text(one.uses),
    percent(one.success_rate),
  ]);
  const tools = answer.tools.map((one) => [
    text(one.id),
    text(one.calls),
    text(one.failed),
    `${text(one.average_ms)} ms`,
  ]);
  return [
    head,
    savedReport(answer.saved),
    section(["CAPABILITY", "USES", "SUCCESS"], used),
    section(["TOOL", "CALLS", "FAILED", "AVERAGE"], tools),
    `Caches, intents, suggestions and decisions are counted since ${text(localTime(answer.since))}.`,
  ]
    .filter((one) => one !== "")
    .join("\n\n");
}

function section(head: readonly string[], body: readonly (readonly string[])[]): string {
  return body.length === 0 ? "" : table([head, ...body], Number.POSITIVE_INFINITY);
}

function counts(...parts: readonly (string | number)[]): string {
  return parts.filter((part) => part !== "").join(", ");
}

/** `2 verified, 1 suspect`: only states that are not 0. */
function states(by: Readonly<Record<string, number>>): string {
  return Object.entries(by)
    .filter(([, count]) => count !== 0)
    .map(([state, count]) => `${text(count)} ${text(state)}`)
    .join(", ");
}

function cacheLine({ hits: by, misses, hit_rate }: NonNullable<Stats["cache"]>): string {
  const hits = Object.values(by).reduce((sum, count) => sum + count, 0);
  const shown = hits === 0 ? "0 hits" : `${counted(hits, "hit")} (${states(by)})`;
  if (misses === undefined) return shown;
  return `${shown}, ${counted(misses, "miss", "misses")}${hit_rate === undefined ? "" : `, ${percent(hit_rate)}`}`;
}

function percent(value: number | undefined): string {
  return value === undefined ? "nothing was used yet" : `${Math.round(value * 1_000) / 10} %`;
}

function text(value: string | number): string {
  return visible(String(value));
}
