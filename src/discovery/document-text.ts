/**
 * The text of a tool or a capability for its vector: `server spoken name: description param, names`, the form that the
 * bundled model was trained on.
 *
 * A vector is the mean of a text's content, so only the beginning of a long description is used: examples, notes and
 * instructions to the agent after it would blur what the tool does.
 *
 * @module
 */
import type { Capability } from "../registry/capability.js";
import { currentParts } from "../registry/display-name.js";
import { splitToolId } from "../registry/tool-id.js";
import { englishOf } from "./french/english-of.js";
import { type MatchableTool, parameterNames } from "./matchable.js";
import { spokenName } from "./words.js";

/** About two sentences. */
const DESCRIPTION_CHARS = 200;
/** A token is usually four characters, and the model reads 256 tokens. */
const TEXT_CHARS = 1_000;
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])|\n+/u;

export function toolDocument({ id, description = "", inputSchema }: MatchableTool): string {
  const { server, tool } = splitToolId(id);
  return written(`${server} ${spokenName(tool)}`, [description], parameterNames(inputSchema));
}

export function capabilityDocument(capability: Capability): string {
  const { isNamed, intent, description = "", parameters } = capability;
  const { namespace, action } = currentParts(capability);
  // The placeholder for a missing name carries no information.
  const name = isNamed ? `${namespace} ${spokenName(action)}` : "";
  return written(name, [intent, description], Object.keys(parameters.properties));
}

function written(name: string, sayings: readonly string[], parameters: readonly string[]): string {
  const said = sayings.map((text) => beginningOf(inEnglish(text), DESCRIPTION_CHARS)).join(" ");
  const text = `${name === "" ? "" : `${name}: `}${said} ${parameters.join(", ")}`;
  return text.replace(/\s+/gu, " ").trim().slice(0, TEXT_CHARS);
}

function inEnglish(text: string): string {
  const some = text.slice(0, TEXT_CHARS);
  return englishOf(some) ?? some;
}

/** As many whole sentences as there is room for; a sentence that is too long is truncated. */
export function beginningOf(text: string, chars: number): string {
  const [first = "", ...others] = text.trim().split(SENTENCE_END);
  let some = first.slice(0, chars);
  for (const sentence of others) {
    if (some.length + sentence.length >= chars) break;
    some += ` ${sentence}`;
  }
  return some;
}
