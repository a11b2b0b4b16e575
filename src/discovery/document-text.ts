/**
 * The text of a tool or a capability that is turned into a vector: `server spoken name: description param, names`,
 * which is what the bundled model was trained on.
 *
 * A vector is the mean of what a text says, so of a long description the beginning is taken: examples, notes and
 * orders to the agent further down would blur what the tool does.
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
/** Four characters are a token as a rule, and the model reads 256 of them. */
const TEXT_CHARS = 1_000;
const SENTENCE_END = /(?<=[.!?])\s+|(?<=[。！？])|\n+/u;

export function toolDocument({ id, description = "", inputSchema }: MatchableTool): string {
  const { server, tool } = splitToolId(id);
  return written(`${server} ${spokenName(tool)}`, [description], parameterNames(inputSchema));
}

export function capabilityDocument(capability: Capability): string {
  const { isNamed, intent, description = "", parameters } = capability;
  const { namespace, action } = currentParts(capability);
  // What stands for a missing name says nothing.
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

/** Whole sentences, as many as there is room for; of one that is too long as much as fits. */
export function beginningOf(text: string, chars: number): string {
  const [first = "", ...others] = text.trim().split(SENTENCE_END);
  let some = first.slice(0, chars);
  for (const sentence of others) {
    if (some.length + sentence.length >= chars) break;
    some += ` ${sentence}`;
  }
  return some;
}
