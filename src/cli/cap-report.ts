/**
 * Capabilities as people read them: text out of what the `cap_*` tools answer.
 *
 * @module
 */

import type { AnswerOf } from "../app/call-operation.js";
import { isJsonObject } from "../base/json-object.js";
import { ANY_WIDTH, table, visible, visibleLines } from "./output.js";

type Listed = AnswerOf<"cap:list">;

/** A page of a listing, and where the next one begins. */
export function listText(
  { capabilities: rows, total, hint }: Listed,
  offset: number,
  kind: "capabilities" | "servers" = "capabilities",
  width?: number,
): string {
  if (rows.length === 0)
    return total === 0 ? `No ${kind}` : `Nothing from ${offset} on: there are ${total} ${kind}`;
  const heads =
    kind === "servers"
      ? ["NAME", "VERSION", "ROUTING", "VISIBILITY", "DESCRIPTION"]
      : ["NAME", "USED", "SUCCESS", "DESCRIPTION"];
  const end = offset + rows.length;
  const more = end < total ? `\n\n${offset + 1} to ${end} of ${total}; next: --offset ${end}` : "";
  const advice = hint === undefined ? "" : `\n\n${shown(hint.replace("cap_curate", "pml cap curate"))}`;
  return table([heads, ...rows.map(rowText)], width) + more + advice;
}

function rowText(row: Listed["capabilities"][number]): readonly string[] {
  const { name, description } = row;
  const cells =
    "routing" in row
      ? [row.version, row.routing, row.visibility].map(shown)
      : [shown(row.usage_count), percent(row.success_rate)];
  return [shown(name), ...cells, firstLine(description)];
}

/** A record: a line a field, and the parameters as they are passed. */
export function recordText(answer: object): string {
  const { parameters, warnings: _, ...rest } = answer as Readonly<Record<string, unknown>>;
  const lines = Object.entries(rest).flatMap(([key, value]) => fieldLines(key.replaceAll("_", " "), value));
  const fields = parameterRows(parameters);
  const text = table(lines, ANY_WIDTH);
  if (fields.length === 0) return text;
  const indented = fields.map(([first = "", ...others]) => [`  ${first}`, ...others]);
  return `${text}\n\nparameters\n${table(indented, ANY_WIDTH)}`;
}

const SAVED: Readonly<Record<string, string>> = {
  created: "Saved",
  known: "Already known",
  named: "Already known, now named",
  updated: "Saved as a new version",
};

/** What has become of the code, and the record. */
export function savedText({ saved, ...record }: AnswerOf<"cap:save">): string {
  const done = SAVED[saved] ?? "Saved";
  return `${done}: ${shown(record.display_name)}@${shown(record.version)}\n\n${recordText(record)}`;
}

/** The same with the code that joins the sources, which nobody may have read yet. */
export function mergedText({ code, ...answer }: AnswerOf<"cap:merge">): string {
  return `${savedText(answer)}\n\ncode\n${visibleLines(code).replace(/^(?=.)/gm, "  ")}`;
}

/** What is deleted, and until when it can be brought back. */
export function deletedText({ display_name, reserved_until }: AnswerOf<"cap:delete">): string {
  const until = reserved_until?.slice(0, "2026-11-16".length);
  const back = until === undefined ? "" : `; until ${shown(until)} \`pml cap undelete\` restores it`;
  return `Deleted ${shown(display_name)}${back}`;
}

/** One line, or one for each field of an object; none for what says nothing. */
function fieldLines(label: string, value: unknown): readonly (readonly string[])[] {
  if (isJsonObject(value) && !isRelated(value))
    return Object.entries(value).flatMap(([key, field]) =>
      fieldLines(`${label} ${key.replaceAll("_", " ")}`, field),
    );
  const text = label === "success rate" ? percent(value) : valueText(value);
  return text === "" ? [] : [[label, text]];
}

function valueText(value: unknown): string {
  if (isRelated(value)) return relatedText(value);
  return Array.isArray(value) ? value.map(valueText).join(", ") : shown(value);
}

/** Another capability, as records name it. */
function isRelated(value: unknown): value is Readonly<Record<string, unknown>> {
  return isJsonObject(value) && typeof value.name === "string" && typeof value.fqdn === "string";
}

function relatedText({ name, pinned, deleted_at }: Readonly<Record<string, unknown>>): string {
  const version = pinned === undefined ? "" : `@${shown(pinned)}`;
  return `${shown(name)}${version}${deleted_at === undefined ? "" : " (deleted)"}`;
}

function parameterRows(schema: unknown): readonly (readonly string[])[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([name, property]) => {
    const { type, description, default: fallback } = isJsonObject(property) ? property : {};
    const need = required.includes(name) ? "required" : "optional";
    const without = fallback === undefined ? need : `${need}, ${JSON.stringify(fallback)} by default`;
    return [visible(name), type === undefined ? "any" : shown(type), visible(without), shown(description)];
  });
}

function firstLine(value: unknown): string {
  return typeof value === "string" ? visible(value.trim().split("\n")[0] ?? "") : "";
}

function percent(rate: unknown): string {
  return typeof rate === "number" ? `${Math.round(rate * 100)} %` : "–";
}

/** A value on one line. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(shown).join(", ");
  return visible(typeof value === "object" ? JSON.stringify(value) : String(value));
}
