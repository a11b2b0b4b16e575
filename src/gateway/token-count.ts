/**
 * How many tokens a listed tool costs a model (o200k).
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

/** Tokens of each text. */
export type CountTokens = (texts: readonly string[]) => Promise<readonly number[]>;

/** What a client hands its model of a tool. */
export function listedText({ name, description, inputSchema }: Tool): string {
  return JSON.stringify({ name, description, input_schema: inputSchema });
}

/** At most this many tokens, found without the vocabulary. */
export function tokensAtMost(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + costAtMost(tool), 0);
}

const costAtMost = derived((tool: Tool) => tokenCost(listedText(tool)));

/** What o200k never joins: words, groups of digits, signs that stand together. Each is a token at least. */
const NEVER_JOINED = /\p{L}[\p{L}\p{M}']*|\p{N}{1,3}|[^\s\p{L}\p{N}\p{M}]{2,}/gu;

/** At least this many tokens, found without the vocabulary. */
export function tokensAtLeast(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + costAtLeast(tool), 0);
}

const costAtLeast = derived((tool: Tool) => listedText(tool).match(NEVER_JOINED)?.length ?? 0);

/** Of tools, each counted once: exactly, or at most where counting fails. */
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
