/**
 * Which runs are cached, where, and for how long.
 *
 * By default only read-only runs that depend on nothing but their input. A person can have any run cached; an agent
 * cannot. Data behind a tool may change without the gateway's knowledge: a result lives for seconds by default, unless
 * all its tools are stable, or the capability's policy or a person sets a longer time.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import type { Capability } from "../../registry/capability.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { EndedRun } from "../run/runner.js";

export interface CapabilityCacheConfig {
  /** True: even if the run changes something, since a person has decided so. */
  readonly cacheable?: boolean | undefined;
  readonly ttl_seconds?: number | undefined;
  /** `params_hash`: only for equal arguments. `intent_similarity`: also for a similar intent. */
  readonly key_strategy?: "params_hash" | "intent_similarity" | "none" | undefined;
  readonly invalidate_on?: readonly ("tool_schema_change" | "daily" | "manual_only")[] | undefined;
  readonly max_entries?: number | undefined;
}

export interface CacheSettings {
  readonly executionMs: number;
  readonly capabilityMs: number;
  /** The same for results of unstable tools. */
  readonly volatile: VolatileLives;
  readonly intent: boolean;
  readonly entries: number;
  readonly bytes: number;
  /** By display name in the project `home`, by `org.project:name`, or by FQDN. */
  readonly capabilities: ReadonlyMap<string, CapabilityCacheConfig>;
  readonly home: Pick<Capability, "org" | "project">;
}

/** How long a result of unstable tools may be kept, in memory and in the store. */
interface VolatileLives {
  readonly executionMs: number;
  readonly capabilityMs: number;
}

export interface CacheRule {
  readonly executionMs: number;
  readonly store?: { readonly ttlMs: number; readonly maxEntries: number };
  /** Absent if the capability's policy or a person sets the lifetime of results, which overrides the tools. */
  readonly volatile?: VolatileLives;
  /** Whether a changed tool object invalidates the result. */
  readonly followsTools: boolean;
  /** Every result expires at the end of its day. */
  readonly endsDaily: boolean;
  /** A person has requested caching: then the run is cached even if it changes something. */
  readonly isAsked: boolean;
  readonly byIntent: boolean;
}

/** Undefined if nothing is to be cached. */
export function cacheRule(of: PreparedRun["of"], settings: CacheSettings): CacheRule | undefined {
  const { executionMs, capabilityMs, volatile } = settings;
  if (of === undefined)
    return { executionMs, volatile, followsTools: true, endsDaily: false, isAsked: false, byIntent: false };
  const { capability, version } = of;
  const { cachePolicy, ttlSeconds, cachePersonVersion } = capability;
  const config = configOf(capability, settings);
  const { key_strategy: strategy, invalidate_on: on = [], max_entries: maxEntries } = config;
  const seconds = config.ttl_seconds ?? ttlSeconds;
  if (cachePolicy === "none" || config.cacheable === false || strategy === "none" || seconds === 0)
    return undefined;
  const ttlMs = seconds === undefined ? capabilityMs : seconds * 1_000;
  const kept = maxEntries ?? LIMITS.cachedPerCapability;
  // A person's decision about a version does not apply to code that an agent saves later.
  const isPersons = cachePolicy !== "auto" && cachePersonVersion === version;
  const isSaid =
    cachePolicy !== "auto" ||
    seconds !== undefined ||
    config.cacheable === true ||
    on.includes("manual_only");
  return {
    ...(isSaid ? {} : { volatile }),
    executionMs: seconds === undefined ? executionMs : Math.min(executionMs, ttlMs),
    ...(cachePolicy === "memoize" || kept === 0 ? {} : { store: { ttlMs, maxEntries: kept } }),
    followsTools: on.includes("tool_schema_change") || !on.includes("manual_only"),
    endsDaily: on.includes("daily"),
    isAsked: config.cacheable === true || isPersons,
    byIntent: strategy !== "params_hash",
  };
}

function configOf(capability: Capability, { capabilities, home }: CacheSettings): CapabilityCacheConfig {
  if (capabilities.size === 0) return {};
  const { fqdn, org, project, displayName } = capability;
  const isHome = org === home.org && project === home.project;
  return (
    capabilities.get(fqdn) ??
    capabilities.get(`${org}.${project}:${displayName}`) ??
    (isHome ? capabilities.get(displayName) : undefined) ??
    {}
  );
}

/** The lifetimes of a result of these tools in memory, in the store and for an intent. */
export function livesOf(
  { executionMs, store, volatile }: Pick<CacheRule, "executionMs" | "store" | "volatile">,
  tools: readonly KnownTool[],
  { isStable }: Pick<ToolJudge, "isStable">,
): { readonly executionMs: number; readonly storeMs: number; readonly intentMs: number } {
  const most = volatile === undefined || tools.every(isStable) ? undefined : volatile;
  const inMemory = most?.executionMs ?? Number.POSITIVE_INFINITY;
  return {
    executionMs: Math.min(executionMs, inMemory),
    storeMs: Math.min(store?.ttlMs ?? 0, most?.capabilityMs ?? Number.POSITIVE_INFINITY),
    intentMs: Math.min(LIMITS.cachedIntentMs, inMemory),
  };
}

/** The lifetime of a result that is created now. */
export function lifeOf(ms: number, { endsDaily }: Pick<CacheRule, "endsDaily">, now: number): number {
  if (!endsDaily) return ms;
  const day = 86_400_000;
  return Math.min(ms, day - (now % day));
}

export interface ToolJudge {
  /** The current tool; undefined if no server offers it. */
  readonly toolOf: (id: ToolId) => KnownTool | undefined;
  /** Whether calling it changes nothing, according to a trusted source. */
  readonly isReadOnly: (tool: KnownTool) => boolean;
  /** Whether the same call gives the same result until a call that is not read-only. */
  readonly isStable: (tool: KnownTool) => boolean;
}

/** Whether a run may be answered from a cache, before its effects are known. */
export function mayServe(
  { plan }: Pick<PreparedRun, "plan">,
  { isAsked }: Pick<CacheRule, "isAsked">,
  { isReadOnly }: Pick<ToolJudge, "isReadOnly">,
): boolean {
  // Answers of PML's own operations change with every run, and a person cannot know all their dependencies.
  if (plan.tools.some(({ operation }) => operation !== undefined)) return false;
  // If a person must approve a call, the person must also approve that its cached result is shown again.
  return plan.needsApproval.length === 0 && (isAsked || plan.tools.every(isReadOnly));
}

/** The current objects of the tools that a run used; nothing if the result must not be cached. */
export function keepable(
  run: Pick<PreparedRun, "plan">,
  { report, error }: EndedRun,
  rule: Pick<CacheRule, "isAsked">,
  judge: Pick<ToolJudge, "toolOf" | "isReadOnly">,
): readonly KnownTool[] | undefined {
  const { outcome, tasks, toolsCalled, logs } = report;
  if (error !== undefined || outcome.kind !== "returned") return undefined;
  // Logs and warnings of a run belong to its answer, and a cached result would lack them. A call that failed may
  // succeed the next time, even if the code continued after it.
  if (outcome.warnings.length > 0 || logs.length > 0 || tasks.some(({ success }) => !success))
    return undefined;
  if (!fits(outcome.text) || !mayServe(run, rule, judge)) return undefined;
  const readsOutside = outcome.clock.length > 0 || outcome.usedRandomness !== false;
  if (readsOutside && !rule.isAsked) return undefined;
  const planned = new Map(run.plan.tools.map((tool) => [tool.id, tool.hash]));
  const tools: KnownTool[] = [];
  for (const id of new Set([...planned.keys(), ...toolsCalled])) {
    const tool = judge.toolOf(id);
    if (tool === undefined || (planned.get(id) ?? tool.hash) !== tool.hash) return undefined;
    if (!rule.isAsked && !judge.isReadOnly(tool)) return undefined;
    tools.push(tool);
  }
  return tools;
}

/**
 * The servers that a result was read from: a call that changes something there makes it stale. Empty if a person keeps
 * the result regardless of changes: the run itself changes something, or the result is only dropped manually.
 */
export function serversRead(
  tools: readonly KnownTool[],
  { followsTools }: Pick<CacheRule, "followsTools">,
  { isReadOnly }: Pick<ToolJudge, "isReadOnly">,
): readonly ServerName[] {
  if (!followsTools || !tools.every(isReadOnly)) return [];
  return [...new Set(tools.map(({ server }) => server))];
}

function fits(text: string): boolean {
  const most = LIMITS.cachedResultBytes;
  if (text.length * 3 <= most) return true;
  return text.length <= most && new TextEncoder().encode(text).byteLength <= most;
}
