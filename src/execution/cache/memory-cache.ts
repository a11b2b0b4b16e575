/**
 * Results in memory, limited by number, bytes and age. They are found by key, or by a nearly equal intent with the same
 * arguments.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { ServerName } from "../../registry/tool-id.js";
import type { ToolPart } from "./cache-store.js";

export interface CachedResult {
  /** JSON. */
  readonly text: string;
  readonly codeHash: string;
  readonly tools: readonly ToolPart[];
  /** A call to one of these servers that may change something makes the result stale. */
  readonly servers: readonly ServerName[];
  /** The capability of the run, and those that it called. */
  readonly capabilities: readonly Fqdn[];
  /** When its run began, by the system clock, so that results also age while the computer sleeps. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface MemoryBounds {
  readonly entries: number;
  readonly bytes: number;
}

/** The size of an entry without its text: its key, its lists, and its place in the map. */
const ENTRY_BYTES = 1_024;

export class MemoryCache<T extends CachedResult = CachedResult> {
  readonly #bounds: MemoryBounds;
  /** The most recently used one is last. */
  readonly #results = new Map<string, T>();
  /** How many results each server has, so that a call of a server without results costs nothing. */
  readonly #ofServers = new Map<ServerName, number>();
  #bytes = 0;

  constructor(bounds: MemoryBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#results.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string, now: number): T | undefined {
    const result = this.#results.get(key);
    if (result === undefined) return undefined;
    if (!isAlive(result, now)) {
      this.delete(key);
      return undefined;
    }
    this.#results.delete(key);
    this.#results.set(key, result);
    return result;
  }

  /** A result that exceeds the size limit of the whole cache is not kept. */
  set(key: string, result: T): void {
    this.delete(key);
    if (bytesOf(result) > this.#bounds.bytes || this.#bounds.entries < 1) return;
    this.#results.set(key, result);
    this.#bytes += bytesOf(result);
    for (const server of result.servers) this.#ofServers.set(server, (this.#ofServers.get(server) ?? 0) + 1);
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= this.#bounds.entries && this.#bytes <= this.#bounds.bytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const result = this.#results.get(key);
    if (result === undefined) return;
    this.#results.delete(key);
    this.#bytes -= bytesOf(result);
    for (const server of result.servers) {
      const others = (this.#ofServers.get(server) ?? 1) - 1;
      if (others > 0) this.#ofServers.set(server, others);
      else this.#ofServers.delete(server);
    }
  }

  deleteWhere(isMeant: (result: T) => boolean): number {
    const before = this.#results.size;
    for (const [key, result] of this.#results) if (isMeant(result)) this.delete(key);
    return before - this.#results.size;
  }

  deleteOf(server: ServerName): number {
    return this.#ofServers.has(server) ? this.deleteWhere(({ servers }) => servers.includes(server)) : 0;
  }

  *alive(now: number): Iterable<T> {
    for (const result of this.#results.values()) if (isAlive(result, now)) yield result;
  }
}

/** Setting the clock back does not make results younger. */
function isAlive({ createdAt, expiresAt }: CachedResult, now: number): boolean {
  return createdAt <= now && now < expiresAt;
}

/** Text takes at most two bytes per character. */
function bytesOf({ text, tools, capabilities }: CachedResult): number {
  return 2 * text.length + ENTRY_BYTES + 256 * (tools.length + capabilities.length);
}

/** The minimum similarity. */
const ALIKE = 0.95;

export interface IntentResult extends CachedResult {
  readonly intent: string;
  /** The key of the arguments and the asker. */
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

  /** The most similar result for which `isGood` is true; with several, the newest. */
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
