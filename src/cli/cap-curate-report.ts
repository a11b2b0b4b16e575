/**
 * Curation as people read it: suggestions, what was applied, and what was left.
 *
 * @module
 */
import type { OwnAnswer } from "../app/own-tool-call.js";
import { isJsonObject } from "../base/json-object.js";
import { shown, trimmed } from "./cap-report.js";
import { table, visibleLines } from "./output.js";

/** Over this a name is applied without anybody being asked. */
export const SURE = 0.8;
const CODE_LINES = 14;
const LABEL_COLUMNS = 10;

export interface SuggestionView {
  readonly id: string;
  readonly currentName: string;
  readonly suggestedName: string;
  readonly confidence: number;
  readonly row: OwnAnswer;
}

/** The rows of an answer that are suggestions. */
export function suggestionsOf(answer: OwnAnswer): readonly SuggestionView[] {
  return rowsOf(answer.suggestions).map((row) => ({
    id: String(row.id),
    currentName: String(row.currentName),
    suggestedName: String(row.suggestedName),
    confidence: Number(row.confidence),
    row,
  }));
}

/** A page as a table, and what can be done with it. */
export function suggestionsText(answer: OwnAnswer, offset: number, width?: number): string {
  const rows = rowsOf(answer.suggestions);
  const total = Number(answer.total ?? rows.length);
  if (rows.length === 0)
    return total === 0 ? "Nothing waits for a name" : `Nothing from ${offset} on: ${total} wait for a name`;
  const cells = rows.map((row) => [
    shown(row.currentName),
    shown(row.suggestedName),
    confidenceText(row.confidence),
    shown(row.reasoning),
  ]);
  const end = offset + rows.length;
  const more = end < total ? `${offset + 1} to ${end} of ${total}; next: --offset ${end}\n` : "";
  return `${trimmed(table([["NAME NOW", "SUGGESTED", "SURE", "WHY"], ...cells], width))}

${more}\`pml cap curate --auto\` applies those over ${SURE}; in a terminal \`pml cap curate\` asks about each.`;
}

/** What was applied and what was left, each with why. */
export function autoText(answer: OwnAnswer, width?: number): string {
  const applied = rowsOf(answer.applied);
  const left = rowsOf(answer.left);
  const total = Number(answer.left_total ?? left.length);
  const parts = [
    applied.length === 0
      ? "No name was applied"
      : trimmed(
          table(
            [
              ["NAME BEFORE", "NAME NOW", "SURE"],
              ...applied.map((row) => [shown(row.from), shown(row.name), confidenceText(row.confidence)]),
            ],
            width,
          ),
        ),
    ...(left.length === 0
      ? []
      : [
          trimmed(
            table(
              [
                ["LEFT AS IT IS", "SUGGESTED", "WHY"],
                ...left.map((row) => [shown(row.currentName), shown(row.suggestedName), shown(row.why)]),
              ],
              width,
            ),
          ),
        ]),
    ...(total > left.length ? [`and ${total - left.length} more that were left`] : []),
    ...(answer.others === undefined ? [] : [`${shown(answer.others)} more were not looked at: run it again`]),
  ];
  return parts.join("\n\n");
}

/** One line for each rename. */
export function appliedText(answer: OwnAnswer): string {
  return rowsOf(answer.results).map(resultLine).join("\n");
}

export function resultLine(row: OwnAnswer): string {
  if (row.ok === true) return `${shown(row.from)} is called ${shown(row.name)} from now on`;
  const { code, message, hint } = isJsonObject(row.error) ? row.error : {};
  const advice = hint === undefined ? "" : `\n  ${shown(hint)}`;
  return `${shown(row.id)} was not renamed: ${shown(message)} [${shown(code)}]${advice}`;
}

/** All that a person needs to decide about one. */
export function reviewText({ row, currentName, suggestedName, confidence }: SuggestionView): string {
  const { tags, near, tools, by } = row;
  const fields: readonly (readonly [string, string])[] = [
    ["intent", shown(row.intent)],
    ["calls", listed(tools)],
    ["code", codeText(row.code)],
    ["name", `${shown(suggestedName)}  ${confidenceText(confidence)}${confidence > SURE ? "" : ", unsure"}`],
    ["because", shown(row.reasoning)],
    ["does", shown(row.description)],
    ["tags", listed(tags)],
    ["near", listed(near)],
    ["by", by === undefined ? "" : shown(by)],
  ];
  const used = typeof row.usageCount === "number" ? `  used ${row.usageCount}×` : "";
  const lines = fields
    .filter(([, text]) => text !== "")
    .map(
      ([label, text]) =>
        `  ${label.padEnd(LABEL_COLUMNS)}${text.replaceAll("\n", `\n${"".padEnd(LABEL_COLUMNS + 2)}`)}`,
    );
  return [`${shown(currentName)}${used}`, ...lines].join("\n");
}

/** The beginning of it. */
function codeText(code: unknown): string {
  if (typeof code !== "string") return "";
  const lines = visibleLines(code.replaceAll("\t", "  ").trim()).split("\n");
  const more = lines.length - CODE_LINES;
  return [...lines.slice(0, CODE_LINES), ...(more > 0 ? [`… (${more} lines more)`] : [])].join("\n");
}

function listed(values: unknown): string {
  return Array.isArray(values) ? values.map(shown).join(", ") : "";
}

function confidenceText(confidence: unknown): string {
  return typeof confidence === "number" ? confidence.toFixed(2) : "–";
}

function rowsOf(value: unknown): readonly OwnAnswer[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
