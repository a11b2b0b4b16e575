/**
 * Results of runs, for later equal requests: in memory (`execution`), in the store (`capability`), and for a nearly
 * equal intent (`intent`).
 *
 * A result is served only while every tool that it used is unchanged and still needs no approval, even if an event was
 * missed. Invalidation frees the space, also drops results that their key no longer finds, and logs the reason. A run
 * that was under way at that time is not cached: it may have read the old data.
 *
 * @module
 */
import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityChange } from "../../registry/capability-directory.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Scope } from "../../registry/scope.js";
import { type ServerName, splitToolId, type ToolId } from "../../registry/tool-id.js";
import { canSee } from "../../registry/visibility.js";
import type { CacheLevel } from "../ports/execute-answer.js";
import type { CachedRun, PreparedRun } from "../prepare/prepared-run.js";
import type { EndedRun, RunCaller } from "../run/runner.js";
import { capabilitiesOf, intentKey, LookedRuns } from "./cache-key.js";
import {
  type CacheRule,
  type CacheSettings,
  cacheRule,
  keepable,
  lifeOf,
  livesOf,
  mayServe,
  serversRead,
  type ToolJudge,
} from "./cache-rules.js";
import type {
  CacheTotals,
  CapabilityCacheStore,
  Invalidation,
  LoggedInvalidation,
  ToolPart,
} from "./cache-store.js";
import { allHashes, FailureStreaks, firstHash, Invalidations, invalidationOf } from "./invalidations.js";
import { type CachedResult, IntentCache, MemoryCache } from "./memory-cache.js";
import { ServerDrops, StoreWriter } from "./store-writer.js";

export interface ResultCacheOptions extends ToolJudge {
  readonly settings: CacheSettings;
  readonly store: CapabilityCacheStore;
  readonly registry: Pick<CapabilityRegistry, "directory" | "versionsOf">;
  readonly log: Log;
  /** Whether a server is known to be away: results that used it are not served until it is back. */
  readonly isAway: (server: ServerName) => boolean;
  readonly isShared: boolean;
  /** Resolves when the drops of other gateways are known, if possible; undefined if they already are. */
  readonly fresh?: () => Promise<void> | undefined;
  /** The similarity of two intents; without it only equal intents match. */
  readonly similarity?: ((one: string, other: string) => number) | undefined;
  readonly now?: () => number;
  /** Whether a result contains a secret, and so must not be kept. */
  readonly isSecret?: (text: string) => boolean;
}

export interface CacheStats {
  readonly hits: Readonly<Record<CacheLevel, number>>;
  /** Runs that could have been cached, but were not found. */
  readonly misses: number;
  readonly kept: number;
  readonly invalidations: number;
  /** Entries in memory, including intents. */
  readonly entries: number;
  readonly bytes: number;
}

/** The result of an earlier, nearly equal request, and its capability. */
export interface IntentHit extends CachedRun {
  readonly capability: Capability;
  readonly version: number;
}

type Asker = Pick<RunCaller, "scope">;

export class ResultCache {
  readonly #options: ResultCacheOptions;
  readonly #now: () => number;
  readonly #memory: MemoryCache;
  readonly #intents: IntentCache | undefined;
  readonly #writer: StoreWriter;
  readonly #invalidations = new Invalidations();
  readonly #looked: LookedRuns;
  /** Results that are in the store, or are being written. */
  readonly #stored = new WeakSet<CachedResult>();
  readonly #streaks = new FailureStreaks();
  /** Invalidations that are not in the store yet. */
  #invalidating: Promise<unknown> = Promise.resolve();
  readonly #hits = { execution: 0, capability: 0, intent: 0 };
  #misses = 0;
  #kept = 0;
  #dropped = 0;

  constructor(options: ResultCacheOptions) {
    const { settings, store, log, isShared, now = Date.now, similarity = () => 0 } = options;
    this.#options = options;
    this.#now = now;
    this.#looked = new LookedRuns(settings, this.#invalidations, now);
    this.#memory = new MemoryCache(settings);
    this.#intents = settings.intent ? new IntentCache(settings, similarity) : undefined;
    const drops = new ServerDrops(store, isShared, () => {
      this.#dropped += 1;
    });
    this.#writer = new StoreWriter(store, log, now, drops);
  }

  async find(run: PreparedRun, { scope }: Asker): Promise<CachedRun | undefined> {
    const { rule, key } = this.#looked.look(run, scope);
    // Code that is not a capability yet, or gets a name or a version, must run: its success decides whether it is
    // saved.
    if (run.of === undefined || rule === undefined || !mayServe(run, rule, this.#options)) return undefined;
    await this.#options.fresh?.();
    const cached =
      (await this.#inMemory(run, scope, rule, await key())) ?? (await this.#inStore(run, scope, rule));
    if (cached === undefined) this.#misses += 1;
    else this.#hits[cached.level] += 1;
    return cached;
  }

  /** The run is executed anyway; `keep` then replaces the cached result, or drops it. */
  renew(run: PreparedRun, { scope }: Asker): void {
    this.#looked.look(run, scope, true);
  }

  /** Called for every run that was not answered from the cache, including failed ones. */
  async keep(run: PreparedRun, ended: EndedRun, asker: Asker): Promise<void> {
    const isFresh = this.#looked.of(run)?.isFresh === true;
    if (isFresh) this.#forgetIntents(run);
    const isKept = await this.#keepResult(run, ended, asker);
    if (isFresh && !isKept) await this.#forget(run, asker);
  }

  /** Returns whether this result, or a newer one, is cached now. */
  async #keepResult(run: PreparedRun, ended: EndedRun, { scope }: Asker): Promise<boolean> {
    const failing = this.#streaks.add(run, ended);
    if (failing !== undefined) this.#invalidateBehind({ trigger: "repeated_failures", capability: failing });
    // A run that was not looked up in the cache has an unknown start, and may have been answered from old records.
    const looked = this.#looked.of(run);
    const { outcome } = ended.report;
    if (looked?.rule === undefined || outcome.kind !== "returned") return false;
    if (this.#options.isSecret?.(outcome.text) === true) return false;
    const { rule, since, at, key } = looked;
    const tools = keepable(run, ended, rule, this.#options);
    if (tools === undefined) return false;
    const lives = livesOf(rule, tools, this.#options);
    const result: CachedResult = {
      text: outcome.text,
      codeHash: run.codeHash,
      tools: tools.map(({ id, hash }) => ({ id, hash })),
      servers: serversRead(tools, rule, this.#options),
      capabilities: capabilitiesOf(run),
      createdAt: at,
      expiresAt: at + lifeOf(lives.executionMs, rule, at),
    };
    const executed = await key();
    const { code, dag, intent, args = {} } = run.request;
    const intents = rule.byIntent && code === undefined && dag === undefined ? this.#intents : undefined;
    const argsKey = intents === undefined ? "" : await intentKey(args, scope);
    if (this.#invalidations.hasMeant(result, since)) return false;
    // A cached result of a run that began later is newer.
    if ((this.#memory.get(executed, this.#now())?.createdAt ?? at) > at) return true;
    this.#kept += 1;
    this.#memory.set(executed, result);
    if (run.of !== undefined)
      intents?.add({
        ...result,
        expiresAt: at + lifeOf(lives.intentMs, rule, at),
        intent,
        argsKey,
        capability: run.of.capability.fqdn,
        version: run.of.version,
      });
    await this.#keepInStore(run, scope, rule, result);
    return true;
  }

  #forgetIntents({ of }: PreparedRun): void {
    if (of !== undefined)
      this.#intents?.deleteWhere(({ capabilities }) => capabilities.includes(of.capability.fqdn));
  }

  /** Removes the results of the same run from memory and from the store. */
  async #forget(run: PreparedRun, { scope }: Asker): Promise<void> {
    const { key, storedKey } = this.#looked.look(run, scope);
    this.#memory.delete(await key());
    const stored = await storedKey();
    if (stored !== undefined) await this.#writer.forget(stored);
  }

  /**
   * The cached answer of a request with a nearly equal intent, and no name or code. The caller still prepares the run,
   * which refuses what has become impossible and counts the answer as served.
   */
  async findByIntent(
    intent: string,
    args: PreparedRun["args"],
    scope: Scope,
  ): Promise<IntentHit | undefined> {
    if (this.#intents === undefined) return undefined;
    await this.#options.fresh?.();
    const { directory } = this.#options.registry;
    const found = this.#intents.find(intent, await intentKey(args, scope), this.#now(), (result) => {
      const capability = directory.getFor(result.capability, scope);
      if (capability === undefined || !canSee(capability, scope)) return false;
      const rule = cacheRule({ capability, version: result.version }, this.#options.settings);
      if (rule === undefined || !rule.byIntent) return false;
      return capability.version === result.version && this.#areSame(result.tools, rule);
    });
    const capability = found === undefined ? undefined : directory.getFor(found.capability, scope);
    if (found === undefined || capability === undefined) return undefined;
    this.#hits.intent += 1;
    return { level: "intent", text: found.text, capability, version: found.version };
  }

  /** Drops results, here at once and in the store; returns how many. Rejects if the store could not be updated. */
  invalidate(invalidation: Invalidation): Promise<number> {
    const { capability } = invalidation;
    this.#dropped += 1;
    const inMemory = this.#drop(invalidation, firstHash(capability, this.#options.registry));
    const work = this.#invalidating.then(async () => {
      const hashes = await allHashes(capability, this.#options.registry);
      const more = hashes.size < 2 ? 0 : this.#drop(invalidation, hashes);
      await this.#writer.drop(() => false);
      return await this.#options.store.invalidate(invalidation, inMemory + more);
    });
    this.#invalidating = work.catch(() => {});
    return work;
  }

  /** A server offers another object under a tool's id, or no longer offers the tool. */
  toolChanged(tool: ToolId, why: "tool_schema_change" | "tool_removed"): void {
    this.#invalidateBehind({ trigger: why, tool });
  }

  /**
   * A tool that may change something is about to be called: results read from its server are stale, and results read
   * until the call ends may be. Call the returned function when the call has ended, in any way. Does not wait.
   */
  toolCalled(tool: ToolId): () => void {
    const { server } = splitToolId(tool);
    const ended = this.#invalidations.writes.begin(server);
    this.#writer.called(tool, server, this.#dropOf(server));
    return () => {
      ended();
      this.#writer.called(tool, server, this.#dropOf(server));
    };
  }

  /** A record has changed, on this gateway or another one. */
  capabilityChanged(change: CapabilityChange): void {
    const invalidation = invalidationOf(change);
    if (invalidation !== undefined) this.#invalidateBehind(invalidation);
  }

  /** Other gateways have dropped results; without ids, everything is dropped. */
  async droppedElsewhere(ids: readonly string[] | undefined): Promise<void> {
    const { store, registry } = this.#options;
    const dropped: readonly Invalidation[] =
      ids === undefined ? [{ trigger: "manual" }] : await store.droppedElsewhere(ids);
    for (const invalidation of dropped) {
      const { trigger, tool, again } = invalidation;
      if (trigger !== "tool_called" || tool === undefined) {
        this.#drop(invalidation, await allHashes(invalidation.capability, registry));
        continue;
      }
      const { server } = splitToolId(tool);
      this.#invalidations.writes.seen(server);
      this.#dropOf(server);
      // It may have been written after the other gateway has dropped the older results.
      if (again !== true) this.#writer.calledElsewhere(tool, server);
    }
  }

  stats(): CacheStats {
    return {
      hits: { ...this.#hits },
      misses: this.#misses,
      kept: this.#kept,
      invalidations: this.#dropped,
      entries: this.#memory.size + (this.#intents?.size ?? 0),
      bytes: this.#memory.bytes + (this.#intents?.bytes ?? 0),
    };
  }

  log(most: number): Promise<readonly LoggedInvalidation[]> {
    return this.#options.store.log(most);
  }

  totals(): Promise<CacheTotals> {
    return this.#options.store.totals();
  }

  async stop(): Promise<void> {
    await this.#invalidating;
    await this.#writer.flush();
  }

  async #inMemory(run: PreparedRun, scope: Scope, rule: CacheRule, key: string) {
    const result = this.#memory.get(key, this.#now());
    if (result === undefined || !this.#areSame(result.tools, rule)) return undefined;
    if (!this.#stored.has(result)) await this.#keepInStore(run, scope, rule, result);
    return { level: "execution" as const, text: result.text };
  }

  async #inStore(run: PreparedRun, scope: Scope, rule: CacheRule): Promise<CachedRun | undefined> {
    const { since, key: executed, storedKey } = this.#looked.look(run, scope);
    const key = await storedKey();
    if (key === undefined) return undefined;
    // A result that is being dropped must not be read.
    await this.#invalidating;
    const dropping = new Set(this.#writer.dropping());
    const found = await this.#options.store.find(key).catch((error: unknown) => {
      this.#options.log.warn("cache.not_read", { message: messageOf(error) });
      return undefined;
    });
    if (found === undefined || !this.#areSame(found.tools, rule)) return undefined;
    const now = this.#now();
    const result: CachedResult = {
      text: found.text,
      codeHash: run.codeHash,
      tools: found.tools,
      servers: found.servers,
      capabilities: capabilitiesOf(run),
      createdAt: now,
      expiresAt: now + Math.min(found.livesMs, rule.executionMs),
    };
    const name = await executed();
    if (found.servers.some((server) => dropping.has(server))) return undefined;
    if (this.#invalidations.hasMeant(result, since)) return undefined;
    this.#stored.add(result);
    this.#memory.set(name, result);
    this.#writer.hit(found.id);
    return { level: "capability", text: found.text };
  }

  async #keepInStore(run: PreparedRun, scope: Scope, rule: CacheRule, result: CachedResult): Promise<void> {
    const { store, followsTools } = rule;
    if (run.of === undefined || store === undefined) return;
    const known = result.tools.flatMap(({ id }) => this.#options.toolOf(id) ?? []);
    const { storeMs } = livesOf(rule, known, this.#options);
    this.#stored.add(result);
    const before = this.#invalidations.now();
    const key = await this.#looked.look(run, scope).storedKey();
    if (key === undefined || this.#invalidations.hasMeant(result, before)) return;
    const { fqdn } = run.of.capability;
    this.#writer.add({
      result,
      expiresAt: result.createdAt + lifeOf(storeMs, rule, result.createdAt),
      stored: {
        ...key,
        version: run.of.version,
        text: result.text,
        tools: result.tools.map(({ id, hash }) => ({ id, hash: followsTools ? hash : null })),
        servers: result.servers,
        capabilities: result.capabilities.filter((one) => one !== fqdn),
        maxEntries: store.maxEntries,
      },
    });
  }

  #areSame(tools: readonly ToolPart[], { isAsked, followsTools }: CacheRule): boolean {
    const { toolOf, isReadOnly, isAway } = this.#options;
    return tools.every(({ id, hash }) => {
      const tool = toolOf(id);
      if (tool === undefined || isAway(splitToolId(id).server)) return false;
      if (hash === null ? followsTools : hash !== tool.hash) return false;
      return isAsked || isReadOnly(tool);
    });
  }

  #invalidateBehind(invalidation: Invalidation): void {
    this.invalidate(invalidation).catch((error: unknown) =>
      this.#options.log.warn("cache.not_invalidated", { ...invalidation, message: messageOf(error) }),
    );
  }

  /** Drops from this gateway's memory only. */
  #drop(invalidation: Invalidation, codeHashes: ReadonlySet<string>): number {
    const isMeant = this.#invalidations.add(invalidation, codeHashes);
    void this.#writer.drop(isMeant);
    return this.#memory.deleteWhere(isMeant) + (this.#intents?.deleteWhere(isMeant) ?? 0);
  }

  #dropOf(server: ServerName): number {
    return this.#memory.deleteOf(server) + (this.#intents?.deleteOf(server) ?? 0);
  }
}
