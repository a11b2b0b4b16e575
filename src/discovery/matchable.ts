/**
 * The searchable texts of tools and capabilities.
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

/** Instructions to the agent may be long; the server's subject is at the beginning. */
const ABOUT_CHARS = 400;

/** About as many words of a text are indexed. */
const READ_CHARS = 2_000;

/** The searchable fields of a real tool. */
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
      // The placeholder for a missing name carries no information.
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

/** Whether the searchable text of a changed capability is the same; counters change all the time. */
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

/** Whether a name is specific without its namespace: `read_json` is, `read` is not. */
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

/** Deprecation notices are in the first sentences; later text is about something else. */
const NOTICE_CHARS = 2_000;

/**
 * The notice must be about the tool itself: in capitals, in brackets, at the beginning of a sentence, or with a
 * replacement. A tool that lists deprecated functions is not deprecated.
 */
const SAID = [
  /\bDEPRECATED\b/u,
  /[[(*]deprecated[\])*:,]/iu,
  /(?:^|[.!?\n])\s*deprecated(?:\s*(?:[:.,;!–—-]|$)|\s+(?:in favou?r|since|use|as of)\b)/imu,
  /\bdeprecated\s*[:,;–—-]?\s*(?:please\s+)?(?:use\b|in favou?r of\b|prefer\b)/iu,
  /\b(?:this|it|tool|function|method|endpoint|operation|command)(?:\s+(?:is|was|has been|will be))(?:\s+now)?\s+deprecated\b/iu,
];

/**
 * Tools and capabilities that their own description advises against, or whose schema says `deprecated`.
 *
 * A deprecated tool often has the simpler name, `read_file` beside `read_text_file`, and would rank first because of
 * it. So it ranks first only if the intent is its name, not if the intent describes its effect.
 */
export function isDeprecated(description: string, schema?: Json): boolean {
  if (schema !== undefined && isJsonObject(schema) && schema.deprecated === true) return true;
  const text = description.slice(0, NOTICE_CHARS);
  // Few texts have the word, and the others need not be searched five times.
  return /deprecated/i.test(text) && SAID.some((said) => said.test(text));
}
