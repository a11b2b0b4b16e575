/**
 * The verb of a name: what the intent says, unless it says nothing, or what cannot be.
 *
 * @module
 */
import type { ActionClues, Evidence } from "./action-of.js";
import type { CodeFacts } from "./code/code-facts.js";
import type { Deed } from "./code/deeds.js";
import { isFinishing, isFrame } from "./code/main-deed.js";
import { nameWords } from "./code/name-words.js";
import { EFFECTS } from "./code/steps.js";
import { contradictionOf } from "./contradiction.js";
import type { Clause } from "./intent/clauses.js";
import { nounVerb, questionVerb, statedFirst } from "./intent/implied-verb.js";
import { type FoundVerb, verbNamed } from "./lexicon/verbs.js";
import { FILLERS } from "./lexicon/words.js";

export interface VerbFound {
  readonly verb: string;
  readonly contradicts: boolean;
  readonly from: Evidence["from"];
  readonly reason: string;
}

/** What the clause says is done, where the code allows for it; else what the code says. */
export function verbFrom(
  clause: Clause,
  { facts, deeds, parameters }: ActionClues,
  deed: Deed | undefined,
  fromCode: string,
): VerbFound {
  const { verb } = clause;
  // Whoever asks has a command run to hear what it says.
  const isHeard =
    clause.mood === "question" && deed?.kind === "run" && /^(?:run|execute|call)$/.test(deed.verb);
  const does = deed !== undefined && EFFECTS.has(deed.kind) && deed.step === undefined && !isHeard;
  const found = (from: Evidence["from"], name: string, reason: string, contradicts = false): VerbFound => ({
    from,
    verb: name,
    reason,
    contradicts,
  });
  if (verb !== undefined && !verb.isVague) {
    // Where a tool has the very word, it is the better one: `order` is no `sort` then.
    const isTools = deeds.some((one) => one.verb === verb.base || nameWords(one.tool).includes(verb.base));
    // A word that may be no verb at all is none of a name; nor is what finishes a thing that was made, what puts one
    // thing for another, or what says less than the code.
    if ((!verb.isKnown && !isTools) || (does && deed !== undefined && isLess(verb, clause, deed, deeds)))
      return found("code", fromCode, `verb of the code: ${fromCode}`);
    if (
      deed === undefined &&
      /^(?:read|get|show|open|load)$/.test(verb.name) &&
      /^(?:parse|extract|decode|compute|count)$/.test(fromCode)
    )
      return found("code", fromCode, `verb of the code: ${fromCode}`);
    // What is only read and picked from is not turned into anything.
    if (
      verb.name === "convert" &&
      deed?.kind === "ask" &&
      facts.returns === "list" &&
      PICKED.test(facts.answer)
    )
      return found("intent", "extract", "the intent says to convert the data that is read");
    const against = contradictionOf(verb, deeds, deed, facts);
    if (against !== undefined)
      return found(
        "code",
        fromCode,
        `verb of the code: ${fromCode} (${against}), but the intent says to ${verb.base}`,
        true,
      );
    return found(
      "intent",
      isTools && verb.base !== "look" ? verb.base : verb.name,
      `the intent says to ${verb.base}`,
    );
  }
  if (clause.mood === "question" && !does) {
    const answer = questionVerb(clause, facts);
    // Without tools nothing is got from anywhere.
    const asked =
      deed === undefined && /^(?:get|list)$/.test(answer) && FIGURED.test(fromCode) ? fromCode : answer;
    return found("question", asked, `the intent is a question: ${asked}`);
  }
  const noun = nounVerb(clause);
  const nounKind = noun === undefined ? undefined : verbNamed(noun)?.kind;
  if (
    noun !== undefined &&
    !(
      verb?.base === "get" &&
      nounKind === "compute" &&
      !/^(?:average|mean|median)$/.test(measureOf(clause))
    ) &&
    !(nounKind === "compute" && deed?.kind === "ask" && !calculates(facts)) &&
    (does ||
      nounKind === undefined ||
      !EFFECTS.has(nounKind) ||
      /^(?:report|plan|backup|sync)$/.test(noun)) &&
    (!does ||
      nounKind === "make" ||
      nounKind === deed?.kind ||
      (nounKind !== undefined && nounKind !== "tell" && EFFECTS.has(nounKind)))
  )
    return found("noun", noun, `the intent names something to ${noun}`);
  if (
    !does &&
    verb?.base !== "make" &&
    FOUND.test(fromCode) &&
    (facts.answer === "filter" || statedFirst(clause, deed === undefined))
  )
    return found("noun", "find", "the intent names something to find");
  if (
    verb?.base === "make" &&
    deed?.kind !== "remove" &&
    deed?.kind !== "tell" &&
    !/^(?:create|add|generate|build|render|make|draw|write)$/.test(fromCode)
  )
    return found(
      "intent",
      deed === undefined ? (facts.returns === "text" ? "format" : "build") : "create",
      "the intent says to make",
    );
  if (verb?.base === "get" && !does) return found("intent", "get", "the intent says to get");
  if (
    deed === undefined &&
    clause.mood === "noun" &&
    /^(?:\w+ ){1,3}(?:to|into) \w+(?: \w+)?$/.test(clause.words.join(" "))
  )
    return found("noun", "convert", "the intent names something to convert");
  // A figure that goes from one to another is the same figure.
  const isConversion =
    deed === undefined &&
    fromCode === "compute" &&
    parameters.includes("from") &&
    parameters.includes("to") &&
    !facts.methods.has("new Date");
  return isConversion
    ? found("code", "convert", "verb of the code: convert")
    : found("code", fromCode, `verb of the code: ${fromCode}`);
}

const PICKED = /^(?:map|filter|flatMap)$/;
const SAYS_LITTLE = /^(?:write|put|push|store|drop|set|make|convert|add|file|do|edit|raise)$/;

function isLess(verb: FoundVerb, { mood }: Clause, deed: Deed, deeds: readonly Deed[]): boolean {
  if (verb.name === deed.verb || verb.base === deed.verb) return false;
  if (mood !== "command" && deeds.some((one) => one.verb === verb.name && isFinishing(one, deeds)))
    return true;
  // To wake it, to copy, to let it sleep again is to copy.
  if (deeds.some((one, index) => one.verb === verb.name && one !== deed && isFrame(one, index, deeds)))
    return true;
  const isSame = verb.kind === deed.kind || (verb.name === "convert" && deed.kind === "change");
  return (
    isSame &&
    SAYS_LITTLE.test(verb.name) &&
    !/^(?:set|write|run|execute|call|link|tag|label)$/.test(deed.verb)
  );
}

/** Whether a figure comes of it that was not there before. */
function calculates({ methods, calls }: CodeFacts): boolean {
  return (
    ["/", "*", "reduce", "+=", "++", "count by", "-"].some((one) => methods.has(one)) ||
    calls.some(({ texts }) => texts.some(([, text]) => /\b(?:sum|count|avg|group by)\b/i.test(text)))
  );
}

function measureOf({ words, objectAt }: Clause): string {
  return words.slice(objectAt).find((word) => !FILLERS.has(word)) ?? "";
}

const FIGURED = /^(?:compute|count|compare|group|parse|decode)$/;
/** What code does that finds something. */
const FOUND = /^(?:list|get|find|search|sort|filter|embed|convert|generate|read|flatten|rank)$/;
