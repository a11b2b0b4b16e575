/**
 * Near duplicates: code of one structure with different literals, and the words that distinguish them.
 *
 * @module
 */

import { compareTexts } from "../base/compare-texts.js";
import { nameWords } from "./code/name-words.js";
import { FILLERS } from "./lexicon/words.js";

export interface Likeness {
  readonly id: string;
  readonly shape: string;
  readonly leaves: readonly string[];
  /** The called tools, in order. */
  readonly calls: string;
  /** Words of its intent. */
  readonly said: ReadonlySet<string>;
}

export interface NearGroup<T extends Likeness> {
  readonly members: readonly T[];
  /** For each member, by its index: words that only it has, the most specific first. */
  readonly variants: readonly (readonly string[])[];
}

/** The share of names and literals that may differ. */
const MOST_OTHERS = 0.3;
/** A text with this many words describes what the code does. */
const SENTENCE_WORDS = 4;
const LEAST_SHARED = 0.5;
/** Shorter code resembles all other code. */
const FEWEST_LEAVES = 6;
/** Members that a new one is compared with before it starts its own group. */
const COMPARED = 32;

/**
 * Groups of at least two, in the order of their first members; members are sorted by id, so that the input order does
 * not matter.
 */
export function nearGroups<T extends Likeness>(all: readonly T[]): readonly NearGroup<T>[] {
  const byShape = new Map<string, T[][]>();
  for (const one of [...all].sort((a, b) => compareTexts(a.id, b.id))) {
    if (one.shape === "" || one.leaves.length < FEWEST_LEAVES) continue;
    const key = `${one.calls} ${one.shape}`;
    const groups = byShape.get(key) ?? [];
    byShape.set(key, groups);
    const near = groups
      .slice(0, COMPARED)
      .find(([first]) => first !== undefined && isNear(first.leaves, one.leaves));
    if (near === undefined) groups.push([one]);
    else near.push(one);
  }
  return [...byShape.values()]
    .flat()
    .filter(({ length }) => length > 1)
    .map((members) => ({ members, variants: variantsOf(members) }));
}

function isNear(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  let others = 0;
  for (const [index, leaf] of left.entries()) {
    const other = right[index] ?? "";
    if (leaf === other) continue;
    others += 1;
    if (!isLikeText(leaf, other)) return false;
  }
  return others <= Math.max(1, MOST_OTHERS * left.length);
}

/** Another query, command or prompt does something else, however similar the code around it is. */
function isLikeText(left: string, right: string): boolean {
  const own = new Set(left.toLowerCase().match(/[a-z_]+/g));
  const others = new Set(right.toLowerCase().match(/[a-z_]+/g));
  if (own.size < SENTENCE_WORDS && others.size < SENTENCE_WORDS) return true;
  const shared = [...own].filter((word) => others.has(word)).length;
  return shared >= LEAST_SHARED * Math.max(own.size, others.size);
}

function variantsOf(members: readonly Likeness[]): readonly (readonly string[])[] {
  const [first] = members;
  const places = (first?.leaves ?? [])
    .map((_, place) => place)
    .filter((place) => members.some(({ leaves }) => leaves[place] !== first?.leaves[place]));
  const words = members.map(({ leaves }) => places.flatMap((place) => leafWords(leaves[place] ?? "")));
  const counts = new Map<string, number>();
  for (const own of words) for (const word of new Set(own)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return words.map((own, index) => {
    const said = members[index]?.said ?? new Set<string>();
    const only = [...new Set(own)].filter((word) => counts.get(word) === 1);
    const rank = (word: string) => (said.has(word) ? 0 : /^\d/.test(word) ? 2 : 1);
    return only
      .map((word, at) => ({ word, at }))
      .sort((a, b) => rank(a.word) - rank(b.word) || a.at - b.at)
      .map(({ word }) => word);
  });
}

const LEAF_CHARS = 1_600;
/** Long runs of letters and digits are not words, and may be a secret. */
const WORD = /^(?:[a-z][a-z0-9]{1,19}|\d{1,4})$/;

const REGIONS = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** `country:DE`: two letters carry little information, and may be a function word; the country's name is clear. */
function withRegions(leaf: string): string {
  return leaf.replace(/(?<![\p{L}\p{N}])[A-Z]{2}(?![\p{L}\p{N}])/gu, (code) => {
    const name = REGIONS.of(code);
    return name !== undefined && /^[A-Z][a-z]+$/.test(name) ? name : code;
  });
}

export function leafWords(leaf: string): readonly string[] {
  return withRegions(leaf)
    .slice(0, LEAF_CHARS)
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap(nameWords)
    .filter((word) => WORD.test(word) && !FILLERS.has(word) && !/^(?:yml|txt|md)$/.test(word));
}
