/**
 * Counts how many tokens a listed tool costs a model (o200k).
 *
 * The vocabulary takes 40 MB, so tokens are counted in a thread (`token-worker.ts`), which ends with its answer. Most
 * questions are answered without it, from {@link tokensAtMost} and {@link tokensAtLeast}.
 *
 * @module
 */
import type { Tool } from "@modelcontextprotocol/server";
import { derived } from "../base/derived.js";
import { keepNewest } from "../base/keep-newest.js";
import { tokenCost } from "./own/token-cost.js";

const COUNTS_KEPT = 2_000;

/** Returns the tokens of each text. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>;

/** The text of a tool that a client gives its model. */
export function listedText({ name, description, inputSchema }: Tool): string {
  return JSON.stringify({ name, description, input_schema: inputSchema });
}

/** An upper bound of the tokens, without the vocabulary. */
export function tokensAtMost(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + costAtMost(tool), 0);
}

const costAtMost = derived((tool: Tool) => tokenCost(listedText(tool)));

/** Pieces that o200k never joins: words, groups of digits, adjacent punctuation. Each is at least one token. */
const NEVER_JOINED = /\p{L}[\p{L}\p{M}']*|\p{N}{1,3}|[^\s\p{L}\p{N}\p{M}]{2,}/gu;

/** A lower bound of the tokens, without the vocabulary. */
export function tokensAtLeast(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + costAtLeast(tool), 0);
}

const costAtLeast = derived((tool: Tool) => listedText(tool).match(NEVER_JOINED)?.length ?? 0);

/** The tokens of tools, each counted once: the exact number, or the upper bound if counting fails. */
export class ListedTokens {
  readonly #count: CountTokens;
  readonly #counts = new Map<string, number>();

  constructor(count: CountTokens) {
    this.#count = count;
  }

  async of(tools: readonly Tool[]): Promise<readonly number[]> {
    const texts = tools.map(listedText);
    const known = new Map(texts.map((text) => [text, this.#counts.get(text)]));
    const missing = texts.filter((text) => known.get(text) === undefined);
    const counted =
      missing.length === 0 ? [] : await this.#count(missing).catch(() => missing.map(tokenCost));
    for (const [at, text] of missing.entries()) known.set(text, counted[at]);
    return texts.map((text) => {
      const count = known.get(text) ?? 0;
      keepNewest(this.#counts, text, count, COUNTS_KEPT);
      return count;
    });
  }
}
