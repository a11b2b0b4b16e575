/**
 * The words that a name may have, each with its facts as numbers: the input of the naming model.
 *
 * @module
 */
import { singularOf } from "../../curation/lexicon/words.js";
import type { Candidate } from "../../curation/object-model.js";
import type { CodeKind, CodeWord, SourceWords, ToolWord } from "./source-words.js";

/** The words that the model's lexicon knows. */
export interface KnownWords {
  readonly verbs: ReadonlySet<string>;
  readonly states: ReadonlySet<string>;
  /** Two digits: how often the word is in names of public tools, and how often in their descriptions. */
  readonly counts: Readonly<Record<string, string>>;
}

/** Where the numbers of each kind of fact start. */
// biome-ignore format: a table of numbers
export const FACTS = {
  inIntent: 1, place: 2, fromEnd: 10, clause: 14, before: 17, next: 33, beforeThat: 49, fromVerb: 65,
  plural: 73, times: 74, verb: 77, first: 79, inNames: 80, inTexts: 89, tool: 95, server: 101, tools: 103,
  code: 106, codeTimes: 112, codePlace: 116, sources: 121, length: 129, state: 134, implied: 136,
  question: 142, toolCount: 145, onlyCode: 153,
};
const MOST = 54;
const CODE_KINDS: readonly CodeKind[] = ["name", "text", "argument", "comment"];

/** The classes of neighbouring words: 1 to 13 as listed, 14 a verb, 15 any other, 0 none. */
const CLASSES: readonly string[] = [
  "the a an this these those our my your its their his her each every all any some",
  "of",
  "in on at inside into within under over",
  "for to toward",
  "from since between",
  "by with via per through using as without",
  "and or then",
  "which what who where when how why whose many much",
  "is are was were be been has have had do does did can could should would must may will not no",
  "? . : ; ! ,",
  "that if but so because than unless until while after before",
  "i we you they it me us them he she one ones",
  "please need want let give show tell",
];
const CLASS_OF: ReadonlyMap<string, number> = new Map(
  CLASSES.flatMap((words, index) => words.split(" ").map((word) => [word, index + 1] as const)),
);
const [VERB, OTHER, ASKS] = [14, 15, 8];
/** After one of these (a mark, `and`, `to`, `please` or `we`), a verb is an action. */
const BEFORE_VERBS: ReadonlySet<number> = new Set([10, 7, 4, 13, 12]);

interface Found {
  readonly said: { readonly word: string; readonly at: number; readonly clause: number }[];
  readonly tools: (ToolWord & { readonly at: number })[];
  readonly code: (CodeWord & { readonly at: number })[];
}

export function candidatesOf(
  source: SourceWords,
  toolCount: number,
  known: KnownWords,
): readonly Candidate[] {
  const found = foundIn(source);
  const said = source.intent.map(({ word }) => word);
  const classOf = (at: number): number => {
    const word = said[at];
    if (word === undefined) return 0;
    return CLASS_OF.get(word) ?? (known.verbs.has(singularOf(word)) || known.verbs.has(word) ? VERB : OTHER);
  };
  const firstVerb = said.findIndex(
    (word, at) => known.verbs.has(word) && (at < 2 || BEFORE_VERBS.has(classOf(at - 1))),
  );
  const question = said.includes("?") ? 1 : classOf(0) === ASKS ? 2 : 0;
  const others = source.tools.length + source.code.length;
  return [...found].slice(0, MOST).map(([key, one]) => {
    const [first] = one.said;
    const facts: number[] = [];
    if (first !== undefined) {
      const { at, clause, word } = first;
      facts.push(FACTS.inIntent, FACTS.place + Math.min(7, at), FACTS.clause + Math.min(2, clause));
      facts.push(FACTS.fromEnd + bucket(said.length - 1 - at, [1, 3, 6]));
      facts.push(
        FACTS.before + classOf(at - 1),
        FACTS.next + classOf(at + 1),
        FACTS.beforeThat + classOf(at - 2),
      );
      facts.push(FACTS.fromVerb + (firstVerb < 0 ? 7 : at < firstVerb ? 6 : Math.min(5, at - firstVerb)));
      facts.push(FACTS.times + Math.min(2, one.said.length - 1));
      if (word !== key) facts.push(FACTS.plural);
      if (at === 0) facts.push(FACTS.first);
      if (question > 0) facts.push(FACTS.question + question);
    } else if (said.length < 6) facts.push(FACTS.onlyCode);
    const isSaid = first !== undefined;
    facts.push(...wordFacts(key, isSaid, known), ...sourceFacts(one, toolCount, others));
    const [elsewhere] = [...one.tools, ...one.code];
    return {
      key,
      word: (first ?? elsewhere)?.word ?? key,
      facts,
      isSaid,
      at: (first ?? elsewhere)?.at ?? 0,
    };
  });
}

function foundIn({ intent, tools, code }: SourceWords): ReadonlyMap<string, Found> {
  const found = new Map<string, Found>();
  const of = (word: string): Found => {
    const key = singularOf(word);
    const one = found.get(key) ?? { said: [], tools: [], code: [] };
    found.set(key, one);
    return one;
  };
  let clause = 0;
  for (const [at, { word, isCandidate }] of intent.entries()) {
    if (/^[.:;!?,]$/.test(word)) clause += 1;
    if (isCandidate) of(word).said.push({ word, at, clause });
  }
  for (const [at, one] of tools.entries()) if (one.isCandidate) of(one.word).tools.push({ ...one, at });
  for (const [at, one] of code.entries()) of(one.word).code.push({ ...one, at: tools.length + at });
  return found;
}

function wordFacts(key: string, isSaid: boolean, { verbs, states, counts }: KnownWords): readonly number[] {
  const unsaid = isSaid ? 0 : 1;
  const [inNames = 0, inTexts = 0] = Object.hasOwn(counts, key) ? [...(counts[key] ?? "")].map(Number) : [];
  return [
    ...(verbs.has(key) ? [FACTS.verb + unsaid] : []),
    ...(states.has(key) ? [FACTS.state + unsaid] : []),
    FACTS.inNames + inNames,
    FACTS.inTexts + inTexts,
    FACTS.length + bucket(key.length, [4, 6, 9, 12]),
  ];
}

function sourceFacts({ said, tools, code }: Found, toolCount: number, others: number): readonly number[] {
  const facts = [FACTS.toolCount + Math.min(3, toolCount)];
  const ofTools = tools.filter(({ kind }) => kind === "tool");
  if (ofTools.length > 0) {
    facts.push(FACTS.tool + Math.min(...ofTools.map(({ after }) => after)));
    facts.push(FACTS.tools + Math.min(2, ofTools.length - 1));
    if (ofTools.length >= toolCount && toolCount > 1) facts.push(FACTS.tool + 5);
  }
  if (ofTools.length < tools.length) facts.push(FACTS.server + (said.length > 0 ? 0 : 1));
  const [inCode] = code;
  if (inCode !== undefined) {
    facts.push(FACTS.code + CODE_KINDS.indexOf(inCode.kind), FACTS.codeTimes + Math.min(3, inCode.count - 1));
    facts.push(FACTS.codePlace + bucket(inCode.at / others, [0.2, 0.4, 0.6, 0.8]));
  }
  const sources = [said, tools, code].map(({ length }, index) => (length > 0 ? 2 ** index : 0));
  facts.push(FACTS.sources + sources.reduce((sum, one) => sum + one, 0));
  return facts;
}

/** The number of edges that the value has reached. */
export function bucket(value: number, edges: readonly number[]): number {
  return edges.filter((edge) => value >= edge).length;
}
