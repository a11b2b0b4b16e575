/**
 * Chooses the purpose of code among all its actions: changes outweigh reads, and messages outweigh changes.
 *
 * @module
 */

import { wordSet } from "../../base/word-set.js";
import type { VerbKind } from "../lexicon/verbs.js";
import type { CodeFacts } from "./code-facts.js";
import type { Deed } from "./deeds.js";
import { nameWords } from "./name-words.js";

/** How much each kind says about the purpose of code. */
export const KIND_WORTH: Readonly<Record<VerbKind, number>> = {
  tell: 5,
  remove: 4.5,
  change: 4,
  run: 3.5,
  make: 3,
  check: 1.2,
  compute: 1.2,
  ask: 1,
};
const INTERACTING = wordSet("click tap type fill press submit select");
const OPENING = wordSet(
  "start open create new begin acquire lock connect login launch wake boot mount setup",
);
const CLOSING = wordSet(`
stop close end finish release unlock disconnect logout quit shutdown sleep cleanup unmount destroy delete terminate remove`);
/** Verbs that only complete a thing that was just created. */
const FINISHING = wordSet(`
add send post pin append insert invite assign set update attach tag label notify share comment link write mark star subscribe
grant welcome put upload`);
const MAKING = wordSet("create open start register book schedule");
/** Verbs with so little information that any other word is better. */
const ANYTHING = wordSet("run execute call evaluate");

/** Buttons may do anything. */
export function interacts({ tool }: Deed): boolean {
  return nameWords(tool).some((word) => INTERACTING.has(word));
}

/** It opens or closes the context of the rest: a session, a lock, a machine. */
function isFrame(deed: Deed, index: number, deeds: readonly Deed[]): boolean {
  const [first = "", ...thing] = nameWords(deed.tool);
  const pairs = (some: readonly Deed[], words: ReadonlySet<string>) =>
    some.some(({ server, tool }) => {
      const [other = "", ...otherThing] = nameWords(tool);
      return server === deed.server && words.has(other) && otherThing.join() === thing.join();
    });
  return (
    deeds.length > 2 &&
    ((CLOSING.has(first) && pairs(deeds.slice(0, index), OPENING)) ||
      (OPENING.has(first) && pairs(deeds.slice(index + 1), CLOSING)))
  );
}

/** If a channel is created, people are added and a message is pinned, the purpose is to create a channel. */
export function isFinishing(deed: Deed, deeds: readonly Deed[]): boolean {
  const before = deeds.slice(0, deeds.indexOf(deed));
  return (
    FINISHING.has(deed.verb) &&
    before.some(
      ({ verb, kind, server, step }) =>
        MAKING.has(verb) && kind === "change" && server === deed.server && step !== "leading",
    )
  );
}

export function mainDeed(deeds: readonly Deed[]): Deed | undefined {
  let best: Deed | undefined;
  let most = 0;
  for (const [index, deed] of deeds.entries()) {
    if (isFrame(deed, index, deeds)) continue;
    const isAnything = deed.kind === "run" && ANYTHING.has(deed.verb);
    const isLess = deed.step === "leading" || isFinishing(deed, deeds);
    // To search is more specific than to list the searched items.
    const worth =
      KIND_WORTH[deed.kind] - (isAnything ? 1 : 0) - (isLess ? 3 : 0) + (deed.verb === "search" ? 0.1 : 0);
    // The first question shows what is asked; the last change is the result.
    if (worth > most || (worth === most && worth >= 3)) {
      best = deed;
      most = worth;
    }
  }
  return best ?? deeds[0];
}

/** The action of the code, in one verb. */
export function codeVerb(facts: CodeFacts, deeds: readonly Deed[], main: Deed | undefined): string {
  if (main === undefined) return pureVerb(facts);
  const isStep = main.step === "leading" && main.kind !== "ask";
  if (isStep && deeds.some(({ tool }) => /fill|submit/i.test(tool))) return "fill";
  // Data from elsewhere is saved in a file, not written.
  if (main.verb === "write" && deeds.some(({ kind, server }) => kind === "ask" && server !== main.server))
    return "save";
  if (main.kind !== "ask" && !isStep) return main.verb;
  return readVerb(facts, main);
}

/** The processing of data that is only read. */
function readVerb({ methods, returns, answer }: CodeFacts, { verb }: Deed): string {
  const has = (...some: readonly string[]) => some.some((method) => methods.has(method));
  if (returns === "boolean") return "check";
  if (has("filter", "push if") && returns === "list") return "find";
  if (has("count by")) return "count";
  if (returns === "number" && /^(?:Number|parseFloat|parseInt)$/.test(answer)) return "get";
  if (returns === "number") return has("reduce", "+=", "/") ? "compute" : "count";
  if (verb === "diff" || verb === "read" || verb === "download") return verb;
  if (has("filter", "find") || verb === "search") return "find";
  return returns === "list" || verb === "list" || verb === "scan" ? "list" : "get";
}

const RANDOM = ["Math.random", "randomUUID", "getRandomValues", "randomBytes", "randomInt"];

/** The action of code without tools, by its methods and its result; the first match. */
function pureVerb(facts: CodeFacts): string {
  const { methods, returns, names, answer, hasLoop, returned } = facts;
  const has = (...some: readonly string[]) => some.some((method) => methods.has(method));
  if (has("createHash", "digest", "subtle")) return "hash";
  if (has("btoa", "encodeURIComponent", "encode")) return "encode";
  if (has("atob", "decodeURIComponent", "decode")) return "decode";
  if (has(...RANDOM)) return "generate";
  if (returns === "boolean") return "validate";
  if (has("count by")) return "count";
  if (returned.length === 1 && answer === "" && /^(?:order|sort)/.test(returned[0] ?? "")) return "sort";
  if (has("matchAll", "match") && !has("JSON.parse")) return "extract";
  if (has("JSON.parse", "exec", "new URL")) return "parse";
  if (has("new Set") && names.some((name) => /seen|uniq|dedup/i.test(name))) return "dedupe";
  if (returns === "number") return has("++") ? "count" : "compute";
  if (answer === "filter") return "filter";
  if (answer === "map" && has("toISOString")) return "convert";
  if (has("??= push")) return "group";
  // Code that sorts a list and then loops over it searches for something.
  if (has("sort", "toSorted")) return hasLoop && has("push") && answer === "" ? "find" : "sort";
  if (has("filter") && returns !== "text") return "filter";
  if (has("replace by nothing")) return "clean";
  if (has("toLocaleString", "format", "toFixed", "padStart", "JSON.stringify", "join")) return "format";
  if (returns === "text") return "format";
  const figures = has("*", "/", "**");
  return has("reduce") || (figures && (hasLoop || returns !== "object")) ? "compute" : "convert";
}
