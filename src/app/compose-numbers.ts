/**
 * Says where the numbers of a gateway come from: those for Prometheus, and those that a person reads.
 *
 * @module
 */
import type { EventStream } from "../base/event-stream.js";
import type { Executor } from "../execution/executor.js";
import type { Sandbox } from "../execution/ports/sandbox.js";
import type { SuggestionStats } from "../execution/suggest/suggestion-stats.js";
import { type CacheNumbers, GatewayMetrics } from "../gateway/metrics/gateway-metrics.js";
import type { StatsParts } from "../gateway/own/stats.js";
import type { PmlEvents } from "../gateway/pml-events.js";
import type { UsageRecorder } from "../gateway/usage-recorder.js";
import type { RealServers } from "../mcp/real-servers.js";
import type { Store } from "../postgres/open-store.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { Scope } from "../registry/scope.js";

export interface NumberSources {
  readonly registry: CapabilityRegistry;
  readonly servers: RealServers;
  readonly sandbox: Sandbox;
  readonly store: Store;
  readonly executor: Executor;
  readonly recorder: UsageRecorder;
  readonly cache: { stats(): CacheNumbers } | undefined;
  readonly intents: SuggestionStats;
  readonly scope: Scope;
  readonly events: Pick<EventStream<PmlEvents>, "on">;
}

export interface Numbers {
  readonly metrics: GatewayMetrics;
  readonly stats: StatsParts;
}

export function composeNumbers(sources: NumberSources): Numbers {
  const { registry, servers, sandbox, store, executor, recorder, cache, intents, events } = sources;
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
    waitingApprovals: () => waitingApprovals(sources.scope),
    process: () => {
      const { rss, heapUsed } = process.memoryUsage();
      return { residentBytes: rss, heapBytes: heapUsed, startedAt: startedAt.getTime() };
    },
  });
  events.on("call.counted", (row) => metrics.used(row));
  events.on("run.answered", (answer) => metrics.answered(answer));
  events.on("decision.made", (kind) => metrics.decided(kind));
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
        await Promise.all([executor.written(), recorder.flush()]);
      },
      startedAt,
    },
  };
}
