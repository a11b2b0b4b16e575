/**
 * The description of a capability: a sentence for searches, and a few tags.
 *
 * A clear intent is used as it is; otherwise the sentence is built from the words of the name.
 *
 * @module
 */

import { wordSet } from "../base/word-set.js";
import { stem } from "../discovery/vocabulary.js";
import { serverNamespace } from "../registry/namespace.js";
import type { CodeFacts } from "./code/code-facts.js";
import { nameWords } from "./code/name-words.js";
import { VERB_PHRASES, type VerbKind, verbOf } from "./lexicon/verbs.js";
import { SPELLINGS, TELLING, wordMap } from "./lexicon/words.js";

export interface Described {
  readonly verb: string;
  readonly objects: readonly string[];
  readonly variant: string | undefined;
  readonly servers: readonly string[];
  /** The part of an English intent that says what is done, as a sentence; undefined if none is clear. */
  readonly said: string | undefined;
}

const SENTENCE_CHARS = 160;
const INTENT_CHARS = 2_000;
/** Long words, which may be keys or tokens; long numbers; mail addresses; values named as secrets. */
const SECRETS = [
  /[\w+/-]{24,}|\S{40,}|\d{9,}|\S+@\S+\.\S+/,
  /\b(?:password|token|secret|api[_ -]?key)\s*[:=]/i,
];

export function descriptionOf({ verb, objects, variant, servers, said }: Described): string {
  const plain = said?.replace(/\s+/g, " ").trim() ?? "";
  const isSentence = /^[A-Za-z]/.test(plain) && plain.length >= 12 && plain.length <= SENTENCE_CHARS;
  if (isSentence && !SECRETS.some((secret) => secret.test(plain))) return ended(plain);
  const which = variant === undefined || objects.includes(variant) ? "" : ` (${variant})`;
  return ended(`${thirdPerson(verb)} ${thingsOf(objects)}${which}${placeOf(servers)}`);
}

/** `the unpaid invoices and amount`: a word after plurals is a separate thing. */
function thingsOf(objects: readonly string[]): string {
  const parts: string[][] = [[]];
  for (const word of objects) {
    const last = parts.at(-1)?.at(-1);
    if (last !== undefined && !TELLING.has(last) && /[^s]s$/.test(last)) parts.push([word]);
    else parts.at(-1)?.push(word);
  }
  const some = parts.map((part) => part.join(" ")).filter((part) => part !== "");
  return some.length === 0 ? "what it is given" : `the ${listed(some)}`;
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}

/** `backup` becomes two words. */
const SPLIT = wordMap(
  "setup=sets_up backup=backs_up lookup=looks_up rollback=rolls_back login=logs_in_to logout=logs_out_of checkout=checks_out",
);

function thirdPerson(verb: string): string {
  const split = SPLIT.get(verb);
  if (split !== undefined) return split.replaceAll("_", " ");
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
}

/** How sentences refer to servers of a family. */
const PLACES: Readonly<Record<string, string>> = {
  fs: "in the file system",
  api: "on the web",
  shell: "on the command line",
  ai: "with a language model",
};
/** Families that are not a place. */
const NOWHERE = wordSet("time memory clock datetime util utils math");
const SERVERS = 3;

/** With a leading blank; empty if there is no place. */
function placeOf(all: readonly string[]): string {
  const servers = all.filter((server) => !NOWHERE.has(server.toLowerCase()));
  const [only = "", ...others] = servers;
  if (only === "") return "";
  if (others.length > 0) return ` with ${listed(servers.slice(0, SERVERS).map(spelled))}`;
  if (/browser|playwright|puppeteer|selenium|chrome|firefox/i.test(only)) return " in a browser";
  return ` ${PLACES[serverNamespace(only)] ?? `in ${spelled(only)}`}`;
}

function spelled(server: string): string {
  return nameWords(server.slice(0, 40))
    .map((word) => SPELLINGS.get(word)?.replaceAll("_", " ") ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}

const SENTENCE = /[^.;!?\n]+(?:[.;!?](?!\s|$)[^.;!?\n]*)*/g;
const SENTENCES = 8;
const PHRASE_CHARS = 100;
const THING_WORDS = 14;
const COURTESY = [
  /^(?:(?:please|pls|kindly|just|now|then|also|and|so|hey|hi|hello|ok|okay)[\s,]+)+/i,
  /^(?:can|could|would|will) you (?:please )?/i,
  /^(?:i|we) (?:need|want|would like|'d like) (?:you )?to /i,
  /[\s,]+please$/i,
];
/** A sentence that begins with these tells a story instead of a request. */
const STORY = wordSet(`
i we he she they it you my our there this that these somebody someone nobody people everybody if when because since as for and
or but same no not on in at from with before after`);
const ASKS = wordSet(`
which what what's who whose where when why how is are was were do does did has have can should any am`);
/** A phrase with one of these is a sentence, which needs no verb in front. */
const SENTENCE_VERBS = wordSet(`
become becomes goes go is are was were want wants need needs should must has have will can get gets say says`);
/** Verbs that begin nouns: `pull requests`, `test results`. */
const THINGS = wordSet("pull merge change feature test log order release report");
const DETERMINERS = wordSet("the a an all my our");

interface Said {
  readonly text: string;
  readonly worth: number;
}

/**
 * The sentence of an English intent that says the same as the name, without courtesies: a command or request as it is;
 * a noun with the verb in front. It must mention something of the name.
 */
export function saidOf(intent: string, verb: string, objects: readonly string[]): string | undefined {
  const keys = new Set(objects.map(stem));
  let best: Said | undefined;
  for (const { 0: sentence, index } of [...intent.slice(0, INTENT_CHARS).matchAll(SENTENCE)].slice(
    0,
    SENTENCES,
  )) {
    const plain = COURTESY.reduce((text, courtesy) => text.replace(courtesy, ""), sentence.trim())
      .replace(/^((?:get|find|give|show|tell|list|fetch|bring|send) )me /i, "$1")
      .trim();
    const words = plain.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    const shared = new Set(words.map(stem).filter((key) => keys.has(key))).size;
    const isAsked = intent[index + sentence.length] === "?";
    const said = shared === 0 ? undefined : sentenceOf(plain, isAsked, verb, shared);
    const worth = (said?.worth ?? 0) + shared * 0.3;
    if (said !== undefined && worth > (best?.worth ?? 0)) best = { text: said.text, worth };
  }
  return best?.text;
}

function sentenceOf(plain: string, isAsked: boolean, verb: string, shared: number): Said | undefined {
  const words = plain.toLowerCase().split(/[\s,]+/);
  const [first = "", second = ""] = words;
  const isThing = THINGS.has(first) && !DETERMINERS.has(second) && !VERB_PHRASES.has(`${first} ${second}`);
  const told = isThing ? undefined : verbOf(first);
  const isTold = told?.form === "base";
  if (isTold && (told.name === verb || told.base === verb)) return { text: plain, worth: 3 };
  if (plain.length < 4 || plain.length > PHRASE_CHARS || !/^\w[^{}<>→$€£]*$/.test(plain)) return undefined;
  if (words.some((word) => word === "them" || word.endsWith("n't"))) return undefined;
  if (ASKS.has(first)) return isAsked ? { text: `${plain}?`, worth: 2.5 } : undefined;
  if (isTold) return shared > 1 || told.isVague ? { text: plain, worth: 1.5 } : undefined;
  // `OPS-12: …`, `hunt - pages …` and the like are neither phrases for a verb nor sentences.
  const isLong = words.length > (DETERMINERS.has(first) ? THING_WORDS / 2 : THING_WORDS);
  if (isLong || STORY.has(first) || /[:()=]|\s[-–—]\s/.test(plain)) return undefined;
  if (words.some((word) => SENTENCE_VERBS.has(word))) return undefined;
  return { text: `${thirdPerson(verb)} ${lowered(plain)}`, worth: 2 };
}

/** `JSON` stays as it is. */
function lowered(text: string): string {
  return /^[A-Z](?:[a-z]+)?(?:\s|$)/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

function ended(sentence: string): string {
  const first = sentence.charAt(0).toUpperCase() + sentence.slice(1).replace(/[\s.,;:!?]+$/, "");
  return `${first}${sentence.endsWith("?") ? "?" : "."}`;
}

const FORMATS = wordSet("json csv yaml xml html markdown pdf sql toml tsv");
/** Tags of kinds with another name. */
const KIND_TAGS = wordMap("ask=read make=transform change=write remove=delete tell=notify");

export function tagsOf(
  namespace: string,
  kind: VerbKind,
  { texts, calls, methods }: CodeFacts,
  intent: string,
): readonly string[] {
  const given = calls.flatMap((call) => call.texts.map(([, text]) => text));
  const all = [intent, ...texts.slice(0, 20), ...given.slice(0, 20)].join(" ").toLowerCase();
  const words = new Set(all.split(/[^a-z]+/));
  if (methods.has("JSON.parse")) words.add("json");
  const formats = [...FORMATS].filter((format) => words.has(format));
  return [...new Set([namespace, KIND_TAGS.get(kind) ?? kind, ...formats.slice(0, 2)])];
}
