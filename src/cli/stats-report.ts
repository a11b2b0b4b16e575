/**
 * What `pml stats` prints.
 *
 * @module
 */
import type { OwnAnswer } from "../app/own-tool-call.js";
import { isJsonObject } from "../base/json-object.js";
import { table, visible } from "./output.js";

export function statsReport(answer: OwnAnswer): string {
  const capabilities = part(answer.capabilities);
  const runs = part(answer.runs);
  const today = part(runs.today);
  const approvals = part(answer.approvals);
  const search = part(answer.search);
  const head = table(
    [
      ["project", text(answer.project)],
      [
        "capabilities",
        counts(capabilities.total, `${text(capabilities.named)} named`, states(capabilities.by_trust)),
      ],
      ["success rate", percent(capabilities.success_rate)],
      ["runs today", counts(today.total, `${text(today.failed)} failed`)],
      ["runs now", `${text(runs.running)} running, ${text(runs.waiting)} in line`],
      ["approvals", counts(approvals.waiting, undefined, states(approvals.decided), "waiting")],
      ["cache", cacheLine(part(answer.cache))],
      ["intents", `${text(search.searched)} searched, ${text(search.matched)} matched`],
      ["suggestions", `${text(search.suggested)} made, ${text(search.accepted)} used`],
    ],
    Number.POSITIVE_INFINITY,
  );
  const used = rows(capabilities.most_used).map((one) => [
    text(one.name),
    text(one.uses),
    percent(one.success_rate),
  ]);
  const tools = rows(answer.tools).map((one) => [
    text(one.id),
    text(one.calls),
    text(one.failed),
    `${text(one.average_ms)} ms`,
  ]);
  return [
    head,
    section(["CAPABILITY", "USES", "SUCCESS"], used),
    section(["TOOL", "CALLS", "FAILED", "AVERAGE"], tools),
    `Caches, intents, suggestions and decisions are counted since ${text(answer.since)}.`,
  ]
    .filter((one) => one !== "")
    .join("\n\n");
}

function section(head: readonly string[], body: readonly (readonly string[])[]): string {
  return body.length === 0 ? "" : table([head, ...body], Number.POSITIVE_INFINITY);
}

function counts(total: unknown, more: string | undefined, by = "", what = ""): string {
  const words = [what === "" ? text(total) : `${text(total)} ${what}`, more, by];
  return words.filter((word) => word !== undefined && word !== "").join(", ");
}

/** `2 verified, 1 suspect`: those that are not 0. */
function states(value: unknown): string {
  return Object.entries(part(value))
    .filter(([, count]) => count !== 0)
    .map(([state, count]) => `${text(count)} ${text(state)}`)
    .join(", ");
}

function cacheLine(cache: OwnAnswer): string {
  const hits = Object.values(part(cache.hits)).reduce<number>((sum, count) => sum + Number(count), 0);
  const by = states(cache.hits);
  const shown = by === "" ? `${hits} hits` : `${hits} hits (${by})`;
  if (cache.misses === undefined) return shown;
  const misses = `${shown}, ${text(cache.misses)} misses`;
  return cache.hit_rate === undefined ? misses : `${misses}, ${percent(cache.hit_rate)}`;
}

function percent(value: unknown): string {
  return typeof value === "number" ? `${Math.round(value * 1_000) / 10} %` : "nothing was used yet";
}

function part(value: unknown): OwnAnswer {
  return isJsonObject(value) ? value : {};
}

function rows(value: unknown): readonly OwnAnswer[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function text(value: unknown): string {
  return visible(String(value));
}
