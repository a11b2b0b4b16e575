/**
 * What `pml discover` prints.
 *
 * @module
 */
import type { OwnAnswer } from "../app/own-tool-call.js";
import { isJsonObject } from "../base/json-object.js";
import { table, visible, visibleLines } from "./output.js";

export interface DiscoverReport {
  readonly text: string;
  /** Beside the output. */
  readonly notes: readonly string[];
}

interface Asked {
  readonly offset: number;
  readonly isFull: boolean;
}

const NAME_CHARS = 44;
const ELSEWHERE = "say it in other words, or see all there is with `pml tools list` and `pml cap list`";
/** What agents call these. */
const OPTION_OF: Readonly<Record<string, string>> = {
  "filter.type": "--type",
  "filter.namespace": "--namespace",
  "filter.minScore": "--min-score",
};

export function discoverReport(answer: OwnAnswer, { offset, isFull }: Asked, width?: number): DiscoverReport {
  const results = rowsOf(answer.results);
  const warnings: readonly unknown[] = Array.isArray(answer.warnings) ? answer.warnings : [];
  const notes = [
    ...warnings.map((warning) => `Warning: ${String(warning)}`),
    ...(answer.ranking === "words"
      ? ["Ranked by words alone: the model that knows meanings does not answer yet; `pml doctor` shows it"]
      : []),
  ];
  const leftOut = typeof answer.left_out === "number" ? answer.left_out : 0;
  if (leftOut > 0) notes.push(`${leftOut} more score too low: --min-score 0 shows them`);
  if (results.length === 0) return { text: emptyText(answer, offset), notes };
  if (answer.hint !== undefined) notes.push(`Nothing fits this intent well: ${ELSEWHERE}`);
  const body = isFull ? results.map(block).join("\n\n") : resultTable(results, width);
  const next = answer.next_offset;
  const more =
    typeof next === "number" ? `\n\n${offset + 1} to ${offset + results.length}; next: --offset ${next}` : "";
  return { text: body + more, notes };
}

function emptyText({ hint }: OwnAnswer, offset: number): string {
  if (offset > 0) return `Nothing from ${offset} on`;
  const told = shown(hint).replace(/filter\.\w+/g, (name) => OPTION_OF[name] ?? name);
  if (/^Nothing fits with|^No server/.test(told)) return told;
  return `Nothing fits this intent: ${ELSEWHERE}`;
}

function resultTable(results: readonly OwnAnswer[], width: number | undefined): string {
  const hasCapabilities = results.some(({ type }) => type === "capability");
  const head = ["SCORE", "TYPE", "NAME", ...(hasCapabilities ? ["USED", "SUCCESS"] : []), "DESCRIPTION"];
  const rows = results.map((result) => [
    score(result),
    shown(result.type),
    cut(nameOf(result)),
    ...(hasCapabilities ? [shown(result.usage_count), percent(result.success_rate)] : []),
    shown(result.description),
  ]);
  return table([head, ...rows], width)
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

/** All of one result, a line a field. */
function block(result: OwnAnswer): string {
  const { type, description, signature, why, trust, trust_reason, inputSchema, outputSchema } = result;
  const { parameters, source } = result;
  const isCapability = type === "capability";
  const fields: readonly (readonly [string, string])[] = [
    ["signature", shown(signature)],
    ["why", shown(why)],
    ["id", shown(result.id)],
    [
      "used",
      isCapability ? `${shown(result.usage_count)} times, ${percent(result.success_rate)} success` : "",
    ],
    ["trust", [shown(trust), shown(trust_reason)].filter((text) => text !== "").join(": ")],
    ["takes", schemaText(inputSchema ?? parameters)],
    ["gives", schemaText(outputSchema)],
  ];
  const lines = fields
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `  ${name.padEnd(10)} ${text}`);
  return [
    `${nameOf(result)}  ${score(result)}  ${shown(type)}`,
    ...(description === "" ? [] : [`  ${shown(description)}`]),
    ...lines,
    ...sourceLines(source),
  ].join("\n");
}

function sourceLines(source: unknown): readonly string[] {
  if (!isJsonObject(source)) return [];
  const { type, code, note, ...rest } = source;
  const text = typeof code === "string" ? code : JSON.stringify(rest, undefined, 2);
  const lines = visibleLines(text).split("\n");
  return [
    `  ${shown(type)}`,
    ...lines.map((line) => `    ${line}`),
    ...(note === undefined ? [] : [`  ${shown(note)}`]),
  ];
}

function schemaText(schema: unknown): string {
  return schema === undefined ? "" : visible(JSON.stringify(schema));
}

/** What a person types: the id of a tool is shorter than its name on the wire. */
function nameOf({ type, id, name }: OwnAnswer): string {
  return shown(type === "tool" ? id : name);
}

function score({ score: value }: OwnAnswer): string {
  return typeof value === "number" ? value.toFixed(2) : "";
}

function percent(value: unknown): string {
  return typeof value === "number" ? `${Math.round(value * 100)} %` : "";
}

function cut(text: string): string {
  return text.length > NAME_CHARS ? `${text.slice(0, NAME_CHARS - 1)}…` : text;
}

function rowsOf(value: unknown): readonly OwnAnswer[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function shown(value: unknown): string {
  return value === undefined ? "" : visible(String(value));
}
