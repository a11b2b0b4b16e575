/**
 * Tool calls of a client in sequence, with their answers.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { parseShallow } from "../base/json-depth.js";

export interface RecordedCall {
  /** `server:tool`. */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, Json>>;
  /** In the form for code: JSON if the tool answered with JSON. */
  readonly result: Json;
  readonly isError?: boolean;
}

export interface RecordedSession {
  readonly id: string;
  /** Sessions of one group are attempts at one task, and count once. */
  readonly group?: string;
  readonly calls: readonly RecordedCall[];
  /** The index of the first call, if earlier ones were dropped. */
  readonly first?: number;
}

/** JSON inside a text is parsed. */
export function readResult(result: Json): Json {
  if (typeof result !== "string" || !/^\s*[[{]/.test(result)) return result;
  try {
    return parseShallow(result) as Json;
  } catch {
    return result;
  }
}

/** Some clients write `server_tool`: the existing tool ids show which underscore is the separator. */
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
