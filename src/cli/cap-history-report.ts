/**
 * The history of a capability as people read it.
 *
 * @module
 */

import type { OwnAnswer } from "../app/own-tool-call.js";
import { isJsonObject } from "../base/json-object.js";
import { shown, trimmed } from "./cap-report.js";
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

/** Versions and former names as tables, then what has changed in the code. */
export function historyText(
  answer: OwnAnswer,
  { hasDiffs, hasColours }: HistoryLook,
  width?: number,
): string {
  const versions = rowsOf(answer.versions);
  const renames = rowsOf(answer.renames);
  const total = typeof answer.total_versions === "number" ? answer.total_versions : versions.length;
  const parts = [trimmed(table(versionRows(versions), width))];
  if (total > versions.length) parts.push(`${versions.length} of ${total} versions; more: --limit N`);
  if (renames.length > 0) parts.push(trimmed(table(renameRows(renames), width)));
  if (hasDiffs) parts.push(...versions.flatMap((version) => changeText(version, hasColours)));
  return parts.join("\n\n");
}

/** The last columns are the free texts: those are cut to the terminal. */
function versionRows(versions: readonly OwnAnswer[]): readonly (readonly string[])[] {
  const isServer = versions.every(({ author }) => author === undefined);
  const rows = versions.map((version) => [
    shown(version.version),
    shown(version.version_tag),
    minute(version.date),
    ...(isServer ? [shown(version.code_url)] : [shown(version.author), shown(version.change_summary)]),
  ]);
  return [["VERSION", "TAG", "DATE", ...(isServer ? ["CODE"] : ["AUTHOR", "SUMMARY"])], ...rows];
}

function renameRows(renames: readonly OwnAnswer[]): readonly (readonly string[])[] {
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

function changeText({ version, diff, diff_note }: OwnAnswer, hasColours: boolean): readonly string[] {
  const lines = typeof diff === "string" ? visibleLines(diff).replace(/\n$/, "").split("\n") : [];
  const note = diff_note === undefined ? [] : [`version ${shown(version)}: ${shown(diff_note)}`];
  const text = [...(hasColours ? lines.map(coloured) : lines), ...note].join("\n");
  return text === "" ? [] : [text];
}

/** The two lines in front say which versions are compared, and are no change of a line that begins with dashes. */
function coloured(line: string, at: number): string {
  const colour = at < 2 ? BOLD : line.startsWith("@@") ? CYAN : CHANGE_COLOUR[line.charAt(0)];
  return colour === undefined ? line : `${colour}${line}${RESET}`;
}

const CHANGE_COLOUR: Readonly<Record<string, string>> = { "-": RED, "+": GREEN };

function minute(date: unknown): string {
  return typeof date === "string" ? shown(date.slice(0, MINUTE_CHARS).replace("T", " ")) : "";
}

function rowsOf(value: unknown): readonly OwnAnswer[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
