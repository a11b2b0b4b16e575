/**
 * The words that a name may be made of: words of the intent, of the tools and of the code. Their order and limits are
 * those that the naming model was trained with.
 *
 * @module
 */

import { wordSet } from "../../base/word-set.js";
import { nameWords } from "../../curation/code/name-words.js";
import { splitId } from "../../curation/naming-subject.js";

/** In the order of the model's facts. */
export type CodeKind = "name" | "text" | "argument" | "comment";

interface SaidWord {
  readonly word: string;
  /** Whether a name may contain it. */
  readonly isCandidate: boolean;
}

export interface ToolWord extends SaidWord {
  readonly kind: "server" | "tool";
  /** The number of tools that are called after this one, at most 3. */
  readonly after: number;
}

export interface CodeWord extends SaidWord {
  readonly kind: CodeKind;
  readonly count: number;
}

export interface SourceWords {
  readonly intent: readonly SaidWord[];
  readonly tools: readonly ToolWord[];
  readonly code: readonly CodeWord[];
}

const MOST = { intent: 48, tools: 36, code: 56, codeChars: 6_000, codeWordChars: 20 };

/** @param intent in English */
export function sourceWords(intent: string, tools: readonly string[], code: string): SourceWords {
  return { intent: intentWords(intent), tools: toolWords(tools), code: codeWords(code) };
}

const INTENT_STOPS = wordSet(`
the a an this that these those my me i we you your our it its please need want can could would will should must may to of in on at by
for from with without and or but so as is are was were be been being do does did has have had not no if then than there here what
which who whom whose how when where why any all every each some only just also very too more most much many us they them their he she
his her s t d m re ve ll don doesn isn aren hasn haven won one ones thing things something anything nothing everything give tell show
let lets like get`);
/** Two words that the model reads as one. */
const PHRASES: ReadonlyMap<string, string> = new Map(
  (
    "roll back=rollback,rolled back=rollback,back up=backup,set up=setup,look up=lookup,clean up=clean,throw out=delete," +
    "throw away=delete,thrown out=delete,get rid=delete,sum up=summarize,log in=login,sign up=signup,write down=record," +
    "line up=align,turn off=disable,turn on=enable,switch off=disable,switch on=enable,fill in=fill"
  )
    .split(",")
    .map((entry) => entry.split("=") as [string, string]),
);

function intentWords(intent: string): readonly SaidWord[] {
  const plain = intent
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .replace(/[’‘]/g, "'")
    .replace(/\be-?mail(s?)\b/gi, "email$1")
    .replace(/'(?:s|ll|d|m|re|ve)\b/g, "")
    .replace(/n't\b/g, " not");
  const words = [...plain.matchAll(/[A-Za-z0-9]+|[?:;,.!]/g)].flatMap(([part]) =>
    /\w/.test(part) ? nameWords(part) : [part],
  );
  const joined = words.flatMap((word, at) =>
    PHRASES.has(`${words[at - 1]} ${word}`) ? [] : [PHRASES.get(`${word} ${words[at + 1]}`) ?? word],
  );
  return joined
    .slice(0, MOST.intent)
    .map((word) => ({ word, isCandidate: isNameWord(word) && !INTENT_STOPS.has(word) }));
}

/** If there are more than eight tools, only the first three and the last five are read. */
function toolWords(ids: readonly string[]): readonly ToolWord[] {
  const kept = ids.length > 8 ? [...ids.slice(0, 3), ...ids.slice(-5)] : ids;
  const words = kept.flatMap((id, index): readonly ToolWord[] => {
    const { server, tool } = splitId(id);
    const after = Math.min(3, kept.length - 1 - index);
    const of = (kind: ToolWord["kind"], text: string): readonly ToolWord[] =>
      nameWords(text).map((word) => ({ word, kind, after, isCandidate: isNameWord(word) }));
    return [
      ...of("server", server),
      ...of("tool", tool),
      { word: ",", kind: "server", after, isCandidate: false },
    ];
  });
  return words.slice(0, MOST.tools);
}

const CODE_STOPS = wordSet(`
const let var await async return for of in if else new function throw error typeof instanceof true false null undefined this map filter
foreach reduce push pop shift slice splice sort find some every includes indexof join split concat flat flatmap flatten from entries
keys values set get has add delete length match matchall replace replaceall test exec trim tostring tofixed tolowercase touppercase
startswith endswith padstart padend charat number string object array boolean record promise all json parse stringify math max min
floor ceil round abs date now toisostring any unknown void type interface as mcp args self def not and or is none elif try except raise
with lambda str int dict list len isinstance kwargs print pass import while break continue yield class catch finally switch case
default a b c d e f g h i j k l m n o p q r s t u v w x y z res result results out data item items row rows value response resp ret el
idx obj tmp acc cur ok id ids select where group order by limit desc asc left on having distinct interval then propsvalue context auth
httpclient httpmethod sendrequest body headers url method logger log err`);
/** In texts these words are SQL, and describe an action. */
const QUERY_VERBS = wordSet("delete update insert set group order");

const PIECE =
  /\/\/(?<line>[^\n]*)|\/\*(?<block>[\s\S]*?)\*\/|#\s(?<hash>[^\n]*)|"(?<double>(?:[^"\\\n]|\\.)*)"|'(?<single>(?:[^'\\\n]|\\.)*)'|`(?<template>(?:[^`\\]|\\.)*)`|\bmcp\.\w+\.\w+|\bargs\.(?<argument>\w+)|(?<name>[A-Za-z_$][\w$]*)/g;

function codeWords(code: string): readonly CodeWord[] {
  const found = new Map<string, { word: string; kind: CodeKind; count: number; isCandidate: true }>();
  const add = (text: string, kind: CodeKind): void => {
    for (const word of text.split(/\s+/).flatMap(nameWords)) {
      if (word.length > MOST.codeWordChars || !isNameWord(word)) continue;
      if (CODE_STOPS.has(word) && !(kind === "text" && QUERY_VERBS.has(word))) continue;
      const known = found.get(word);
      if (known === undefined) found.set(word, { word, kind, count: 1, isCandidate: true });
      else known.count += 1;
    }
  };
  for (const { groups = {} } of code.slice(0, MOST.codeChars).matchAll(PIECE)) {
    const { template = "", argument = "", name = "" } = groups;
    add(groups.line ?? groups.block ?? groups.hash ?? "", "comment");
    add((groups.double ?? groups.single ?? "").replace(/https?:\/\/|\\n/g, " "), "text");
    add(template.replace(/\$\{[^}]*\}|\\n/g, " "), "text");
    for (const [, inside = ""] of template.matchAll(/\$\{([^}]*)\}/g))
      add(inside.replace(/\bargs\./g, ""), "argument");
    add(argument, "argument");
    add(name, "name");
  }
  return [...found.values()].slice(0, MOST.code);
}

function isNameWord(word: string): boolean {
  return /^[a-z][a-z0-9]+$/.test(word);
}
