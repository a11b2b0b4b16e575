/**
 * The verb of a name: that of the intent, unless the intent has none or contradicts the code.
 *
 * @module
 */

import { wordSet } from "../base/word-set.js";
import type { ActionClues, Evidence } from "./action-of.js";
import type { CodeFacts } from "./code/code-facts.js";
import { type Deed, EFFECTS } from "./code/deeds.js";
import { nameWords } from "./code/name-words.js";
import { contradictionOf } from "./contradiction.js";
import type { Clause } from "./intent/clauses.js";
import { type FoundVerb, NOUN_VERBS, verbNamed } from "./lexicon/verbs.js";
import { FILLERS, TELLING } from "./lexicon/words.js";

export interface VerbFound {
  readonly verb: string;
  readonly contradicts: boolean;
  readonly from: Evidence["from"];
  readonly reason: string;
}

const RUNNING = wordSet("run execute call");
/** Verbs of change for which any other verb of the same kind is better. */
const SAYS_LITTLE = wordSet("write put push store drop set make convert add file do edit raise");
const SAYS_AS_LITTLE = wordSet("set write link tag label run execute call");
const CREATING = wordSet("create add generate build render make draw write");
/** Actions of code that finds something. */
const FINDING = wordSet("list get find search sort filter embed convert generate read flatten rank");

/** The verb of the clause, if the code allows it; otherwise that of the code. */
export function verbFrom(
  clause: Clause,
  { facts, deeds }: ActionClues,
  deed: Deed | undefined,
  fromCode: string,
): VerbFound {
  const { verb, mood } = clause;
  if (verb !== undefined && !verb.isVague) return saidVerb(verb, deeds, deed, fromCode);
  // In a question, a command is run for its output.
  const isHeard = mood === "question" && deed?.kind === "run" && RUNNING.has(deed.verb);
  const does = deed !== undefined && EFFECTS.has(deed.kind) && deed.step === undefined && !isHeard;
  if (mood === "question" && !does) {
    const asked = questionVerb(clause, facts);
    return found("question", asked, `the intent is a question: ${asked}`);
  }
  const noun = nounVerb(clause);
  // `epics with no estimate`: a figure that is only read is not computed.
  const isFigure = verbNamed(noun ?? "")?.kind === "compute";
  const isRead = isFigure && (verb?.base === "get" || (deed?.kind === "ask" && !calculates(facts)));
  if (noun !== undefined && !isRead && isDone(noun, does ? deed : undefined))
    return found("noun", noun, `the intent names something to ${noun}`);
  const isMade = verb?.base === "make";
  if (!does && !isMade && FINDING.has(fromCode) && (facts.answer === "filter" || isStated(clause)))
    return found("noun", "find", "the intent names something to find");
  if (isMade && deed?.kind !== "remove" && deed?.kind !== "tell" && !CREATING.has(fromCode)) {
    const made = deed === undefined ? (facts.returns === "text" ? "format" : "build") : "create";
    return found("intent", made, "the intent says to make");
  }
  if (verb?.base === "get" && !does) return found("intent", "get", "the intent says to get");
  // `kebab to camel`
  if (
    deed === undefined &&
    mood === "noun" &&
    /^(?:\w+ ){1,3}(?:to|into) \w+(?: \w+)?$/.test(clause.words.join(" "))
  )
    return found("noun", "convert", "the intent names something to convert");
  return found("code", fromCode, `verb of the code: ${fromCode}`);
}

function found(from: VerbFound["from"], verb: string, reason: string, contradicts = false): VerbFound {
  return { from, verb, reason, contradicts };
}

function saidVerb(
  verb: FoundVerb,
  deeds: readonly Deed[],
  deed: Deed | undefined,
  fromCode: string,
): VerbFound {
  if (saysLess(verb, deed)) return found("code", fromCode, `verb of the code: ${fromCode}`);
  const against = contradictionOf(verb, deeds, deed);
  if (against !== undefined) {
    const reason = `verb of the code: ${fromCode} (${against}), but the intent says to ${verb.base}`;
    return found("code", fromCode, reason, true);
  }
  // A word in the name of a tool is preferred: then `order` is not replaced by `sort`.
  const isTools = deeds.some((one) => one.verb === verb.base || nameWords(one.tool).includes(verb.base));
  const name = isTools && verb.base !== "look" ? verb.base : verb.name;
  return found("intent", name, `the intent says to ${verb.base}`);
}

function saysLess(verb: FoundVerb, deed: Deed | undefined): boolean {
  if (deed === undefined || !EFFECTS.has(deed.kind) || deed.step !== undefined) return false;
  if (verb.name === deed.verb || verb.base === deed.verb) return false;
  const isSame = verb.kind === deed.kind || (verb.name === "convert" && deed.kind === "change");
  return isSame && SAYS_LITTLE.has(verb.name) && !SAYS_AS_LITTLE.has(deed.verb);
}

/** Whether it computes a new figure. */
function calculates({ methods, calls }: CodeFacts): boolean {
  return (
    ["/", "*", "-", "reduce", "+=", "++", "count by"].some((one) => methods.has(one)) ||
    calls.some(({ texts }) => texts.some(([, text]) => /\b(?:sum|count|avg|group by)\b/i.test(text)))
  );
}

/** Whether the code can do what a noun stands for. */
function isDone(noun: string, does: Deed | undefined): boolean {
  const kind = verbNamed(noun)?.kind ?? "ask";
  if (does === undefined) return !EFFECTS.has(kind) || noun === "report";
  return kind === "make" || kind === does.kind || (EFFECTS.has(kind) && kind !== "tell");
}

const WHETHER = wordSet("is are was were do does did has have can could will would should");

/** The verb that answers a question. */
function questionVerb({ words }: Clause, { methods, returns, hasLoop, names, calls }: CodeFacts): string {
  const [first = "", second = ""] = words;
  const how = words.slice(words.indexOf("how") + 1);
  if (first === "which" || first === "who") return "find";
  if (first === "when" || second === "when")
    return words.some((word) => /^(?:expir|due|ends?$)/.test(word)) ? "check" : "get";
  const isFigure = returns === "number" || ["reduce", "+=", "++", "count by"].some((one) => methods.has(one));
  if (words.includes("how") && how[0] === "many") {
    const isCount =
      names.some((name) => /count|total|^n$|num|left|remaining/i.test(name)) ||
      calls.some(({ texts }) => texts.some(([, text]) => /\bcount\s*\(/i.test(text)));
    return isFigure || isCount ? "count" : "get";
  }
  if (words.includes("how") && how[0] === "much")
    return methods.has("reduce") || methods.has("+=") ? "compute" : "get";
  if (WHETHER.has(first) || (/^(?:so|and|but|ok)$/.test(first) && WHETHER.has(second))) return "check";
  if (/^(?:whose|any)/.test(first) || words.includes("where")) return "find";
  if (methods.has("filter") && returns === "list") return "find";
  const isOne = returns === "number" || returns === "object";
  return returns === "list" || (hasLoop && !isOne) ? "list" : "get";
}

const AFTER = wordSet("of for by per from between in on with across over as to");

/** Only the head noun decides: `the number of commits` is counted, `a phone number` is not. */
export function nounVerb({ words, objectAt }: Clause): string | undefined {
  const things = words.slice(objectAt);
  const first = things.find((word) => !FILLERS.has(word)) ?? "";
  if (/^(?:average|mean|median|cumulative|percentage)$/.test(first)) return "compute";
  const head = things.findIndex(
    (_, index) => index === things.length - 1 || AFTER.has(things[index + 1] ?? ""),
  );
  const isOf = things[head + 1] === "of";
  if (things[head] === "number" && !isOf) return undefined;
  return NOUN_VERBS.get(things[head] ?? "");
}

/** `closest passages to a question`: a criterion before the things, which are found. */
function isStated({ words, objectAt }: Clause): boolean {
  const first = words.slice(objectAt).filter((word) => !FILLERS.has(word));
  return first.slice(0, 2).some((word) => TELLING.has(word));
}
