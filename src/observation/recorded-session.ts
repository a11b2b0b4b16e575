/**
 * Tool calls as a client made them, one after the other, with what they were answered.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { parseShallow } from "../base/json-depth.js";

export interface RecordedCall {
  /** `server:tool`. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, Json>>;
  /** As code would get it: JSON where the tool answered with JSON. */
  readonly result: Json;
  readonly isError?: boolean;
}

export interface RecordedSession {
  readonly id: string;
  /** Sessions of one group are attempts at one task, and count once. */
  readonly group?: string;
  readonly calls: readonly RecordedCall[];
  /** The number of the first call, where earlier ones were forgotten. */
  readonly first?: number;
}

/** A result that is JSON in a text is read as JSON. */
export function readResult(result: Json): Json {
  if (typeof result !== "string" || !/^\s*[[{]/.test(result)) return result;
  try {
    return parseShallow(result) as Json;
  } catch {
    return result;
  }
}

/** Some clients write `server_tool`: which underscore is the border is seen by the ids of the tools that there are. */
export function withToolIds(
  sessions: readonly RecordedSession[],
  ids: readonly string[],
): readonly RecordedSession[] {
  const known = new Set(ids);
  const byWords = new Map(ids.map((id) => [wordsOf(id), id]));
  const idOf = (tool: string) => (known.has(tool) ? tool : (byWords.get(wordsOf(tool)) ?? tool));
  return sessions.map((session) => ({
    ...session,
    calls: session.calls.map((call) => ({ ...call, tool: idOf(call.tool) })),
  }));
}

function wordsOf(tool: string): string {
  return tool.replace(/[^a-zA-Z0-9_-]/g, "_");
}
