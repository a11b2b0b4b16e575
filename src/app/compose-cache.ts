/**
 * Builds the cache of results, and notifies it of events of tools and capabilities.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { CacheSettings } from "../execution/cache/cache-rules.js";
import { ResultCache } from "../execution/cache/run-cache.js";
import type { KnownTool } from "../execution/ports/tool-box.js";
import { type ApprovalSettings, isBelieved } from "../execution/prepare/approval-policy.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { Matcher } from "../registry/matcher.js";
import type { Scope } from "../registry/scope.js";
import type { ServerName, ToolId } from "../registry/tool-id.js";
import type { MemoryParts } from "./compose-memory.js";
import type { Config } from "./config-schema.js";

interface CacheParts extends MemoryParts {
  readonly tools: { known(id: ToolId): KnownTool | undefined };
  readonly registry: CapabilityRegistry;
  readonly matcher: Matcher;
}

/** Undefined if caching is off. */
export function composeCache(parts: CacheParts): ResultCache | undefined {
  const { config, settings, live, servers, tools, store, registry, matcher, events, hidden, log } = parts;
  if (config.cache?.enabled === false) return undefined;
  const cache = new ResultCache({
    settings: cacheSettings(config, settings.scope),
    store: store.cache,
    registry,
    log,
    toolOf: (id) => tools.known(id),
    isReadOnly: readOnlyJudge(config, live),
    isStable: stableJudge(live),
    isAway: (server) => isAway(server, servers),
    isShared: config.store?.url !== undefined,
    fresh: () => store.changes?.fresh(),
    isSecret: (text) => hidden.isIn(text),
    similarity: (one, other) => matcher.similarity(one, other),
  });
  registry.directory.onChange((change) => cache.capabilityChanged(change));
  events.on("tool.changed", ({ id, why }) =>
    cache.toolChanged(id, why === "removed" ? "tool_removed" : "tool_schema_change"),
  );
  if (config.cache?.dropOnWrite !== false) watchWrites(parts, cache);
  return cache;
}

/** Notifies the cache of calls before they are sent, and when they have ended; except read-only calls. */
function watchWrites({ config, live, tools, events }: CacheParts, cache: ResultCache): void {
  const isReadOnly = readOnlyJudge(config, live);
  const writes = new WeakMap<object, () => void>();
  events.on("call.started", (call) => {
    const tool = tools.known(call.id);
    if (tool === undefined || !isReadOnly(tool)) writes.set(call, cache.toolCalled(call.id));
  });
  events.on("call.ended", (call) => writes.get(call)?.());
}

function cacheSettings({ cache = {} }: Config, { org, project }: Scope): CacheSettings {
  const ms = (seconds: number | undefined, byDefault: number) =>
    seconds === undefined ? byDefault : seconds * 1_000;
  return {
    executionMs: ms(cache.executionSeconds, LIMITS.cachedExecutionMs),
    capabilityMs: ms(cache.capabilitySeconds, LIMITS.cachedCapabilityMs),
    volatile: {
      executionMs: ms(cache.executionSeconds, LIMITS.cachedVolatileMs),
      capabilityMs: ms(cache.capabilitySeconds, LIMITS.cachedVolatileMs),
    },
    intent: cache.intent ?? false,
    entries: cache.entries ?? LIMITS.cachedEntries,
    bytes: cache.bytes ?? LIMITS.cachedBytes,
    capabilities: new Map(Object.entries(cache.capabilities ?? {})),
    home: { org, project },
  };
}

interface Rules {
  readonly now: { readonly rules: Pick<ApprovalSettings, "permissions"> };
}

/** Whether calling a tool changes nothing, according to its trusted server or a person. */
export function readOnlyJudge({ cache }: Config, live: Rules): (tool: KnownTool) => boolean {
  const said: ReadonlySet<string> = new Set(cache?.readOnlyTools);
  return ({ id, annotations, server, trusted }) =>
    said.has(id) ||
    (annotations?.readOnlyHint === true && trusted && isBelieved(server, live.now.rules.permissions));
}

/**
 * Whether a trusted server declares that equal calls of the tool give equal results and read nothing outside the
 * server.
 */
function stableJudge(live: Rules): (tool: KnownTool) => boolean {
  return ({ annotations, server, trusted }) =>
    annotations?.idempotentHint === true &&
    annotations.openWorldHint === false &&
    trusted &&
    isBelieved(server, live.now.rules.permissions);
}

/** A starting server does not count as away: its last offer counts until it sends a new one. */
function isAway(server: ServerName, servers: CacheParts["servers"]): boolean {
  const state = servers.statuses().find(({ name }) => name === server)?.state;
  return state === "unavailable" || state === "stopped";
}
