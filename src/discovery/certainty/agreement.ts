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
import { wordKey } from "../vocabulary.js";
import { spokenName, wordsOf } from "../words.js";
import { type Action, ASK, MEASURES } from "./actions.js";
import { isSameWord } from "./same-words.js";
import {
  ANY,
  isTelling,
  type Link,
  type StatedWord,
  type Statement,
  statementOf,
  valueWords,
} from "./statement.js";

/** Why what is asked for cannot be what the capability does. */
export type Contradiction = "action" | "object" | "scope" | "direction" | "nothing shared";

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

/**
 * Weight of a word that only the namespace, the server or a parameter has: an intent about an issue may omit
 * `github`.
 */
const BESIDE = 0.3;
const NAME_WORDS = 50;
/** They say nothing against a conversion: `what is 5 kg in pounds`, `put it into English`. */
const PLAIN = [ASK, "count", "add", "translate", "convert"];
/** Parsing is a step on the way, so the intent need not ask for it. */
const ON_THE_WAY = "parse";
/** Words that a creating or appending action implies: a created thing is new, an appended one is at the end. */
const NEW: ReadonlySet<string> = new Set("new latest fresh end bottom".split(" ").map(wordKey));
/** Limits of a capability that an intent must have too. */
const STRICT: ReadonlySet<string> = new Set(["only", "not", "if", "since", "until", "who"]);
/**
 * Questions about what was done. `when it rains, close the windows` has no question mark, so it is not a
 * question.
 */
const QUESTION =
  /^\s*(?:(?:who|whose|why)\b.*|when\b.*\?|(?:is|are|was|were|does|did|has)\s(?!it (?:ok|okay|possible)\b).*\?)\s*$/isu;
/** `set it to closed`, `put it into the archive`: the noun or participle says what is done. */
const LIGHT = ["set", "add", "mark", "create"];

export function agreement(intent: string, args: Args, saying: string, capability: Described): Agreement {
  const said = statementOf(english(saying));
  const { namespace, action } = currentParts(capability);
  const around = new Set(
    [namespace, ...capability.toolsUsed.map((tool) => splitToolId(tool).server), ...capability.tags].flatMap(
      keysOf,
    ),
  );
  const values = Object.values(args);
  const asked = statementOf(english(intent), {
    values: valueWords(values),
    hasDate: values.some(isDate),
    spelling: new Set(said.words.map(({ text }) => text)),
  });
  const { parameters, isNamed } = capability;
  const known = new Set([...said.keys, ...(isNamed ? keysOf(action) : [])]);
  const beside = new Set([
    ...around,
    ...Object.keys(args)
      .filter((name) => Object.hasOwn(parameters.properties, name))
      .flatMap(keysOf),
  ]);
  const given = new Set([...Object.keys(args).flatMap(keysOf), ...values.flatMap(impliedBy)]);
  const isAdding = said.actions.some((actions) => actions.has("create") || actions.has("add"));
  const extra = asked.words
    .filter(({ key }) => !has(known, key) && !(isAdding && NEW.has(key)))
    .map((word) => lessIf(has(beside, word.key), word));
  const unsaid = said.words.filter(({ key }) => !has(asked.keys, key) && !has(given, key));
  return {
    extra,
    unsaid: unsaid.map((word) => lessIf(around.has(word.key), word)),
    contradictions:
      isQuestion(intent) && said.actions.every(isTelling) ? ["action"] : contradictionsOf(asked, said, given),
  };
}

/** `is it suspended?`, `who suspended it?` ask, and do not suspend. */
export function isQuestion(intent: string): boolean {
  return QUESTION.test(english(intent));
}

function lessIf(isBeside: boolean, word: StatedWord): StatedWord {
  return isBeside ? { ...word, worth: BESIDE * word.worth } : word;
}

function contradictionsOf(
  asked: Statement,
  said: Statement,
  given: ReadonlySet<string>,
): readonly Contradiction[] {
  const isConverting = said.actions.some((actions) => actions.has("convert") || actions.has("translate"));
  const turns = asked.links.map((link) => (isConverting ? asDirection(link) : link));
  const found: Contradiction[] = [];
  if (!doesTheSame(asked, said, isConverting && goesAlong(turns, said))) found.push("action");
  if (!isConverting && isOtherObject(asked, said)) found.push("object");
  if (isOtherScope(asked, said)) found.push("scope");
  if (turns.some((one) => said.links.some((other) => isTurned(one, other))) || isAimless(asked, said))
    found.push("direction");
  const isShared =
    asked.words.some(({ key, worth }) => worth >= 1 && has(said.keys, key)) ||
    said.words.some(
      ({ key }) => has(asked.keys, key) || (said.actions.every(isTelling) && has(given, key)),
    ) ||
    said.actions.every(isTelling);
  if (!isShared) found.push("nothing shared");
  return found;
}

function doesTheSame(asked: Statement, said: Statement, isConversion: boolean): boolean {
  if (isConversion && asked.actions.every((actions) => PLAIN.some((one) => actions.has(one)))) return true;
  const needed = said.actions.filter(
    (actions) => !actions.has(ON_THE_WAY) && !(said.actions.length > 1 && actions.has(ASK)),
  );
  const isLight = (actions: ReadonlySet<Action>) => LIGHT.some((one) => actions.has(one));
  const isNoun = (actions: ReadonlySet<Action>) =>
    asked.actions.every(isLight) &&
    [...actions].some((one) => one !== ASK && !MEASURES.has(one) && asked.keys.has(wordKey(one)));
  return (
    asked.actions.every((one) => meets(one, said.actions) || (isLight(one) && said.actions.some(isNoun))) &&
    needed.every((one) => meets(one, asked.actions) || isNoun(one))
  );
}

function isOtherObject(asked: Statement, said: Statement): boolean {
  if (asked.objects.length === 0 || said.objects.length === 0 || asked.objects.includes(ANY)) return false;
  return !share(asked.objects, said.objects);
}

/** `all` changes nothing where the capability itself speaks of several. */
function isOtherScope(asked: Statement, said: Statement): boolean {
  const isAll = asked.quantified.some(
    (key) => said.quantified.length === 0 && ![...said.plurals].some((one) => isSameWord(one, key)),
  );
  const isSince = asked.links.some(({ kind }) => kind === "to");
  return (
    isAll ||
    asked.limits.some((one) => !said.limits.includes(one)) ||
    said.limits.some((one) => STRICT.has(one) && !asked.limits.includes(one) && !(one === "since" && isSince))
  );
}

function goesAlong(asked: readonly Link[], { links }: Statement): boolean {
  return asked.some((one) =>
    links.some(
      (other) =>
        other.kind === "to" &&
        one.kind === "to" &&
        (share(one.from, other.from) || share(one.to, other.to)) &&
        !isTurned(one, other),
    ),
  );
}

/** Both ends are named, and nothing says which is which. */
function isAimless(asked: Statement, said: Statement): boolean {
  const names = (keys: readonly string[]) => keys.some((key) => has(asked.keys, key));
  const isOpen = said.links.some(({ kind, from, to }) => kind === "to" && names(from) && names(to));
  return isOpen && !goesAlong(asked.links.map(asDirection), said);
}

/** In a conversion `in X` and `as X` are where it goes, `of X` where it comes from. */
function asDirection({ kind, from, to }: Link): Link {
  return kind === "of" ? { kind: "to", from: to, to: from } : { kind: "to", from, to };
}

function isTurned(one: Link, other: Link): boolean {
  if (one.kind !== other.kind || one.kind === "in") return false;
  const [there, back] = [share(one.from, other.to), share(one.to, other.from)];
  if (there && back) return true;
  if (one.kind === "of") return false;
  return (there || back) && !share(one.from, other.from) && !share(one.to, other.to);
}

function meets(one: ReadonlySet<Action>, others: readonly ReadonlySet<Action>[]): boolean {
  return others.some((other) => [...one].some((action) => other.has(action)));
}

function share(ones: readonly string[], others: readonly string[]): boolean {
  return ones.some((one) => others.some((other) => isSameWord(one, other)));
}

function has(keys: ReadonlySet<string>, key: string): boolean {
  return keys.has(key) || [...keys].some((one) => isSameWord(one, key));
}

function keysOf(name: string): readonly string[] {
  return wordsOf(spokenName(name), NAME_WORDS).map(({ key }) => key);
}

function english(text: string): string {
  return englishRequest(text) ?? text;
}

function isDate(value: Json): boolean {
  return typeof value === "string" && /^\d{4}-\d{2}-\d{2}/u.test(value);
}

/** What a value is, by its form. */
function impliedBy(value: Json): readonly string[] {
  if (typeof value !== "string") return [];
  if (/^https?:\/\//u.test(value)) return ["page", "site", "url", "webpage"].map(wordKey);
  if (value.startsWith("#")) return [wordKey("channel")];
  if (isDate(value)) return [wordKey("date")];
  return /\.\w{1,5}$/u.test(value) ? [wordKey("file")] : [];
}
