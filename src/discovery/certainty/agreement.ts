/**
 * How far an intent with its arguments agrees with what a capability says of itself.
 *
 * Two short sentences may differ in one word that changes everything: `delete a tag`, `delete a branch`. So
 * the words that only one side has count, not how many words both sides share.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { Capability } from "../../registry/capability.js";
import { currentParts } from "../../registry/display-name.js";
import { splitToolId } from "../../registry/tool-id.js";
import { englishRequest } from "../french/english-of.js";
import { lookUp } from "../french/glossary.js";
import { wordKey } from "../vocabulary.js";
import { spokenName, wordsOf } from "../words.js";
import { type Contradiction, contradictionsOf } from "./contradictions.js";
import { phrased, WORDS } from "./request-words.js";
import { has } from "./same-words.js";
import { isTelling, type StatedWord, type Statement, statementOf, valueWords } from "./statement.js";
import { isDate, isOtherFormat, kindsOf } from "./value-kinds.js";

export interface Agreement {
  /** Words of the intent that the capability does not explain. */
  readonly extra: readonly StatedWord[];
  /** Words of the capability that neither the intent nor an argument says. */
  readonly unsaid: readonly StatedWord[];
  readonly contradictions: readonly Contradiction[];
}

type Described = Pick<
  Capability,
  "displayName" | "namespace" | "isNamed" | "parameters" | "toolsUsed" | "tags"
>;
type Args = Readonly<Record<string, Json>>;

/** Both sides, and what is known beside them. */
interface Compared {
  readonly asked: Statement;
  readonly said: Statement;
  readonly args: Args;
  readonly capability: Described;
  /** Words of the namespace, the servers and the tags. */
  readonly around: ReadonlySet<string>;
  /** Words that arguments stand for, by their names or by their form. */
  readonly given: ReadonlySet<string>;
}

/**
 * Weight of a word that only the namespace, the server or a parameter has: an intent about an issue may omit
 * `github`.
 */
const BESIDE = 0.2;
const NAME_WORDS = 50;
/** Words that a creating or appending action implies: a created thing is new, an appended one is at the end. */
const NEW: ReadonlySet<string> = new Set("new latest fresh end bottom".split(" ").map(wordKey));
/**
 * Questions about what was done. `when it rains, close the windows` has no question mark, so it is not a
 * question.
 */
const QUESTION =
  /^\s*(?:(?:who|whose|why)\b.*|when\b.*\?|(?:is|are|was|were|does|did|has)\s(?!it (?:ok|okay|possible)\b).*\?)\s*$/isu;

export function agreement(intent: string, args: Args, saying: string, capability: Described): Agreement {
  const told = english(saying, english(intent));
  const said = statementOf(told);
  const values = Object.values(args);
  const asked = statementOf(english(intent, told), {
    values: valueWords(values),
    hasDate: values.some(isDate),
    spelling: new Set(said.words.map(({ text }) => text)),
  });
  const { namespace, toolsUsed, tags } = capability;
  const servers = toolsUsed.map((tool) => splitToolId(tool).server);
  const around = new Set([namespace, ...servers, ...tags].flatMap(keysOf));
  const given = new Set([...Object.keys(args).flatMap(namedBy), ...values.flatMap(kindsOf)]);
  const compared = { asked, said, args, capability, around, given };
  const isAsking = isQuestion(intent) && said.actions.every(isTelling);
  const contradictions: readonly Contradiction[] = isAsking
    ? ["action"]
    : contradictionsOf(asked, said, given);
  return {
    extra: extraOf(compared),
    unsaid: unsaidOf(compared),
    contradictions: isOtherFormat(values, said.keys) ? [...contradictions, "object"] : contradictions,
  };
}

/** `is it suspended?`, `who suspended it?` ask, and do not suspend. */
export function isQuestion(intent: string): boolean {
  return QUESTION.test(english(intent));
}

function extraOf({ asked, said, args, capability, around }: Compared): readonly StatedWord[] {
  const { parameters, isNamed } = capability;
  const known = new Set([...said.keys, ...(isNamed ? keysOf(currentParts(capability).action) : [])]);
  const names = Object.keys(args).filter((name) => Object.hasOwn(parameters.properties, name));
  const beside = new Set([...around, ...names.flatMap(namedBy)]);
  return asked.words
    .filter(({ key }) => !has(known, key) && !(isAdding(said) && NEW.has(key)))
    .map((word) => lessIf(has(beside, word.key), word));
}

function unsaidOf({ asked, said, around, given }: Compared): readonly StatedWord[] {
  const isGiven = (key: string) => has(given, key);
  // `over the last hours`, where hours are given.
  const isImplied = ({ key, text, complement }: StatedWord) =>
    (isAdding(said) && NEW.has(key)) || (WORDS.implied.has(text) && complement?.some(isGiven));
  return said.words
    .filter((word) => !has(asked.keys, word.key) && !isGiven(word.key) && !isImplied(word))
    .map((word) =>
      lessIf(around.has(word.key) || WORDS.systems.has(word.text) || WORDS.usual.has(word.text), word),
    );
}

function isAdding(said: Statement): boolean {
  return said.actions.some((actions) => actions.has("create") || actions.has("add"));
}

function lessIf(isBeside: boolean, word: StatedWord): StatedWord {
  return isBeside ? { ...word, worth: BESIDE * word.worth } : word;
}

function keysOf(name: string): readonly string[] {
  return wordsOf(spokenName(name), NAME_WORDS).map(({ key }) => key);
}

/** The words of a parameter's name, and what they are in English. */
function namedBy(name: string): readonly string[] {
  return wordsOf(spokenName(name), NAME_WORDS).flatMap(({ key, text }) => [
    key,
    ...(lookUp(text)?.split(" ").map(wordKey) ?? []),
  ]);
}

/** In the words of the other text, where a French word may be several in English. */
function english(text: string, other = ""): string {
  const words = new Set(
    phrased(other)
      .split(" ")
      .flatMap((word) => [word, wordKey(word)]),
  );
  return englishRequest(text, (sense) => words.has(wordKey(sense)) || words.has(sense)) ?? text;
}
