/**
 * Curation in the form for people: suggestions, applied names, and capabilities that keep their name.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { shown, table, visibleLines } from "./output.js";

/** Names with more confidence are applied without asking. */
export const SURE = 0.8;
const CODE_LINES = 14;
const LABEL_COLUMNS = 10;

type Answer<Mode extends AnswerOf<"cap:curate">["mode"]> = Extract<
  AnswerOf<"cap:curate">,
  { readonly mode: Mode }
>;

export type Suggested = Answer<"suggest">;
export type Suggestion = Suggested["suggestions"][number];
export type Applied = Answer<"apply">;
export type Renamed = Applied["results"][number];

/** A page as a table, with the possible next steps. */
export function suggestionsText(
  { suggestions: rows, total }: Suggested,
  offset: number,
  width?: number,
): string {
  if (rows.length === 0)
    return total === 0
      ? "There are no unnamed capabilities"
      : `No entry at offset ${offset}: ${total} wait for a name`;
  const cells = rows.map((row) => [
    shown(row.currentName),
    shown(row.suggestedName),
    confidenceText(row.confidence),
    shown(row.reasoning),
  ]);
  const end = offset + rows.length;
  const more = end < total ? `${offset + 1} to ${end} of ${total}; next: --offset ${end}\n` : "";
  return `${table([["NAME NOW", "SUGGESTED", "SURE", "WHY"], ...cells], width)}

${more}\`pml cap curate --auto\` applies those with confidence over ${SURE}; in a terminal \`pml cap curate\` asks about each.`;
}

/** Applied names and kept names, each with the reason. */
export function autoText(answer: Answer<"auto">, width?: number): string {
  const { applied, left, left_total: total } = answer;
  const parts = [
    applied.length === 0
      ? "No name was applied"
      : table(
          [
            ["NAME BEFORE", "NAME NOW", "SURE"],
            ...applied.map((row) => [shown(row.from), shown(row.name), confidenceText(row.confidence)]),
          ],
          width,
        ),
    ...(left.length === 0
      ? []
      : [
          table(
            [
              ["NOT RENAMED", "SUGGESTED", "WHY"],
              ...left.map((row) => [shown(row.currentName), shown(row.suggestedName), shown(row.why)]),
            ],
            width,
          ),
        ]),
    ...(total > left.length ? [`and ${total - left.length} more that were not renamed`] : []),
    ...(answer.others === undefined
      ? []
      : [`${shown(answer.others)} more were not processed: run the command again`]),
  ];
  return parts.join("\n\n");
}

/** One line for each rename. */
export function appliedText({ results }: Applied): string {
  return results.map(resultLine).join("\n");
}

export function resultLine({ id, ok, from, name, error }: Renamed): string {
  if (ok) return `${shown(from)} is now called ${shown(name)}`;
  const advice = error?.hint === undefined ? "" : `\n  ${shown(error.hint)}`;
  return `${shown(id)} was not renamed: ${shown(error?.message)} [${shown(error?.code)}]${advice}`;
}

/** Everything that a person needs to decide about one suggestion. */
export function reviewText(row: Suggestion): string {
  const { suggestedName, confidence, usageCount, code = "" } = row;
  const fields: readonly (readonly [string, string])[] = [
    ["intent", shown(row.intent)],
    ["calls", shown(row.tools)],
    ["code", codeText(code)],
    ["name", `${shown(suggestedName)}  ${confidenceText(confidence)}${confidence > SURE ? "" : ", unsure"}`],
    ["because", shown(row.reasoning)],
    ["does", shown(row.description)],
    ["tags", shown(row.tags)],
    ["near", shown(row.near)],
    ["by", shown(row.by)],
  ];
  const used = usageCount === undefined ? "" : `  used ${usageCount}×`;
  const lines = fields
    .filter(([, text]) => text !== "")
    .map(
      ([label, text]) =>
        `  ${label.padEnd(LABEL_COLUMNS)}${text.replaceAll("\n", `\n${"".padEnd(LABEL_COLUMNS + 2)}`)}`,
    );
  return [`${shown(row.currentName)}${used}`, ...lines].join("\n");
}

/** The beginning of the code. */
function codeText(code: string): string {
  const lines = visibleLines(code.replaceAll("\t", "  ").trim()).split("\n");
  const more = lines.length - CODE_LINES;
  return [...lines.slice(0, CODE_LINES), ...(more > 0 ? [`… (${more} lines more)`] : [])].join("\n");
}

function confidenceText(confidence: number): string {
  return confidence.toFixed(2);
}
