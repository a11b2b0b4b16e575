/**
 * Calls of capabilities: each stands for what the capability does, by its own name or by the tools that it reaches.
 *
 * @module
 */
import { foldDisplayName } from "../../registry/display-name.js";
import { type NamedCallee, type NamedTool, splitId } from "../naming-subject.js";
import type { CallFact } from "./call-fact.js";
import type { CodeFacts } from "./code-facts.js";

/** The same facts, with calls of these capabilities as calls of what they do. */
export function withCallees(facts: CodeFacts, callees: readonly NamedCallee[]): CodeFacts {
  if (callees.length === 0) return facts;
  const does = new Map(callees.flatMap(({ names, does }) => names.map((name) => [keyOf(name), does])));
  return { ...facts, calls: facts.calls.flatMap((call) => inTools(call, does)) };
}

function inTools(call: CallFact, does: ReadonlyMap<string, readonly NamedTool[]>): readonly CallFact[] {
  const tools = does.get(keyOf(call.server === "" ? call.tool : `${call.server}:${call.tool}`));
  return tools?.map(({ id }) => ({ ...call, ...splitId(id) })) ?? [call];
}

function keyOf(name: string): string {
  return foldDisplayName(name.replace(/@.*$/, ""));
}
