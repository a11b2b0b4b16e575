/**
 * The gateway's metrics in the Prometheus format.
 *
 * Events are counted as they happen, from the start of the gateway. Stored numbers are read at each request: every
 * source has a timeout, and is omitted if it does not answer in time. Labels are names from the configuration or from
 * this program, never of a user or of a tool's arguments.
 *
 * @module
 */
import { Counter, gauge, Histogram, type MetricFamily, prometheusText } from "../../base/prometheus.js";
import { VERSION } from "../../base/version.js";
import { within } from "../../base/within.js";
import type { CacheLevel, DryRunAnswer, ExecuteAnswer } from "../../execution/ports/execute-answer.js";
import type { SandboxStatus } from "../../execution/ports/sandbox.js";
import type { RunLoad } from "../../execution/run/run-lane.js";
import type { IntentCounts } from "../../execution/suggest/suggestion-stats.js";
import type { ServerStatus } from "../../mcp/real-servers.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityChange } from "../../registry/capability-directory.js";
import type { Saved } from "../../registry/savings.js";
import { CAPABILITY_SERVER, type UsageRow } from "../../registry/usage.js";

export interface CacheNumbers {
  readonly misses: number;
  readonly invalidations: number;
  readonly entries?: number;
}

/** Sources of numbers that are not counted here. */
export interface MetricSources {
  readonly capabilities: WatchedCapabilities;
  /** Resolves when all capabilities of the store are loaded. */
  readonly loaded: () => Promise<void>;
  readonly servers: () => readonly ServerStatus[];
  readonly sandbox: () => Promise<Pick<SandboxStatus, "state" | "engine" | "ready">>;
  readonly isStoreUp: () => Promise<boolean>;
  readonly load: () => RunLoad;
  readonly intents: () => IntentCounts;
  readonly process: () => {
    readonly residentBytes: number;
    readonly heapBytes: number;
    readonly startedAt: number;
  };
  readonly cache?: (() => CacheNumbers) | undefined;
  /** The number of runs that wait for a person. */
  readonly waitingApprovals?: (() => Promise<number>) | undefined;
  /** What runs from memory have saved. */
  readonly saved?: (() => Promise<Saved>) | undefined;
}

export type Decision = "once" | "always" | "reject" | "done" | "repeat";

/** The counters since the gateway started, for a page that people read. */
export interface CountedSinceStart {
  readonly cacheHits: Readonly<Record<CacheLevel, number>>;
  readonly cacheMisses: number | undefined;
  readonly intents: IntentCounts;
  readonly decisions: Readonly<Record<string, number>>;
}

const LEVELS: readonly CacheLevel[] = ["execution", "capability", "intent"];
const MODES = ["direct", "call_by_name", "speculation", "suggestion"];
const DECISIONS: readonly Decision[] = ["once", "always", "reject", "done", "repeat"];
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 600];
const SOURCE_MS = 2_000;

export class GatewayMetrics {
  readonly #sources: MetricSources;
  readonly #executed = new Counter(
    "capabilities_executed_total",
    "Uses of capabilities, over all interfaces.",
  );
  readonly #hits = new Counter(
    "capabilities_cache_hits",
    "Runs answered from a cache.",
    LEVELS.map((level) => ({ level })),
  );
  readonly #runs = new Counter(
    "pml_runs_total",
    "Run requests that were answered.",
    MODES.flatMap((mode) => ["success", "error"].map((status) => ({ mode, status }))),
  );
  readonly #runSeconds = new Histogram("pml_run_duration_seconds", "Duration of finished runs.", SECONDS);
  readonly #calls = new Counter("pml_tool_calls_total", "Calls of tools, capabilities and PML's own tools.", [
    { server: "pml-std", outcome: "success" },
  ]);
  readonly #callSeconds = new Histogram(
    "pml_tool_call_duration_seconds",
    "Duration of these calls.",
    SECONDS,
  );
  readonly #decisions = new Counter(
    "pml_approvals_total",
    "Decisions of people about waiting runs.",
    DECISIONS.map((decision) => ({ decision })),
  );
  #patterns: PatternCounts | undefined;

  constructor(sources: MetricSources) {
    this.#sources = sources;
  }

  /** From now on, stored patterns are counted too, once the existing ones are known. */
  start(): void {
    this.#sources.loaded().then(
      () => this.#known(),
      () => {},
    );
  }

  /** A call was counted for `tool_usage`. */
  used({ serverId: server, durationMs, success, errorCode }: UsageRow): void {
    const outcome = success ? "success" : errorCode === "isError" ? "tool_error" : "failed";
    this.#calls.add({ server, outcome });
    this.#callSeconds.observe({ server }, durationMs / 1_000);
    if (server === CAPABILITY_SERVER) this.#executed.add();
  }

  /** A request to run something was answered. */
  answered(answer: ExecuteAnswer | DryRunAnswer): void {
    const { mode, status, executionTimeMs } = answer;
    this.#runs.add({ mode, status });
    if (status === "success" || status === "error")
      this.#runSeconds.observe({ mode, status }, executionTimeMs / 1_000);
    if (status !== "dry_run" && answer.cacheHit !== undefined) this.#hits.add({ level: answer.cacheHit });
  }

  decided(decision: Decision): void {
    this.#decisions.add({ decision });
  }

  counted(): CountedSinceStart {
    return {
      cacheHits: {
        execution: this.#hit("execution"),
        capability: this.#hit("capability"),
        intent: this.#hit("intent"),
      },
      cacheMisses: this.#sources.cache?.().misses,
      intents: this.#sources.intents(),
      decisions: Object.fromEntries(
        DECISIONS.map((decision) => [decision, this.#decisions.get({ decision })]),
      ),
    };
  }

  async text(): Promise<string> {
    const { loaded, sandbox, isStoreUp, waitingApprovals, saved: savedBy } = this.#sources;
    const [isLoaded, sandboxStatus, storeUp, waiting, saved] = await Promise.all([
      intime(loaded().then(() => true)),
      intime(sandbox()),
      intime(isStoreUp()),
      intime(waitingApprovals?.()),
      intime(savedBy?.()),
    ]);
    return prometheusText([
      ...this.#discovery(),
      this.#executed.family(),
      this.#hits.family(),
      ...(isLoaded === true ? this.#stored() : []),
      this.#runs.family(),
      this.#runSeconds.family(),
      this.#calls.family(),
      this.#callSeconds.family(),
      this.#decisions.family(),
      ...(waiting === undefined
        ? []
        : [gauge("pml_approvals_waiting", "Runs of this project that wait for approval.", waiting)]),
      ...(saved === undefined ? [] : savedFamilies(saved)),
      ...this.#operation(sandboxStatus, storeUp === true),
    ]);
  }

  #discovery(): readonly MetricFamily[] {
    const { searched, matched, suggested, accepted } = this.#sources.intents();
    return [
      counted("capabilities_searched_total", "Intents that were searched for.", searched),
      counted("capabilities_matched_total", "Searched intents with a match.", matched),
      gauge("capabilities_match_rate", "Share of searched intents with a match.", matched / searched),
      counted("suggestions_generated_total", "Suggested tools and capabilities.", suggested),
      counted("suggestions_accepted_total", "Suggestions that were used shortly afterwards.", accepted),
    ];
  }

  #hit(level: CacheLevel): number {
    return this.#hits.get({ level });
  }

  /** Metrics about the capabilities of the store. */
  #stored(): readonly MetricFamily[] {
    const { capabilities } = this.#sources;
    const { detected, promoted } = this.#known();
    let uses = 0;
    let successes = 0;
    const trust = new Map<string, number>();
    for (const one of capabilities.all()) {
      uses += one.usageCount;
      successes += one.successCount;
      trust.set(one.trust, (trust.get(one.trust) ?? 0) + 1);
    }
    const byTrust = [...trust].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      gauge("capabilities_success_rate", "Share of successful uses in the store.", successes / uses),
      counted("patterns_detected_total", "Stored patterns.", detected),
      counted("capabilities_promoted_total", "Verified capabilities.", promoted),
      gauge("promotion_rate", "Share of detected patterns that were promoted.", promoted / detected),
      gauge(
        "pml_capabilities",
        "Number of capabilities by trust.",
        byTrust.map(([state, value]) => ({ labels: { trust: state }, value })),
      ),
    ];
  }

  #known(): PatternCounts {
    this.#patterns ??= new PatternCounts(this.#sources.capabilities);
    return this.#patterns;
  }

  #operation(
    sandbox: Pick<SandboxStatus, "state" | "engine" | "ready"> | undefined,
    isStoreUp: boolean,
  ): readonly MetricFamily[] {
    const { servers, load, cache, process } = this.#sources;
    const { running, waiting } = load();
    const { residentBytes, heapBytes, startedAt } = process();
    const caches = cache?.();
    const perServer = servers().map(({ name, state }) => ({
      labels: { server: name },
      value: state === "ready" ? 1 : 0,
    }));
    const engine = sandbox?.engine ?? "none";
    return [
      gauge("pml_runs_running", "Programs in the sandbox.", running),
      gauge("pml_runs_waiting", "Programs waiting for the sandbox.", waiting),
      ...(caches === undefined
        ? []
        : [
            counted("pml_cache_misses_total", "Cache misses of cacheable runs.", caches.misses),
            counted("pml_cache_invalidations_total", "Number of cache invalidations.", caches.invalidations),
            gauge("pml_cache_entries", "Results in the memory cache.", caches.entries ?? []),
          ]),
      gauge("pml_server_up", "Whether a real server is connected.", perServer),
      gauge("pml_sandbox_up", "Whether code can be run.", [
        { labels: { engine }, value: sandbox?.state === "ready" ? 1 : 0 },
      ]),
      gauge("pml_sandbox_processes_ready", "Idle processes that are ready for a run.", sandbox?.ready ?? 0),
      gauge("pml_store_up", "Whether the store answers.", isStoreUp ? 1 : 0),
      gauge("pml_build_info", "The version of PML.", [{ labels: { version: VERSION }, value: 1 }]),
      gauge("process_resident_memory_bytes", "Memory of the process.", residentBytes),
      gauge("process_heap_bytes", "JavaScript heap in use.", heapBytes),
      gauge(
        "process_start_time_seconds",
        "When the process started, in seconds since 1970.",
        startedAt / 1_000,
      ),
    ];
  }
}

/** A counter that is kept elsewhere. */
function counted(name: string, help: string, value: number): MetricFamily {
  return { name, help, type: "counter", samples: [{ value }] };
}

function savedFamilies({ runs, tokensMeasured, tokensEstimated, ms }: Saved): readonly MetricFamily[] {
  return [
    counted("pml_saved_runs_total", "Runs of this project from memory.", runs),
    {
      name: "pml_saved_tokens_total",
      help: "Tokens that these runs saved.",
      type: "counter",
      samples: [
        { labels: { basis: "measured" }, value: tokensMeasured },
        { labels: { basis: "estimated" }, value: tokensEstimated },
      ],
    },
    counted("pml_saved_seconds_total", "Time that these runs saved, measured.", ms / 1_000),
  ];
}

/** The value of a source, if it answers in time. */
async function intime<T>(asked: Promise<T> | undefined): Promise<T | undefined> {
  return asked && (await within(SOURCE_MS, asked).catch(() => undefined));
}

interface WatchedCapabilities {
  all(): Iterable<Capability>;
  onChange(listener: (change: CapabilityChange) => void): () => void;
}

/**
 * Counts patterns that were stored, and patterns that were verified: deleting one, or losing trust in it, subtracts
 * nothing.
 */
class PatternCounts {
  #detected = 0;
  #promoted = 0;

  /** Must be created when the memory holds everything that is in the store. */
  constructor(directory: WatchedCapabilities) {
    for (const capability of directory.all()) this.#changed({ after: capability });
    directory.onChange((change) => this.#changed(change));
  }

  get detected(): number {
    return this.#detected;
  }

  get promoted(): number {
    return this.#promoted;
  }

  #changed({ before, after }: CapabilityChange): void {
    if (after === undefined) return;
    if (before === undefined) this.#detected += 1;
    if (after.trust === "verified" && before?.trust !== "verified") this.#promoted += 1;
  }
}
