import { wordsOf } from "../discovery/words.js";
import { splitToolId, type ToolId } from "../registry/tool-id.js";
import { briefCode } from "./brief/brief-code.js";
import { maskText } from "./brief/mask-text.js";
import type { NamingBrief } from "./name-model.js";
import type { NameSuggestion } from "./name-suggestion.js";
import type { NamingSubject } from "./naming-subject.js";

const INTENT_CHARS = 400;
const TOOLS = 12;
const TOOL_CHARS = 100;

/** The maximum of code texts whose words are searched in a name, and of words of one text. */
const VALUES = 2_000;
const WORDS = 400;

/** The description of a capability for a model, without values from the code. */
export function nameBrief(key: string, subject: NamingSubject, { name }: NameSuggestion): NamingBrief {
  const ids = subject.tools.map(({ id }) => id);
  const { text, values } = briefCode(subject.code, new Set(ids.flatMap(namesIn)));
  const intent = maskText(subject.intent, INTENT_CHARS, values);
  const tools = ids.slice(0, TOOLS).map((id) => maskText(id, TOOL_CHARS));
  const shown = keysOf([intent, text, ...tools]);
  const hidden = keysOf([subject.intent, ...values.slice(0, VALUES)]);
  return { key, intent, code: text, tools, suggestedName: withoutHidden(name, shown, hidden) };
}

/** Names may contain values too, such as `prod`: words that occur nowhere else are removed. */
function withoutHidden(name: string, shown: ReadonlySet<string>, hidden: ReadonlySet<string>): string {
  const [verb = "", ...rest] = name.split("_");
  const kept = rest.filter((token) =>
    [...keysOf([token])].every((word) => shown.has(word) || !hidden.has(word)),
  );
  return [verb, ...kept].join("_");
}

function keysOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => wordsOf(text, WORDS).map(({ key }) => key)));
}

function namesIn(id: string): readonly string[] {
  const { server, tool } = splitToolId(id as ToolId);
  return [server, tool];
}
