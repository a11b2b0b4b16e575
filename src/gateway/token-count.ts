/**
 * How many tokens a listed tool costs a model (o200k).
 *
 * The vocabulary takes 40 MB, so it is loaded in a thread, which ends when nothing was asked for a while. Most questions
 * are answered without it, from {@link tokenCost}, which is never too low.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Tool } from "@modelcontextprotocol/server";
import { derived } from "../base/derived.js";
import { keepNewest } from "../base/keep-newest.js";
import { tokenCost } from "./own/token-cost.js";

/** Beside this file when it is built; tests run the sources, and a thread needs the built file. */
const BUILT = import.meta.url.endsWith(".ts") ? "../../dist/gateway/" : "./";
const WORKER = fileURLToPath(new URL(`${BUILT}token-worker.js`, import.meta.url));

const IDLE_MS = 10_000;
const COUNTS_KEPT = 2_000;

export interface TokenCounter {
  /** Tokens of each text. */
  count(texts: readonly string[]): Promise<readonly number[]>;
}

/** What a client hands its model of a tool. */
export function listedText({ name, description, inputSchema }: Tool): string {
  return JSON.stringify({ name, description, input_schema: inputSchema });
}

/** At most this many tokens, found without the vocabulary. */
export function tokensAtMost(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + costAtMost(tool), 0);
}

const costAtMost = derived((tool: Tool) => tokenCost(listedText(tool)));

/** Of tools, exactly; each is counted once. */
export class ListedTokens {
  readonly #counter: TokenCounter;
  readonly #counts = new Map<string, number>();

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  async of(tools: readonly Tool[]): Promise<readonly number[]> {
    const texts = tools.map(listedText);
    const known = new Map(texts.map((text) => [text, this.#counts.get(text)]));
    const missing = texts.filter((text) => known.get(text) === undefined);
    const counted = missing.length === 0 ? [] : await this.#counter.count(missing);
    for (const [at, text] of missing.entries()) known.set(text, counted[at]);
    return texts.map((text) => {
      const count = known.get(text) ?? 0;
      keepNewest(this.#counts, text, count, COUNTS_KEPT);
      return count;
    });
  }
}

/** Counts in a thread that is started by the first question. */
export class ThreadTokenCounter implements TokenCounter {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #last: Promise<unknown> = Promise.resolve();

  count(texts: readonly string[]): Promise<readonly number[]> {
    const answer = this.#last.then(() => this.#ask(texts));
    this.#last = answer.catch(() => {});
    return answer;
  }

  #ask(texts: readonly string[]): Promise<readonly number[]> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? new Worker(WORKER);
    this.#worker = worker;
    worker.unref();
    return new Promise<readonly number[]>((resolve, reject) => {
      const ended = (error: Error) => {
        this.#worker = undefined;
        reject(error);
      };
      const exited = () => ended(new Error("The thread that counts tokens has ended"));
      worker.once("error", ended).once("exit", exited);
      worker.once("message", (counts: readonly number[]) => {
        worker.off("error", ended).off("exit", exited);
        this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
        resolve(counts);
      });
      worker.postMessage(texts);
    });
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}
