/**
 * Tools and capabilities as texts that can be found.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import type { Capability } from "../registry/capability.js";
import { currentParts } from "../registry/display-name.js";
import { splitToolId } from "../registry/tool-id.js";
import { toolWireForm } from "../registry/wire-name.js";
import type { CatalogueTool } from "./catalogue.js";
import { englishOf } from "./french/english-of.js";
import type { IndexedText } from "./word-index.js";
import { wordsOf } from "./words.js";

/** Instructions to the agent go on for pages; what the server is about stands at the beginning. */
const ABOUT_CHARS = 400;

/** About as many words of a text are counted. */
const READ_CHARS = 2_000;

/** A real tool, as far as it can be found. */
export interface MatchableTool extends CatalogueTool {
  readonly description?: string;
  readonly inputSchema: Json;
}

export function toolText({ id, description = "", about = "", inputSchema }: MatchableTool): IndexedText {
  const { server, tool } = splitToolId(id);
  const parameters = fieldsOf(inputSchema);
  return {
    fields: {
      name: tool,
      owner: server,
      about: withEnglish(about.slice(0, ABOUT_CHARS)),
      description: withEnglish(description),
      parameters: parameters.map(([name]) => name).join(" "),
      details: parameters
        .map(([, property]) => saidOf(property))
        .join(" ")
        .slice(0, READ_CHARS),
    },
    phrases: isDeprecated(description, inputSchema) ? [] : [tool, firstSentence(description)],
    names: [id, tool, toolWireForm(server, tool)],
  };
}

export function capabilityText(capability: Capability): IndexedText {
  const { fqdn, isNamed, displayName, aliases, intent, description = "" } = capability;
  const { namespace, action } = currentParts(capability);
  const { otherIntents = [], tags, parameters, toolsUsed } = capability;
  const names = [displayName, ...aliases];
  return {
    fields: {
      // What stands for a missing name says nothing.
      name: [isNamed ? action : "", ...aliases].join(" "),
      owner: namespace,
      intent: withEnglish([intent, ...otherIntents].join(" ")),
      description: withEnglish(description),
      parameters: Object.keys(parameters.properties).join(" "),
      tags: tags.join(" "),
      tools: toolsUsed.join(" "),
    },
    phrases: isDeprecated(description)
      ? []
      : [
          intent,
          ...otherIntents,
          description,
          ...names,
          ...names.map(withoutNamespace).filter(isTelling),
        ].filter((text) => text !== ""),
    names: [fqdn, ...names, ...(isNamed ? [toolWireForm(namespace, action)] : [])],
  };
}

export function parameterNames(schema: Json): readonly string[] {
  return fieldsOf(schema).map(([name]) => name);
}

/** Whether a capability that has changed is to be found otherwise; counters change all the time. */
export function isSameText(one: Capability, other: Capability): boolean {
  return (
    one.intent === other.intent &&
    one.otherIntents?.length === other.otherIntents?.length &&
    one.otherIntents?.[0] === other.otherIntents?.[0] &&
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

/** Makes English intents match French descriptions too. */
function withEnglish(text: string): string {
  const read = text.slice(0, READ_CHARS);
  const english = englishOf(read);
  return english === undefined ? read : `${read} ${english}`;
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

/**
 * The penalty of a deprecated item, in points of the fused rank. It comes after items that do the same, and before
 * items that do something else, because it may be the only one that fits.
 */
export const DEPRECATED_LOSS = 1;

/** Advice stands at the beginning or the end of a sentence or two; what comes later is about something else. */
const NOTICE_CHARS = 2_000;

/**
 * Said of the tool itself: shouted, in brackets, at the beginning of a sentence, or with what to use instead. A tool
 * that lists deprecated functions is not deprecated.
 */
const SAID = [
  /\bDEPRECATED\b/u,
  /[[(*]deprecated[\])*:,]/iu,
  /(?:^|[.!?\n])\s*deprecated(?:\s*(?:[:.,;!–—-]|$)|\s+(?:in favou?r|since|use|as of)\b)/imu,
  /\bdeprecated\s*[:,;–—-]?\s*(?:please\s+)?(?:use\b|in favou?r of\b|prefer\b)/iu,
  /\b(?:this|it|tool|function|method|endpoint|operation|command)(?:\s+(?:is|was|has been|will be))(?:\s+now)?\s+deprecated\b/iu,
];

/**
 * Tools and capabilities that their own description advises against, or a schema that says `deprecated`.
 *
 * A deprecated tool often has the simpler name, `read_file` beside `read_text_file`, and would rank first because of
 * it. So it ranks first only if the intent is its name, not if the intent describes its effect.
 */
export function isDeprecated(description: string, schema?: Json): boolean {
  if (schema !== undefined && isJsonObject(schema) && schema.deprecated === true) return true;
  const text = description.slice(0, NOTICE_CHARS);
  // Hardly any has the word, and the rest need not be looked through five times.
  return /deprecated/i.test(text) && SAID.some((said) => said.test(text));
}
