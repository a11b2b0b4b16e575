/**
 * Builds a valid free name from the words of a name.
 *
 * @module
 */

import { LIMITS } from "../base/limits.js";
import { chooseDisplayName, foldDisplayName } from "../registry/display-name.js";
import type { TakenNames } from "./name-suggestion.js";

export interface FreeName {
  readonly name: string;
  /** How it became free: unchanged, with a distinguishing word, or with a number. */
  readonly by: "itself" | "variant" | "number";
}

export const NAME_TOKENS = 5;
const TOKEN_CHARS = 24;
const NAMESPACE_CHARS = 30;
/**
 * This many numbers are tried one by one. After that the steps grow, so that many taken names do not need very many
 * lookups.
 */
const ONE_BY_ONE = 64;
const TRIES = 4_096;

export class FreeNames {
  readonly #taken: TakenNames;
  readonly #given = new Set<string>();
  /** Where to continue counting. */
  readonly #numbers = new Map<string, number>();

  constructor(taken: TakenNames) {
    this.#taken = taken;
  }

  /** The first free name: the words alone, with one of the variants, or with a number. */
  take(namespace: string, words: readonly string[], variants: readonly string[]): FreeName {
    const space = cleanNamespace(namespace);
    const base = cleanWords(words);
    const plain = base.slice(0, NAME_TOKENS);
    if (this.#claim(space, plain)) return { name: named(space, plain), by: "itself" };
    for (const variant of variants) {
      const [token] = cleanWords([variant]);
      if (token === undefined || plain.includes(token)) continue;
      const more = [...plain.slice(0, NAME_TOKENS - 1), token];
      if (this.#claim(space, more)) return { name: named(space, more), by: "variant" };
    }
    return { name: this.#numbered(space, plain.slice(0, NAME_TOKENS - 1)), by: "number" };
  }

  #numbered(space: string, words: readonly string[]): string {
    const key = named(space, words);
    let number = this.#numbers.get(key) ?? 2;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const more = [...words, String(number)];
      const isFree = this.#claim(space, more);
      const step = tries < ONE_BY_ONE ? 1 : 1 + Math.floor(tries / ONE_BY_ONE) ** 2;
      number += step;
      if (!isFree) continue;
      this.#numbers.set(key, number);
      return named(space, more);
    }
    // All tried names are taken. Applying this one will fail, and that call reports it.
    return named(space, [...words, String(number)]);
  }

  #claim(space: string, words: readonly string[]): boolean {
    const name = named(space, words);
    const fold = foldDisplayName(name);
    if (this.#given.has(fold) || !isChoosable(name) || this.#taken.isTaken(name)) return false;
    this.#given.add(fold);
    return true;
  }
}

function named(space: string, words: readonly string[]): string {
  return `${space}:${words.join("_")}`.slice(0, LIMITS.displayNameChars);
}

function isChoosable(name: string): boolean {
  try {
    chooseDisplayName(name);
    return true;
  } catch {
    return false;
  }
}

function cleanNamespace(namespace: string): string {
  const plain = namespace
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .replace(/^[_-]+|[_-]+$/g, "")
    .slice(0, NAMESPACE_CHARS);
  return plain === "" || !isChoosable(`${plain}:do_it`) ? "util" : plain;
}

function cleanWords(words: readonly string[]): readonly string[] {
  const clean: string[] = [];
  for (const word of words)
    for (const token of word.toLowerCase().split(/[^a-z0-9]+/))
      if (token !== "" && token.length <= TOKEN_CHARS && !clean.includes(token)) clean.push(token);
  return clean.length === 0 ? ["run"] : clean;
}
