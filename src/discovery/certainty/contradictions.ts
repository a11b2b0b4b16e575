/**
 * Why what an intent asks for cannot be what a capability does.
 *
 * @module
 */
import { wordKey } from "../vocabulary.js";
import { type Action, ASK, MEASURES } from "./actions.js";
import { WORDS } from "./request-words.js";
import { has, isSameWord, share } from "./same-words.js";
import { ANY, isTelling, type Link, type Statement } from "./statement.js";

export type Contradiction = "action" | "object" | "scope" | "direction" | "nothing shared";

const WEAK_KEYS: ReadonlySet<string> = new Set([...WORDS.weak].map(wordKey));
/** They say nothing against a conversion: `what is 5 kg in pounds`, `put it into English`. */
const PLAIN = [ASK, "count", "add", "translate", "convert"];
/** Parsing is a step on the way, so the intent need not ask for it. */
const ON_THE_WAY = "parse";
/** Limits of a capability that an intent must have too. */
const STRICT: ReadonlySet<string> = new Set(["only", "not", "if", "since", "until", "who"]);
/** `set it to closed`, `put it into the archive`: the noun or participle says what is done. */
const LIGHT = ["set", "add", "mark", "create"];
const TRANSFERS = ["copy", "move", "sync", "import", "export"];

/** `given` are the words that arguments stand for. */
export function contradictionsOf(
  asked: Statement,
  said: Statement,
  given: ReadonlySet<string>,
): readonly Contradiction[] {
  const isConverting = said.actions.some(isConversion);
  // `the language of a document` is no translation into a language.
  const isPlain = asked.actions.every((actions) => !isTelling(actions));
  const turns = asked.links
    .filter(({ kind }) => !(isConverting && isPlain && kind === "of"))
    .map((link) => (isConverting ? asDirection(link) : link));
  const found: Contradiction[] = [];
  if (!doesTheSame(asked, said, isConverting && goesAlong(turns, said))) found.push("action");
  if (isOtherScope(asked, said)) found.push("scope");
  if (
    !isConverting &&
    (isOtherObject(asked, said) || isBesideIt(asked, said, given) || isInside(asked, said))
  )
    found.push("object");
  if (
    turns.some((one) => said.links.some((other) => isTurned(one, other))) ||
    (said.actions.some(isTransfer) && isAimless(asked, said))
  )
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

function isConversion(actions: ReadonlySet<Action>): boolean {
  return actions.has("convert") || actions.has("translate");
}

/** Its two ends could be exchanged. */
function isTransfer(actions: ReadonlySet<Action>): boolean {
  return isConversion(actions) || TRANSFERS.some((one) => actions.has(one));
}

function doesTheSame(asked: Statement, said: Statement, isConverted: boolean): boolean {
  if (isConverted && asked.actions.every((actions) => PLAIN.some((one) => actions.has(one)))) return true;
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
  return !asked.objects.every((key) => WEAK_KEYS.has(key)) && !share(asked.objects, said.objects);
}

/** To delete the empty folders is not to delete the empty files of a folder. */
function isBesideIt(asked: Statement, said: Statement, given: ReadonlySet<string>): boolean {
  const isUnnamed = said.objects.some((key) => !has(asked.keys, key) && !has(given, key));
  const beside = said.words.flatMap(({ key, complement }) => (complement === undefined ? [] : [key]));
  return isUnnamed && asked.objects.some((key) => share([key], beside) && !share([key], said.objects));
}

/** The products of an order are not the orders with a product. */
function isInside(asked: Statement, said: Statement): boolean {
  if (asked.first.length === 0 || said.first.length === 0 || share(asked.first, said.first)) return false;
  const others = said.words.map(({ key }) => key);
  return share(asked.first, others);
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
  return (there && !share(one.from, other.from)) || (back && !share(one.to, other.to));
}

function meets(one: ReadonlySet<Action>, others: readonly ReadonlySet<Action>[]): boolean {
  return others.some((other) => [...one].some((action) => other.has(action)));
}
