/**
 * Writes results and hits to the store in the background, and drops results that calls have made stale: one statement
 * per server, for any number of calls.
 *
 * @module
 */
import { BackgroundWriter } from "../../base/background-writer.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import { type ServerName, splitToolId, type ToolId } from "../../registry/tool-id.js";
import type { CapabilityCacheStore, NewStoredResult, StoredKey } from "./cache-store.js";
import type { CachedResult } from "./memory-cache.js";

export interface PendingResult {
  readonly stored: Omit<NewStoredResult, "livesMs" | "ageMs">;
  readonly result: CachedResult;
  /** When it expires in the store, by this gateway's clock. */
  readonly expiresAt: number;
}

/** The interval of pruning, which also happens once at the start. */
const PRUNE_MS = 600_000;
/** Results that calls have made stale are dropped at most this often. */
const DROP_MS = 1_000;

export class StoreWriter {
  readonly #store: CapabilityCacheStore;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #drops: ServerDrops;
  #droppedAt = Number.NEGATIVE_INFINITY;
  #pending = new Map<string, PendingResult>();
  #hits = new Map<string, number>();
  readonly #writer: BackgroundWriter;
  #prunedAt = Number.NEGATIVE_INFINITY;
  #isFailing = false;

  constructor(store: CapabilityCacheStore, log: Log, now: () => number, drops: ServerDrops) {
    this.#store = store;
    this.#drops = drops;
    this.#log = log;
    this.#now = now;
    this.#writer = new BackgroundWriter({
      write: () => this.#write(),
      failed: () => {},
      early: () => (drops.size === 0 ? 0 : this.#droppedAt + DROP_MS - performance.now()),
    });
  }

  add(pending: PendingResult): void {
    this.#pending.set(pendingKey(pending.stored), pending);
    this.#drops.written(pending.stored.servers);
    if (this.#pending.size > LIMITS.cachedEntries) {
      const [oldest] = this.#pending.keys();
      if (oldest !== undefined) this.#pending.delete(oldest);
    }
    this.#writer.plan();
  }

  /** Drops the result of a key, here at once; resolves when the store has dropped it or could not be updated. */
  async forget(key: StoredKey): Promise<void> {
    this.#pending.delete(pendingKey(key));
    await this.#writer.writing;
    await this.#store
      .forget(key)
      .catch((error: unknown) => this.#log.warn("cache.not_forgotten", { message: messageOf(error) }));
  }

  hit(id: string): void {
    this.#hits.set(id, (this.#hits.get(id) ?? 0) + 1);
    this.#writer.plan();
  }

  /** Discards unwritten results; resolves when the current write has ended. */
  drop(isMeant: (result: CachedResult) => boolean): Promise<void> {
    for (const [key, { result }] of this.#pending) if (isMeant(result)) this.#pending.delete(key);
    return this.#writer.writing;
  }

  /** A tool was called that may have changed the data of its server. */
  called(tool: ToolId, server: ServerName, inMemory: number): void {
    this.#forget(server);
    this.#drops.called(tool, inMemory);
    if (this.#drops.size > 0) this.#writer.plan();
  }

  calledElsewhere(tool: ToolId, server: ServerName): void {
    this.#forget(server);
    this.#drops.calledElsewhere(tool);
    if (this.#drops.size > 0) this.#writer.plan();
  }

  /** Servers for which the store may still have stale results. */
  dropping(): readonly ServerName[] {
    return this.#drops.servers();
  }

  /** Writes what is queued; resolves when it is written or has failed. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #forget(server: ServerName): void {
    for (const [key, { result }] of this.#pending)
      if (result.servers.includes(server)) this.#pending.delete(key);
  }

  /** Results that cannot be written are discarded, because this is a cache. Drops are never discarded. */
  async #write(): Promise<void> {
    const now = this.#now();
    const results = Array.from(this.#pending.values(), ({ stored, result, expiresAt }) => ({
      ...stored,
      livesMs: expiresAt - now,
      ageMs: now - result.createdAt,
    })).filter(({ livesMs }) => livesMs > 0);
    const hits = this.#hits;
    this.#pending = new Map();
    this.#hits = new Map();
    try {
      // Drops come first, so that newer results are not dropped with the old ones.
      await this.#drop();
      if (results.length > 0) await this.#store.keep(results);
      if (hits.size > 0) await this.#store.countHits(hits);
      this.#isFailing = false;
      if (now - this.#prunedAt < PRUNE_MS) return;
      this.#prunedAt = now;
      await this.#store.prune(new Date(now - LIMITS.invalidationsKeepDays * 86_400_000));
    } catch (error) {
      const fields = { results: results.length, servers: this.#drops.size, message: messageOf(error) };
      if (this.#isFailing && results.length === 0) this.#log.debug("cache.not_written", fields);
      else this.#log.warn("cache.not_written", fields);
      this.#isFailing = true;
      if (this.#drops.size > 0) throw error;
    }
  }

  async #drop(): Promise<void> {
    if (this.#drops.size === 0) return;
    this.#droppedAt = performance.now();
    await this.#drops.write();
  }
}

function pendingKey({ capabilityId, scope, paramsHash }: StoredKey): string {
  return JSON.stringify([capabilityId, scope, paramsHash]);
}

interface Drop {
  /** The first called tool. */
  readonly tool: ToolId;
  readonly inMemory: number;
  /**
   * The tool was called through another gateway. That gateway has dropped all results, except the ones that this
   * gateway wrote meanwhile.
   */
  readonly again: boolean;
}

export class ServerDrops {
  readonly #store: Pick<CapabilityCacheStore, "invalidate">;
  readonly #isShared: boolean;
  readonly #onDropped: () => void;
  readonly #waiting = new Map<ServerName, Drop>();
  readonly #writing = new Map<ServerName, Drop>();
  /** Servers without results of this gateway in the store: it has dropped all of them, and written none since. */
  readonly #without = new Set<ServerName>();

  constructor(
    store: Pick<CapabilityCacheStore, "invalidate">,
    isShared: boolean,
    onDropped: () => void = () => {},
  ) {
    this.#store = store;
    this.#isShared = isShared;
    this.#onDropped = onDropped;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Results that were read from these servers are being written to the store. */
  written(servers: readonly ServerName[]): void {
    for (const server of servers) this.#without.delete(server);
  }

  /** A tool was called that may change something. Other gateways of the store may have results that it affects. */
  called(tool: ToolId, inMemory: number): void {
    const { server } = splitToolId(tool);
    if (inMemory === 0 && !this.#isShared && this.#without.has(server)) return;
    this.#add(server, { tool, inMemory, again: false });
  }

  calledElsewhere(tool: ToolId): void {
    const { server } = splitToolId(tool);
    if (!this.#without.has(server)) this.#add(server, { tool, inMemory: 0, again: true });
  }

  /** Servers for which the store may still have stale results. */
  servers(): readonly ServerName[] {
    return [...this.#waiting.keys(), ...this.#writing.keys()];
  }

  /** Rejects if a drop fails; failed drops wait for the next attempt. */
  async write(): Promise<void> {
    for (const [server, drop] of this.#waiting) this.#writing.set(server, drop);
    this.#waiting.clear();
    try {
      for (const [server, { tool, inMemory, again }] of this.#writing) {
        this.#without.add(server);
        const dropped = await this.#store.invalidate(
          { trigger: "tool_called", tool, ...(again ? { again } : {}) },
          inMemory,
        );
        if (dropped > 0) this.#onDropped();
        this.#writing.delete(server);
      }
    } finally {
      for (const [server, drop] of this.#writing) this.#add(server, drop);
      this.#writing.clear();
    }
  }

  #add(server: ServerName, { tool, inMemory, again }: Drop): void {
    const known = this.#waiting.get(server);
    this.#waiting.set(server, {
      tool: known === undefined || known.again ? tool : known.tool,
      inMemory: inMemory + (known?.inMemory ?? 0),
      again: again && known?.again !== false,
    });
  }
}
