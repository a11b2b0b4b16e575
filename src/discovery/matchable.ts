/**
 * Tools and capabilities as texts that can be found.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import type { Capability } from "../registry/capability.js";
import { splitToolId, type ToolId } from "../registry/tool-id.js";
import type { IndexedText } from "./word-index.js";
import { wordsOf } from "./words.js";

/** A real tool, as far as it can be found. */
export interface MatchableTool {
  readonly id: ToolId;
  readonly description?: string;
  readonly inputSchema: Json;
  /** Differs where anything else does. */
  readonly hash: string;
}

export function toolText({ id, description = "", inputSchema }: MatchableTool): IndexedText {
  const { server, tool } = splitToolId(id);
  const parameters = fieldsOf(inputSchema);
  return {
    fields: {
      name: tool,
      owner: server,
      description,
      parameters: parameters.map(([name]) => name).join(" "),
      details: parameters.map(([, property]) => saidOf(property)).join(" "),
    },
    phrases: [tool, firstSentence(description)],
  };
}

export function capabilityText(capability: Capability): IndexedText {
  const { isNamed, displayName, aliases, namespace, action, intent, description = "" } = capability;
  const { tags, parameters, toolsUsed } = capability;
  const names = [displayName, ...aliases];
  return {
    fields: {
      // What stands for a missing name says nothing.
      name: [isNamed ? action : "", ...aliases].join(" "),
      owner: namespace,
      intent,
      description,
      parameters: Object.keys(parameters.properties).join(" "),
      tags: tags.join(" "),
      tools: toolsUsed.join(" "),
    },
    phrases: [intent, description, ...names, ...names.map(withoutNamespace).filter(isTelling)].filter(
      (text) => text !== "",
    ),
  };
}

/** Whether a capability that has changed is to be found otherwise; counters change all the time. */
export function isSameText(one: Capability, other: Capability): boolean {
  return (
    one.intent === other.intent &&
    one.description === other.description &&
    one.displayName === other.displayName &&
    one.version === other.version &&
    one.aliases.length === other.aliases.length &&
    one.tags.join(" ") === other.tags.join(" ")
  );
}

/** `fs:read` says less without `fs`, `fs:read_json` does not. */
function isTelling(name: string): boolean {
  return wordsOf(name, 2).length === 2;
}

function withoutNamespace(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1);
}

function firstSentence(text: string): string {
  return text.slice(0, 500).split(/[.!?\n](?:\s|$)/u, 1)[0] ?? "";
}

function fieldsOf(schema: Json): readonly (readonly [string, unknown])[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return [];
  return Object.entries(schema.properties).slice(0, 100);
}

function saidOf(property: unknown): string {
  return isJsonObject(property) && typeof property.description === "string" ? property.description : "";
}
