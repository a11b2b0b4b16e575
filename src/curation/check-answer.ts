/**
 * Checks a model's answer against the facts. Its name must follow the same rules as any other; if anything is wrong,
 * the heuristic suggestion stays.
 *
 * @module
 */
import { messageOf } from "../base/pml-error.js";
import { wordSet } from "../base/word-set.js";
import { chooseDisplayName, foldDisplayName } from "../registry/display-name.js";
import { splitToolId, type ToolId } from "../registry/tool-id.js";
import { agreement, contradiction, type Evidence, evidenceOf } from "./answer-evidence.js";
import { maskText } from "./brief/mask-text.js";
import { FILLERS } from "./lexicon/words.js";
import type { NamingAnswer } from "./name-model.js";
import type { ConfidenceParts, NameSuggestion } from "./name-suggestion.js";
import { familyOf } from "./namespace-of.js";
import type { NamedTool, NamingSubject } from "./naming-subject.js";

export interface Asked {
  readonly subject: NamingSubject;
  readonly suggestion: NameSuggestion;
}

/** Whether another capability has this name, by its fold. */
export type IsHeld = (name: string) => boolean;

const NAME = /^([a-z0-9][a-z0-9_-]{0,39}):([a-z][a-z0-9]{0,23}(?:_[a-z0-9]{1,24}){1,4})$/;
const MANY_DIGITS = /\d{5}/;
/**
 * Frequent words in intents, which names rarely need, but a model may use them: `convert_csv_to_json`,
 * `group_rows_by_city`.
 */
const JOINING = wordSet(
  "to by from for with in of on and or not no per without before after all most least via into between",
);
const DESCRIPTION_CHARS = 200;
/** Letters, digits and punctuation: no markup, no links, no invisible characters. */
const DESCRIPTION = /^[\p{Lu}\p{Ll}][\p{L}\p{N} ,.;()'’/+&%–-]*$/u;
/** A description is about code. One that addresses its reader is meant for an agent that will read it. */
const SPOKEN_TO = wordSet(`
you your ignore disregard instead instruction instructions prompt prompts assistant agent agents must always never please
password secret secrets token tokens credential credentials`);
const TAG = /^[a-z][a-z0-9-]{1,23}$/;
const TAGS = 5;
/** Namespaces of code that calls no tool. */
const PURE = ["transform", "data", "util"];
/** Words of servers' names without information. */
const EMPTY = wordSet("server servers client tool tools service my local");
const INTENT_WEIGHT = 0.3;
const OTHER_NAMESPACE = 0.2;
/** Names above this confidence are applied without a person. */
const NOT_BY_ITSELF = 0.8;

/** The suggestion with the model's answer, or why it is rejected. */
export function checkAnswer(
  { subject, suggestion }: Asked,
  answer: NamingAnswer,
  model: string,
  isHeld: IsHeld,
): NameSuggestion | { readonly problem: string } {
  const evidence = evidenceOf(subject);
  const problem =
    nameProblem(answer.name, subject, suggestion, evidence, isHeld) ?? descriptionProblem(answer.description);
  if (problem !== undefined) return { problem: `${shown(answer.name)} was rejected: ${problem}` };
  const parts = refinedParts(answer.name, suggestion, evidence);
  const isSame = answer.name === suggestion.name;
  const tags = (answer.tags ?? []).filter((tag) => TAG.test(tag)).slice(0, TAGS);
  return {
    ...suggestion,
    name: answer.name,
    parts,
    confidence: Math.round((parts.tools + parts.intent + parts.uniqueness) * 1_000) / 1_000,
    reasons: [
      ...suggestion.reasons,
      isSame ? `${model} agrees` : `${model} prefers it to ${suggestion.name}`,
    ],
    description: answer.description ?? suggestion.description,
    tags: tags.length === 0 ? suggestion.tags : [...new Set(tags)],
    by: model,
  };
}

function nameProblem(
  name: string,
  subject: NamingSubject,
  suggestion: NameSuggestion,
  evidence: Evidence,
  isHeld: IsHeld,
): string | undefined {
  const [, namespace = "", action = ""] = NAME.exec(name) ?? [];
  if (action === "") return "it is not namespace:verb_object of 2 to 5 words in lower case";
  try {
    chooseDisplayName(name);
  } catch (error) {
    return messageOf(error);
  }
  const tokens = action.split("_");
  const filler = tokens.find(
    (token) => (FILLERS.has(token) && !JOINING.has(token)) || MANY_DIGITS.test(token),
  );
  if (filler !== undefined) return `"${filler}" is not a word of a name`;
  if (!namespacesOf(subject, suggestion).has(namespace)) return "its namespace does not match the tools";
  const fold = foldDisplayName(name);
  if (subject.tools.some(({ id }) => foldDisplayName(id) === fold)) return "it is a tool that the code calls";
  if (isHeld(name)) return "the name is taken";
  return contradiction(tokens, actionOf(suggestion), evidence);
}

function actionOf({ name }: NameSuggestion): readonly string[] {
  return name.slice(name.indexOf(":") + 1).split(/[_-]/);
}

/** The heuristics' namespace, and those of the called servers: their subjects, and their own words. */
function namespacesOf({ tools }: NamingSubject, { name }: NameSuggestion): ReadonlySet<string> {
  const own = name.slice(0, Math.max(0, name.indexOf(":")));
  const serverOf = ({ id }: NamedTool): string => splitToolId(id as ToolId).server;
  const theirs = [...new Set(tools.map(serverOf))].flatMap((server) => [
    familyOf(
      server,
      tools.filter((tool) => serverOf(tool) === server),
    ).namespace,
    server.toLowerCase(),
    ...server.toLowerCase().split(/[^a-z0-9]+/),
  ]);
  const allowed = [own, ...theirs, ...(tools.length === 0 ? PURE : [])];
  return new Set(allowed.filter((namespace) => namespace === own || !EMPTY.has(namespace)));
}

function descriptionProblem(description: string | undefined): string | undefined {
  if (description === undefined) return undefined;
  if (
    description.length > DESCRIPTION_CHARS ||
    !DESCRIPTION.test(description) ||
    /www\.|\/\//i.test(description)
  )
    return "its description is not one plain line";
  if (
    description
      .toLowerCase()
      .split(/[^a-z]+/)
      .some((word) => SPOKEN_TO.has(word))
  )
    return "its description addresses the reader";
  return maskText(description, DESCRIPTION_CHARS) === description.trim()
    ? undefined
    : "its description may contain a secret";
}

/**
 * A model can only clarify the intent, so it raises only that part of the confidence. If the code confirms
 * both verb and object, the part rises to its full weight. If the code confirms one of them, it rises, but
 * the name still needs a person. If the code confirms neither, it does not rise.
 */
function refinedParts(name: string, suggestion: NameSuggestion, evidence: Evidence): ConfidenceParts {
  const { name: before, parts } = suggestion;
  const [namespace = "", action = ""] = name.split(":");
  const tools = before.startsWith(`${namespace}:`) ? parts.tools : Math.min(parts.tools, OTHER_NAMESPACE);
  const { verb, object } = agreement(action.split("_"), actionOf(suggestion), evidence);
  const missing = INTENT_WEIGHT - parts.intent;
  if (verb && object) return { ...parts, tools, intent: INTENT_WEIGHT };
  const room = Math.max(0, NOT_BY_ITSELF - tools - parts.uniqueness);
  const intent = verb || object ? parts.intent + missing / 2 : parts.intent;
  return { ...parts, tools, intent: Math.min(intent, room) };
}

/** An invalid name is not repeated in the problem: it could carry text for its reader. */
function shown(name: string): string {
  return /^[A-Za-z0-9_:-]{1,60}$/.test(name) ? `"${name}"` : "Its name";
}
