/**
 * Capabilities as people read them: text out of what the `cap_*` tools answer.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { table, visible } from "./output.js";
import type { OwnAnswer } from "./own-tool-call.js";

/** A page of a listing, and where the next one begins. */
export function listText(answer: OwnAnswer, offset: number, width?: number): string {
  const rows = rowsOf(answer);
  const total = typeof answer.total === "number" ? answer.total : offset + rows.length;
  if (rows.length === 0)
    return total === 0 ? "No capabilities" : `Nothing from ${offset} on: there are ${total} capabilities`;
  const cells = rows.map((row) => [
    shown(row.name),
    shown(row.usage_count),
    percent(row.success_rate),
    firstLine(row.description),
  ]);
  const end = offset + rows.length;
  const more = end < total ? `\n\n${offset + 1} to ${end} of ${total}; next: --offset ${end}` : "";
  return trimmed(table([["NAME", "USED", "SUCCESS", "DESCRIPTION"], ...cells], width)) + more;
}

/** A record: a line a field, and the parameters as they are passed. */
export function recordText(answer: OwnAnswer): string {
  const { parameters, warnings: _, ...rest } = answer;
  const lines = Object.entries(rest)
    .filter(([, value]) => shown(value) !== "")
    .map(([key, value]) => [
      key.replaceAll("_", " "),
      key === "success_rate" ? percent(value) : RELATED.has(key) ? names(value) : shown(value),
    ]);
  const fields = parameterRows(parameters);
  const text = table(lines, Number.POSITIVE_INFINITY);
  if (fields.length === 0) return text;
  const indented = fields.map(([first = "", ...others]) => [`  ${first}`, ...others]);
  return `${text}\n\nparameters\n${trimmed(table(indented, Number.POSITIVE_INFINITY))}`;
}

/** Lists of other capabilities. */
const RELATED = new Set(["dependencies", "dependents"]);

function names(value: unknown): string {
  const related: readonly unknown[] = Array.isArray(value) ? value : [];
  return related.map((one) => shown(isJsonObject(one) ? one.name : one)).join(", ");
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

/** Without what an empty last cell leaves at the end of a line. */
function trimmed(text: string): string {
  return text.replace(/ +$/gm, "");
}

function rowsOf({ capabilities }: OwnAnswer): readonly OwnAnswer[] {
  return Array.isArray(capabilities) ? capabilities.filter(isJsonObject) : [];
}

function firstLine(value: unknown): string {
  return typeof value === "string" ? visible(value.trim().split("\n")[0] ?? "") : "";
}

function percent(rate: unknown): string {
  return typeof rate === "number" ? `${Math.round(rate * 100)} %` : "–";
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(shown).join(", ");
  return visible(typeof value === "object" ? JSON.stringify(value) : String(value));
}
