/**
 * `pml:stats`, the operation of `pml stats`: what is stored, its health, its savings, and what is used most. For a
 * person only.
 *
 * @module
 */
import { z } from "zod";
import { defined } from "../../base/defined.js";
import type { RunLoad } from "../../execution/run/run-lane.js";
import type { Capability } from "../../registry/capability.js";
import type { Scope } from "../../registry/scope.js";
import { troubleText } from "../../registry/trust.js";
import {
  CAPABILITY_SERVER,
  type RunCounts,
  type UsageStore,
  type UsageTotals,
} from "../../registry/usage.js";
import { canSee } from "../../registry/visibility.js";
import { isTokenHolder } from "../decision-gate.js";
import type { CountedSinceStart } from "../metrics/gateway-metrics.js";
import { decidesNothing, list, operation } from "../operation.js";
import type { Parts } from "./parts.js";
import { projectSavedAnswer, projectSavedOf } from "./saved-view.js";

export interface StatsParts {
  readonly capabilities: () => Iterable<Capability>;
  readonly loaded: () => Promise<void>;
  readonly usage: Pick<UsageStore, "totals">;
  readonly runs: RunCounts;
  readonly load: () => RunLoad;
  readonly counted: () => CountedSinceStart;
  readonly waitingApprovals: (scope: Scope) => Promise<number>;
  /** Resolves when all ended runs are written. */
  readonly written: () => Promise<void>;
  readonly startedAt: Date;
}

const number = z.number();
const numbers = z.record(z.string(), number);

const statsAnswer = z.strictObject({
  project: z.string(),
  capabilities: z.strictObject({
    total: number,
    named: number,
    by_trust: numbers,
    /** Absent if nothing was used. */
    success_rate: number.exactOptional(),
    most_used: list(z.strictObject({ name: z.string(), uses: number, success_rate: number })),
    /** Learnt in the last seven days, newest first. */
    learnt: z.strictObject({
      total: number,
      newest: list(z.strictObject({ name: z.string(), intent: z.string(), at: z.string() })),
    }),
    /** Suspect or degraded capabilities, most used first, with the reason if tools caused it. */
    failing: list(
      z.strictObject({
        name: z.string(),
        trust: z.string(),
        success_rate: number,
        reason: z.string().exactOptional(),
      }),
    ),
  }),
  runs: z.strictObject({
    today: z.strictObject({ total: number, failed: number }),
    /** The last seven days. */
    week: z.strictObject({ total: number, failed: number }),
    /** Over all users of the gateway, like decisions, caches and searches: absent for callers with a token. */
    running: number.exactOptional(),
    waiting: number.exactOptional(),
  }),
  approvals: z.strictObject({ waiting: number, decided: numbers.exactOptional() }),
  cache: z
    .strictObject({
      hits: z.strictObject({ execution: number, capability: number, intent: number }),
      misses: number.exactOptional(),
      hit_rate: number.exactOptional(),
    })
    .exactOptional(),
  search: z
    .strictObject({ searched: number, matched: number, suggested: number, accepted: number })
    .exactOptional(),
  /** What runs from memory have saved. */
  saved: projectSavedAnswer,
  tools: list(z.strictObject({ id: z.string(), calls: number, failed: number, average_ms: number })),
  /** The start of the counters for caches, searches and decisions. */
  since: z.string(),
});

type StatsAnswer = z.infer<typeof statsAnswer>;

const SHOWN = 10;
const WEEK_MS = 7 * 86_400_000;

export const pmlStats = operation({
  id: "pml:stats",
  who: "person",
  decides: decidesNothing,
  summary: "Statistics of this project: savings, capabilities, runs, caches, tools.",
  input: z.strictObject({}),
  output: statsAnswer,
  run:
    ({ stats: parts, ledger }: { readonly stats: StatsParts } & Pick<Parts, "ledger">) =>
    async (_input, scope, caller) => {
      await parts.loaded();
      await parts.written();
      const weekAgo = new Date(Date.now() - WEEK_MS);
      const [totals, today, week, waiting, saved] = await Promise.all([
        parts.usage.totals(scope),
        parts.runs.since(scope, midnight(new Date())),
        parts.runs.since(scope, weekAgo),
        parts.waitingApprovals(scope),
        ledger.project(scope),
      ]);
      const counted = isTokenHolder(caller) ? undefined : parts.counted();
      return {
        project: `${scope.org}/${scope.project}`,
        capabilities: capabilityNumbers(ofProject(parts.capabilities(), scope), weekAgo),
        runs: { today, week, ...(counted === undefined ? {} : parts.load()) },
        approvals: { waiting, ...defined({ decided: counted?.decisions }) },
        ...(counted === undefined ? {} : { cache: cacheNumbers(counted), search: counted.intents }),
        saved: projectSavedOf(saved),
        tools: toolNumbers(totals),
        since: parts.startedAt.toISOString(),
      };
    },
});

function ofProject(all: Iterable<Capability>, scope: Scope): readonly Capability[] {
  return [...all].filter(
    (one) => one.org === scope.org && one.project === scope.project && canSee(one, scope),
  );
}

function capabilityNumbers(all: readonly Capability[], weekAgo: Date): StatsAnswer["capabilities"] {
  const learnt = all
    .filter(({ createdAt }) => createdAt >= weekAgo)
    .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const failing = all
    .filter(({ trust }) => trust === "suspect" || trust === "degraded")
    .sort((a, b) => b.usageCount - a.usageCount);
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
    learnt: {
      total: learnt.length,
      newest: learnt.slice(0, SHOWN).map(({ displayName, intent, createdAt }) => ({
        name: displayName,
        intent,
        at: createdAt.toISOString(),
      })),
    },
    failing: failing.slice(0, SHOWN).map(({ displayName, trust, troubles, successCount, usageCount }) => ({
      name: displayName,
      trust,
      success_rate: usageCount === 0 ? 0 : rate(successCount, usageCount),
      ...defined({ reason: troubleText(troubles) }),
    })),
  };
}

function cacheNumbers({
  cacheHits: hits,
  cacheMisses: misses,
}: CountedSinceStart): NonNullable<StatsAnswer["cache"]> {
  const hit = hits.execution + hits.capability + hits.intent;
  const asked = hit + (misses ?? 0);
  return {
    hits,
    ...defined({ misses }),
    ...(misses === undefined || asked === 0 ? {} : { hit_rate: rate(hit, asked) }),
  };
}

/** Real tools only: capabilities are counted separately, and their management does not count as use. */
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
