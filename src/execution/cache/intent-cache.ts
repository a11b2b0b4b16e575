/**
 * Results by what they were wanted for: an intent that is nearly the same, with the same arguments, gets the same.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { ServerName } from "../../registry/tool-id.js";
import { type CachedResult, type MemoryBounds, MemoryCache } from "./memory-cache.js";

/** More alike than this. */
const ALIKE = 0.95;

export interface IntentResult extends CachedResult {
  readonly intent: string;
  /** Of the arguments, and who asked. */
  readonly argsKey: string;
  readonly capability: Fqdn;
  readonly version: number;
}

export class IntentCache {
  readonly #results: MemoryCache<IntentResult>;
  readonly #similarity: (one: string, other: string) => number;

  constructor(bounds: MemoryBounds, similarity: (one: string, other: string) => number) {
    this.#results = new MemoryCache({ ...bounds, entries: Math.min(bounds.entries, LIMITS.cachedIntents) });
    this.#similarity = similarity;
  }

  get size(): number {
    return this.#results.size;
  }

  get bytes(): number {
    return this.#results.bytes;
  }

  add(result: IntentResult): void {
    this.#results.set(JSON.stringify([result.argsKey, result.intent]), result);
  }

  /** The most alike of those that `isGood`, of several the newest. */
  find(
    intent: string,
    argsKey: string,
    now: number,
    isGood: (result: IntentResult) => boolean,
  ): IntentResult | undefined {
    let best: IntentResult | undefined;
    let most = ALIKE;
    for (const result of this.#results.alive(now)) {
      if (result.argsKey !== argsKey) continue;
      const alike = result.intent === intent ? 1 : this.#similarity(intent, result.intent);
      const isBetter = best === undefined ? alike > most : alike >= most;
      if (!isBetter || !isGood(result)) continue;
      best = result;
      most = alike;
    }
    return best;
  }

  deleteWhere(isMeant: (result: CachedResult) => boolean): number {
    return this.#results.deleteWhere(isMeant);
  }

  deleteOf(server: ServerName): number {
    return this.#results.deleteOf(server);
  }
}
