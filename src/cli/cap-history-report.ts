/**
 * The history of a capability as people read it.
 *
 * @module
 */

import type { AnswerOf } from "../app/call-operation.js";
import { shown } from "./cap-report.js";
import { table, visibleLines } from "./output.js";

export interface HistoryLook {
  readonly hasDiffs: boolean;
  readonly hasColours: boolean;
}

const MINUTE_CHARS = "2026-11-16T01:02".length;
const RESET = "\u001b[0m";
const BOLD = "\u001b[1m";
const RED = "\u001b[31m";
const GREEN = "\u001b[32m";
const CYAN = "\u001b[36m";

type History = AnswerOf<"cap:history">;
type Version = History["versions"][number];

/** Versions and former names as tables, then what has changed in the code. */
export function historyText(answer: History, { hasDiffs, hasColours }: HistoryLook, width?: number): string {
  const { versions, total_versions: total } = answer;
  const renames = "renames" in answer ? answer.renames : [];
  const parts = [table(versionRows(versions), width)];
  if (total > versions.length) parts.push(`${versions.length} of ${total} versions; more: --limit N`);
  if (renames.length > 0) parts.push(table(renameRows(renames), width));
  if (hasDiffs) parts.push(...versions.flatMap((version) => changeText(version, hasColours)));
  return parts.join("\n\n");
}

/** The last columns are the free texts: those are cut to the terminal. */
function versionRows(versions: readonly Version[]): readonly (readonly string[])[] {
  const isServer = versions.every((version) => !("author" in version));
  const rows = versions.map((version) => [
    shown(version.version),
    shown(version.version_tag),
    minute(version.date),
    ...("author" in version
      ? [shown(version.author), shown(version.change_summary)]
      : [shown(version.code_url)]),
  ]);
  return [["VERSION", "TAG", "DATE", ...(isServer ? ["CODE"] : ["AUTHOR", "SUMMARY"])], ...rows];
}

function renameRows(
  renames: Extract<History, { type: "capability" }>["renames"],
): readonly (readonly string[])[] {
  const rows = renames.map(({ from, to, date, by, actor, curated_by, gave_way_to }) => [
    shown(from),
    shown(to),
    minute(date),
    gave_way_to === undefined
      ? `${shown(by)} (${shown(actor)}${curated_by === undefined ? "" : `, curated by ${shown(curated_by)}`})`
      : `${shown(by)} (the old name is the tool ${shown(gave_way_to)})`,
  ]);
  return [["FORMER NAME", "RENAMED TO", "DATE", "BY"], ...rows];
}

function changeText(version: Version, hasColours: boolean): readonly string[] {
  if (!("author" in version)) return [];
  const { diff, diff_note } = version;
  const lines = diff === undefined ? [] : visibleLines(diff).replace(/\n$/, "").split("\n");
  const note = diff_note === undefined ? [] : [`version ${version.version}: ${shown(diff_note)}`];
  const text = [...(hasColours ? lines.map(coloured) : lines), ...note].join("\n");
  return text === "" ? [] : [text];
}

/** The two lines in front say which versions are compared, and are no change of a line that begins with dashes. */
function coloured(line: string, at: number): string {
  const colour = at < 2 ? BOLD : line.startsWith("@@") ? CYAN : CHANGE_COLOUR[line.charAt(0)];
  return colour === undefined ? line : `${colour}${line}${RESET}`;
}

const CHANGE_COLOUR: Readonly<Record<string, string>> = { "-": RED, "+": GREEN };

function minute(date: string): string {
  return shown(date.slice(0, MINUTE_CHARS).replace("T", " "));
}
