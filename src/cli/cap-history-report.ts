/**
 * The history of a capability in the form for people.
 *
 * @module
 */

import type { AnswerOf } from "../app/call-operation.js";
import type { Colour, Paint } from "./colour.js";
import { shown, table, visibleLines } from "./output.js";
import { localTime } from "./when.js";

export interface HistoryLook {
  readonly hasDiffs: boolean;
  readonly paint: Paint;
}

const MINUTE_CHARS = "2026-11-16T01:02".length;

type History = AnswerOf<"cap:history">;
type Version = History["versions"][number];

/** Versions and former names as tables, then the changes of the code. */
export function historyText(answer: History, { hasDiffs, paint }: HistoryLook, width?: number): string {
  const { versions, total_versions: total } = answer;
  const renames = "renames" in answer ? answer.renames : [];
  const parts = [table(versionRows(versions), width)];
  if (total > versions.length) parts.push(`${versions.length} of ${total} versions; more: --limit N`);
  if (renames.length > 0) parts.push(table(renameRows(renames), width));
  const promotions = "promotions" in answer ? (answer.promotions ?? []) : [];
  if (promotions.length > 0) parts.push(table(promotionRows(promotions), width));
  if (hasDiffs) parts.push(...versions.flatMap((version) => changeText(version, paint)));
  return parts.join("\n\n");
}

/** The last columns are free text, which is truncated to the terminal's width. */
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

type Promotions = NonNullable<Extract<History, { type: "capability" }>["promotions"]>;

const DECIDED: Readonly<Record<Promotions[number]["kind"], string>> = {
  trial: "on trial",
  promoted: "promoted",
  held: "not promoted",
  rolled_back: "rolled back",
};

function promotionRows(promotions: Promotions): readonly (readonly string[])[] {
  const rows = promotions.map(({ version, kind, to_version, date, by, reason }) => [
    shown(version),
    `${DECIDED[kind]}${to_version === undefined ? "" : ` to ${to_version}`}`,
    minute(date),
    shown(by ?? "rules"),
    shown(reason),
  ]);
  return [["VERSION", "WHAT", "DATE", "BY", "REASON"], ...rows];
}

function changeText(version: Version, paint: Paint): readonly string[] {
  if (!("author" in version)) return [];
  const { diff, diff_note } = version;
  const lines = diff === undefined ? [] : visibleLines(diff).replace(/\n$/, "").split("\n");
  const note = diff_note === undefined ? [] : [`version ${version.version}: ${shown(diff_note)}`];
  const text = [...lines.map((line, at) => coloured(line, at, paint)), ...note].join("\n");
  return text === "" ? [] : [text];
}

/** The first two lines name the compared versions; they are not changes, although they begin with `---` and `+++`. */
function coloured(line: string, at: number, paint: Paint): string {
  const colour = at < 2 ? "bold" : line.startsWith("@@") ? "cyan" : CHANGE_COLOUR[line.charAt(0)];
  return colour === undefined ? line : paint(colour, line);
}

const CHANGE_COLOUR: Readonly<Record<string, Colour>> = { "-": "red", "+": "green" };

function minute(date: string): string {
  return shown(localTime(date).slice(0, MINUTE_CHARS));
}
