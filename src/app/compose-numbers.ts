/**
 * Connects the sources of a gateway's metrics: for Prometheus, and for `pml stats`.
 *
 * @module
 */
import type { Executor } from "../execution/executor.js";
import type { Sandbox } from "../execution/ports/sandbox.js";
import type { SuggestionStats } from "../execution/suggest/suggestion-stats.js";
import type { Ledger } from "../gateway/ledger.js";
import { type CacheNumbers, GatewayMetrics } from "../gateway/metrics/gateway-metrics.js";
import type { UsageRecorder } from "../gateway/usage-recorder.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { Scope } from "../registry/scope.js";
import type { MemoryParts } from "./compose-memory.js";

interface NumberSources extends MemoryParts {
  readonly registry: CapabilityRegistry;
  readonly sandbox: Sandbox;
  readonly executor: Executor;
  readonly usage: UsageRecorder;
  readonly cache: { stats(): CacheNumbers } | undefined;
  readonly intents: SuggestionStats;
  readonly ledger: Ledger;
}

export function composeNumbers(sources: NumberSources) {
  const { settings, registry, servers, sandbox, store, executor, usage, cache, intents, events, ledger } =
    sources;
  const startedAt = new Date(Date.now() - process.uptime() * 1_000);
  const waitingApprovals = async (scope: Scope) => (await executor.desk.waiting(scope)).length;
  const metrics = new GatewayMetrics({
    capabilities: registry.directory,
    loaded: () => registry.loaded(),
    servers: () => servers.statuses(),
    sandbox: () => sandbox.status(),
    isStoreUp: () =>
      store.database.query("select 1").then(
        () => true,
        () => false,
      ),
    load: executor.load,
    intents: () => intents.stats(),
    ...(cache === undefined ? {} : { cache: () => cache.stats() }),
    waitingApprovals: () => waitingApprovals(settings.scope),
    saved: () => ledger.total(settings.scope),
    process: () => {
      const { rss, heapUsed } = process.memoryUsage();
      return { residentBytes: rss, heapBytes: heapUsed, startedAt: startedAt.getTime() };
    },
  });
  events.on("call.counted", (row) => metrics.used(row));
  events.on("run.answered", (answer) => metrics.answered(answer));
  events.on("decision.made", ({ kind }) => metrics.decided(kind));
  return {
    metrics,
    stats: {
      capabilities: () => registry.directory.all(),
      loaded: () => registry.loaded(),
      usage: store.usage,
      runs: store.runCounts,
      load: executor.load,
      counted: () => metrics.counted(),
      waitingApprovals,
      written: async () => {
        await Promise.all([executor.written(), usage.flush()]);
      },
      startedAt,
    },
  };
}
