/**
 * `pml:stats`, what `pml stats` shows: what is remembered, how it does, and what is used most. For a person alone.
 *
 * @module
 */
import { z } from "zod";
import type { RunLoad } from "../../execution/run/run-lane.js";
import type { Capability } from "../../registry/capability.js";
import type { Scope } from "../../registry/scope.js";
import type { CountedRuns, RunCounts } from "../../registry/usage.js";
import { CAPABILITY_SERVER, type UsageStore, type UsageTotals } from "../../registry/usage.js";
import { canSee } from "../../registry/visibility.js";
import type { CountedSinceStart } from "../metrics/gateway-metrics.js";
import { decidesNothing, operation } from "../operation.js";

export interface StatsParts {
  readonly capabilities: () => Iterable<Capability>;
  readonly loaded: () => Promise<void>;
  readonly usage: Pick<UsageStore, "totals">;
  readonly runs: RunCounts;
  readonly load: () => RunLoad;
  readonly counted: () => CountedSinceStart;
  readonly waitingApprovals: (scope: Scope) => Promise<number>;
  /** Resolves when what has ended is written. */
  readonly written: () => Promise<void>;
  readonly startedAt: Date;
}

export interface StatsAnswer {
  readonly project: string;
  readonly capabilities: {
    readonly total: number;
    readonly named: number;
    readonly by_trust: Readonly<Record<string, number>>;
    /** Left out while nothing was used. */
    readonly success_rate?: number;
    readonly most_used: readonly {
      readonly name: string;
      readonly uses: number;
      readonly success_rate: number;
    }[];
  };
  readonly runs: { readonly today: CountedRuns; readonly running: number; readonly waiting: number };
  readonly approvals: { readonly waiting: number; readonly decided: Readonly<Record<string, number>> };
  readonly cache: {
    readonly hits: CountedSinceStart["cacheHits"];
    readonly misses?: number;
    readonly hit_rate?: number;
  };
  readonly search: CountedSinceStart["intents"];
  readonly tools: readonly {
    readonly id: string;
    readonly calls: number;
    readonly failed: number;
    readonly average_ms: number;
  }[];
  /** Since when caches, searches and decisions are counted. */
  readonly since: string;
}

const SHOWN = 10;

const schema = z.strictObject({});

export function statsTool(parts: StatsParts) {
  return operation({
    id: "pml:stats",
    who: "person",
    decides: decidesNothing,
    summary: "Numbers of this project: capabilities, runs, caches, tools.",
    input: schema,
    async run(input, scope): Promise<StatsAnswer> {
      input;
      await parts.loaded();
      await parts.written();
      const [totals, today, waiting] = await Promise.all([
        parts.usage.totals(scope),
        parts.runs.since(scope, midnight(new Date())),
        parts.waitingApprovals(scope),
      ]);
      const counted = parts.counted();
      return {
        project: `${scope.org}/${scope.project}`,
        capabilities: capabilityNumbers(ofProject(parts.capabilities(), scope)),
        runs: { today, ...parts.load() },
        approvals: { waiting, decided: counted.decisions },
        cache: cacheNumbers(counted),
        search: counted.intents,
        tools: toolNumbers(totals),
        since: parts.startedAt.toISOString(),
      };
    },
  });
}

function ofProject(all: Iterable<Capability>, scope: Scope): readonly Capability[] {
  return [...all].filter(
    (one) => one.org === scope.org && one.project === scope.project && canSee(one, scope),
  );
}

function capabilityNumbers(all: readonly Capability[]): StatsAnswer["capabilities"] {
  const trust = new Map<string, number>();
  for (const { trust: state } of all) trust.set(state, (trust.get(state) ?? 0) + 1);
  const uses = sum(all, ({ usageCount }) => usageCount);
  const used = all
    .filter(({ usageCount }) => usageCount > 0)
    .sort((a, b) => b.usageCount - a.usageCount || (a.displayName < b.displayName ? -1 : 1));
  return {
    total: all.length,
    named: all.filter(({ isNamed }) => isNamed).length,
    by_trust: Object.fromEntries([...trust].sort(([a], [b]) => (a < b ? -1 : 1))),
    ...(uses === 0
      ? {}
      : {
          success_rate: rate(
            sum(all, ({ successCount }) => successCount),
            uses,
          ),
        }),
    most_used: used.slice(0, SHOWN).map(({ displayName, usageCount, successCount }) => ({
      name: displayName,
      uses: usageCount,
      success_rate: rate(successCount, usageCount),
    })),
  };
}

function cacheNumbers({ cacheHits: hits, cacheMisses: misses }: CountedSinceStart): StatsAnswer["cache"] {
  const hit = hits.execution + hits.capability + hits.intent;
  const asked = hit + (misses ?? 0);
  return {
    hits,
    ...(misses === undefined ? {} : { misses }),
    ...(misses === undefined || asked === 0 ? {} : { hit_rate: rate(hit, asked) }),
  };
}

/** Real tools: capabilities have numbers of their own, and what manages them is no work. */
function toolNumbers(totals: readonly UsageTotals[]): StatsAnswer["tools"] {
  return totals
    .filter(({ serverId }) => serverId !== CAPABILITY_SERVER && serverId !== "pml-std")
    .slice(0, SHOWN)
    .map(({ serverId, toolName, calls, successes, totalDurationMs }) => ({
      id: `${serverId}:${toolName}`,
      calls,
      failed: calls - successes,
      average_ms: Math.round((totalDurationMs / calls) * 10) / 10,
    }));
}

function rate(part: number, whole: number): number {
  return Math.round((part / whole) * 1_000) / 1_000;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((all, item) => all + of(item), 0);
}

function midnight(now: Date): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate());
}
