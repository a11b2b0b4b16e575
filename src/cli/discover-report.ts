/**
 * The output of `pml discover`.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { counted, shown, table, visible, visibleLines } from "./output.js";

export interface DiscoverReport {
  readonly text: string;
  /** Lines for stderr. */
  readonly notes: readonly string[];
}

type Answer = AnswerOf<"pml:discover">;
type Result = Answer["results"][number];
type Capability = Extract<Result, { type: "capability" }>;
/** The fields of a tool or a capability. */
type Fields = Pick<Result, "type" | "description"> &
  Partial<Omit<Extract<Result, { type: "tool" }>, "type">> &
  Partial<Omit<Capability, "type">>;

interface Asked {
  readonly offset: number;
  readonly isFull: boolean;
}

const NAME_CHARS = 44;
/** The beginning of the hint in a poor answer. */
const POOR = "No good match";
const ELSEWHERE = "rephrase it, or list everything with `pml tools list` and `pml cap list`";
/** Command line options for the agents' names. */
const OPTION_OF: Readonly<Record<string, string>> = {
  "filter.type": "--type",
  "filter.namespace": "--namespace",
  "filter.minScore": "--min-score",
};

export function discoverReport(answer: Answer, { offset, isFull }: Asked, width?: number): DiscoverReport {
  const { results, warnings = [], left_out: leftOut = 0, next_offset: next } = answer;
  const notes = [
    ...warnings.map((warning) => `Warning: ${warning}`),
    ...(answer.ranking === "words"
      ? ["Ranked by words only: the embedding model is not ready; see `pml doctor`"]
      : []),
  ];
  if (leftOut > 0) notes.push(`${leftOut} more below the minimum score: --min-score 0 shows them`);
  if (results.length === 0) return { text: emptyText(answer, offset), notes };
  if (answer.hint?.startsWith(POOR) === true) notes.push(`${POOR} for this intent: ${ELSEWHERE}`);
  if (answer.note !== undefined) notes.push(shown(answer.note));
  const body = isFull ? results.map(block).join("\n\n") : resultTable(results, width);
  const more =
    next === undefined ? "" : `\n\n${offset + 1} to ${offset + results.length}; next: --offset ${next}`;
  return { text: body + more, notes };
}

function emptyText({ hint }: Answer, offset: number): string {
  if (offset > 0) return `No results from ${offset} on`;
  const told = shown(hint).replace(/filter\.\w+/g, (name) => OPTION_OF[name] ?? name);
  if (/^No match with|^No server/.test(told)) return told;
  return `No match for this intent: ${ELSEWHERE}`;
}

function resultTable(results: readonly Result[], width: number | undefined): string {
  const hasCapabilities = results.some(({ type }) => type === "capability");
  const hasSteps = results.some((result) => result.for !== undefined);
  const head = [
    ...["SCORE", "TYPE", "NAME"],
    ...(hasSteps ? ["FOR"] : []),
    ...(hasCapabilities ? ["USED", "SUCCESS"] : []),
    "DESCRIPTION",
  ];
  const rows = results.map((result) => [
    score(result),
    shown(result.type),
    cut(nameOf(result)),
    ...(hasSteps ? [shown(result.for)] : []),
    ...(hasCapabilities ? usedCells(result) : []),
    shown(result.description),
  ]);
  return table([head, ...rows], width)
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

function usedCells({ usage_count, success_rate }: Fields): readonly string[] {
  return [shown(usage_count), percent(success_rate)];
}

/** All fields of one result, one per line. */
function block(result: Result): string {
  const { type, description, trust, trust_reason, inputSchema, outputSchema, parameters, source }: Fields =
    result;
  const { usage_count: used, success_rate: success }: Fields = result;
  const fields: readonly (readonly [string, string])[] = [
    ["signature", shown(result.signature)],
    ["why", shown(result.why)],
    ["for", shown(result.for)],
    ["id", shown(result.id)],
    ["used", used === undefined ? "" : `${counted(used, "time")}, ${percent(success)} success`],
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
    ...(source === undefined ? [] : sourceLines(source)),
  ].join("\n");
}

function sourceLines({ type, ...source }: NonNullable<Capability["source"]>): readonly string[] {
  const { code, note, ...rest } = { code: undefined, note: undefined, ...source };
  const lines = visibleLines(code ?? JSON.stringify(rest, undefined, 2)).split("\n");
  return [
    `  ${shown(type)}`,
    ...lines.map((line) => `    ${line}`),
    ...(note === undefined ? [] : [`  ${shown(note)}`]),
  ];
}

function schemaText(schema: unknown): string {
  return schema === undefined ? "" : visible(JSON.stringify(schema));
}

/** The name to type: the id of a tool is shorter than its wire name. */
function nameOf({ type, id, name }: Result): string {
  return shown(type === "tool" ? id : name);
}

function score({ score: value }: Result): string {
  return value.toFixed(2);
}

function percent(value: number | undefined): string {
  return value === undefined ? "" : `${Math.round(value * 100)} %`;
}

function cut(text: string): string {
  return text.length > NAME_CHARS ? `${text.slice(0, NAME_CHARS - 1)}…` : text;
}
