/**
 * What `pml cache` prints.
 *
 * @module
 */
import type { OwnAnswer } from "../app/own-tool-call.js";
import { isJsonObject } from "../base/json-object.js";
import { table, visible } from "./output.js";

const WIDE = Number.POSITIVE_INFINITY;

/** Why results were dropped, for people. */
const REASONS: Readonly<Record<string, string>> = {
  tool_schema_change: "a tool has changed",
  tool_removed: "a tool is gone",
  tool_called: "it may have changed what was read",
  repeated_failures: "it failed three times in a row",
  new_version: "there is a new version",
  policy_change: "its cache policy was changed",
  capability_deleted: "it was deleted",
  manual: "somebody asked for it",
};

export function cacheStatsText({ enabled, hits, misses, memory, store }: OwnAnswer): string {
  if (enabled === false) return "Nothing is cached: cache.enabled is false in the configuration";
  const of = (part: unknown, field: string) => Number(isJsonObject(part) ? part[field] : 0);
  const rows = [
    ["", "HITS", "KEPT", "BYTES"],
    ["execution", of(hits, "execution"), of(memory, "entries"), of(memory, "bytes")],
    ["capability", of(hits, "capability"), of(store, "entries"), of(store, "bytes")],
    ["intent", of(hits, "intent"), "", ""],
    ["misses", Number(misses), "", ""],
  ];
  return trimmed(rows.map((row) => row.map(String)));
}

export function clearedText({ dropped, of }: OwnAnswer): string {
  const count = Number(dropped);
  return `Dropped ${count} ${count === 1 ? "result" : "results"} of ${visible(String(of))}`;
}

export function cacheLogText(rows: readonly Readonly<Record<string, unknown>>[]): string {
  if (rows.length === 0) return "No results were dropped so far";
  const cells = rows.map(({ at, entries, trigger, tool, capability, by }) => [
    String(at).slice(0, 19).replace("T", " "),
    String(entries),
    visible(String(capability ?? tool ?? "everything")),
    REASONS[String(trigger)] ?? visible(String(trigger)),
    by === undefined ? "" : visible(String(by)),
  ]);
  return trimmed([["WHEN (UTC)", "RESULTS", "OF", "WHY", "BY"], ...cells]);
}

function trimmed(rows: readonly (readonly string[])[]): string {
  return table(rows, WIDE).replace(/ +$/gm, "");
}
