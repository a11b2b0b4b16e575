/**
 * A capability's complete record in the form for people: its code, the record, statistics of its runs, and the last
 * runs.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { indented, parametersText, percent, recordText, relatedText } from "./cap-report.js";
import { ANY_WIDTH, counted, shown, table, visibleLines } from "./output.js";
import { savedSentence } from "./saved-report.js";
import { pathText, runsText } from "./trace-report.js";
import { agoText, localTime } from "./when.js";

type Whois = AnswerOf<"cap:whois">;
type Known = Extract<Whois, { type: "capability" }>;
type Learning = Known["learning"];

/** What a person should know before running or trusting it. */
export function showText(answer: Whois): string {
  if (answer.type === "mcp-server") return recordText(answer);
  const { code } = answer;
  return [
    ...headOf(answer),
    fieldsText([...whatItDoes(answer), ["used", usedText(answer)], ["trust", trustText(answer)]]),
    ...parametersText(answer.parameters),
    ...(code === undefined ? [] : [`code\n${indented(visibleLines(code.trimEnd()))}`]),
  ].join("\n\n");
}

/** All fields except its code. */
export function whoisText(answer: Whois): string {
  if (answer.type === "mcp-server") return recordText(answer);
  const { learning, traces, dag, saved } = answer;
  return [
    ...headOf(answer),
    fieldsText([
      ...whatItDoes(answer),
      ["called by", list((answer.dependents ?? []).map(relatedText))],
      ["used", usedText(answer)],
      ["trust", trustText(answer)],
      ["made from", madeFrom(answer)],
      ["made by", `${shown(answer.created_by)}${timeText(answer.created_at)}`],
      [
        "changed by",
        answer.updated_by === undefined ? "" : `${shown(answer.updated_by)}${timeText(answer.updated_at)}`,
      ],
      ["named by", namedBy(answer)],
      ["visibility", shown(answer.visibility)],
      ["routing", shown(answer.routing)],
      ["caching", cachingText(answer)],
      ["aliases", list(answer.aliases ?? [])],
      ["tags", list(answer.tags ?? [])],
      ["id", shown(answer.id)],
      ["fqdn", shown(answer.fqdn)],
      ["code hash", shown(answer.code_hash)],
    ]),
    ...parametersText(answer.parameters),
    ...(saved === undefined ? [] : [savedSentence(saved)]),
    ...section("tasks", (dag?.tasks ?? []).map(taskRow)),
    ...section("paths", pathRows(learning)),
    ...section("decisions", learning.decisionStats.map(decisionRow)),
    ...section("loops", (learning.loopStats ?? []).map(loopRow)),
    ...(traces.length === 0 ? [] : [`last runs\n${indented(runsText({ runs: traces }, ANY_WIDTH))}`]),
  ].join("\n\n");
}

type Fields = readonly (readonly [label: string, text: string])[];

/** Its name, version and description. */
function headOf({ display_name, version, version_tag, description }: Known): readonly string[] {
  const tag = version_tag === undefined ? "" : ` (${shown(version_tag)})`;
  const about = shown(description);
  return [`${shown(display_name)}, version ${shown(version)}${tag}${about === "" ? "" : `\n${about}`}`];
}

function whatItDoes({
  signature,
  intent,
  description,
  tools_used,
  dependencies,
  delegates_to,
}: Known): Fields {
  return [
    ["signature", shown(signature)],
    ["intent", intent === description ? "" : shown(intent)],
    ["tools", list(tools_used ?? [])],
    ["calls", list((dependencies ?? []).map(relatedText))],
    ["default arguments", delegates_to?.arguments === undefined ? "" : shown(delegates_to.arguments)],
  ];
}

function usedText({ usage_count: count, success_rate, average_latency_ms, last_used_at }: Known): string {
  if (count === undefined || count === 0) return "never";
  const last = last_used_at === undefined ? "" : `, last ${shown(agoText(last_used_at))}`;
  return `${count === 1 ? "once" : `${count} times`}, ${percent(success_rate)} successful, ${shown(average_latency_ms)} ms on average${last}`;
}

function trustText({ trust }: Known): string {
  if (trust === undefined) return "";
  const { state, reason, missing_tools = [], signed_by, trusted } = trust;
  return [
    shown(state ?? "of an older version"),
    ...(reason === undefined ? [] : [shown(reason)]),
    ...(missing_tools.length === 0 ? [] : [`missing tools: ${list(missing_tools)}`]),
    `signed by ${shown(signed_by)}${trusted ? "" : ", which is not trusted"}`,
  ].join("; ");
}

function madeFrom({ source, provenance }: Known): string {
  const { forked_from: fork, merged_from: merged = [] } = provenance ?? {};
  if (fork !== undefined) return `a fork of ${relatedText(fork)}`;
  return merged.length > 0 ? `a merge of ${list(merged.map(relatedText))}` : shown(source);
}

function namedBy({ naming }: Known): string {
  if (naming === undefined) return "";
  const curated = naming.curated_by === undefined ? "" : `, curated by ${shown(naming.curated_by)}`;
  return `${shown(naming.by)} (${shown(naming.actor)}${curated})${timeText(naming.date)}, before ${shown(naming.from)}`;
}

function cachingText({ cache_policy, ttl }: Known): string {
  return `${shown(cache_policy)}${ttl === undefined ? "" : `, for ${ttl} s`}`;
}

function timeText(iso: string | undefined): string {
  return iso === undefined ? "" : `, ${shown(localTime(iso).slice(0, "2026-11-16 01:02".length))}`;
}

function list(texts: readonly string[]): string {
  return texts.map(shown).join(", ");
}

function fieldsText(fields: Fields): string {
  return table(
    fields.filter(([, text]) => text !== ""),
    ANY_WIDTH,
  );
}

/** The dominant path has a star. */
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
  return [shown(nodeId), `${rounds} in ${counted(runs, "run")}`];
}

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  return [`${title}\n${indented(table(rows, ANY_WIDTH))}`];
}
