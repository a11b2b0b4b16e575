/**
 * What `pml cache` prints.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { ANY_WIDTH, table, visible } from "./output.js";
import { localTime } from "./when.js";

/** Why results were dropped, for people. */
const REASONS: Readonly<Record<string, string>> = {
  tool_schema_change: "a tool has changed",
  tool_removed: "a tool no longer exists",
  tool_called: "it may have changed the data that was read",
  repeated_failures: "it failed three times in a row",
  new_version: "there is a new version",
  policy_change: "its cache policy was changed",
  capability_deleted: "it was deleted",
  manual: "cleared by a person",
};

type Answer = AnswerOf<"pml:cache">;
type Logged = Exclude<Answer, { enabled: boolean } | { dropped: number }>;

export function cacheText(answer: Answer): string {
  if ("dropped" in answer) {
    const { dropped, of } = answer;
    return `Dropped ${dropped} ${dropped === 1 ? "result" : "results"} of ${visible(of)}`;
  }
  if (!("enabled" in answer)) return logText(answer.invalidations);
  if (!answer.enabled) return "Nothing is cached: cache.enabled is false in the configuration";
  const { hits, misses, memory, store } = answer;
  const rows = [
    ["", "HITS", "KEPT", "BYTES"],
    ["execution", hits.execution, memory.entries, memory.bytes],
    ["capability", hits.capability, store.entries, store.bytes],
    ["intent", hits.intent, "", ""],
    ["misses", misses, "", ""],
  ];
  return table(
    rows.map((row) => row.map(String)),
    ANY_WIDTH,
  );
}

function logText(rows: Logged["invalidations"]): string {
  if (rows.length === 0) return "No results were dropped so far";
  const cells = rows.map(({ at, entries, trigger, tool, capability, by = "" }) => [
    visible(localTime(at)),
    String(entries),
    visible(capability ?? tool ?? "everything"),
    REASONS[trigger] ?? visible(trigger),
    visible(by),
  ]);
  return table([["WHEN", "RESULTS", "OF", "WHY", "BY"], ...cells], ANY_WIDTH);
}
