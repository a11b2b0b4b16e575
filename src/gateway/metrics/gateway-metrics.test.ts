import { describe, expect, it } from "vitest";
import { parsePrometheus, sampleOf } from "../../../test/support/prometheus.js";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import type { ExecuteAnswer } from "../../execution/ports/execute-answer.js";
import { CapabilityDirectory } from "../../registry/capability-directory.js";
import type { UsageRow } from "../../registry/usage.js";
import { GatewayMetrics, type MetricSources } from "./gateway-metrics.js";

function sources(changes: Partial<MetricSources> = {}): MetricSources {
  return {
    capabilities: new CapabilityDirectory(),
    loaded: async () => {},
    servers: () => [],
    sandbox: async () => ({ state: "ready", engine: "deno", ready: 4 }),
    isStoreUp: async () => true,
    load: () => ({ running: 2, waiting: 1 }),
    intents: () => ({ searched: 8, matched: 6, suggested: 20, accepted: 3 }),
    process: () => ({ residentBytes: 1_000, heapBytes: 500, startedAt: 2_000 }),
    ...changes,
  };
}

const read = async (metrics: GatewayMetrics) => parsePrometheus(await metrics.text());

function row(serverId: string, more: Partial<UsageRow> = {}): UsageRow {
  const scope = { org: "local", project: "default", user: "ada" };
  return { serverId, toolName: "x", ...scope, calledAt: new Date(), durationMs: 20, success: true, ...more };
}

const answer: ExecuteAnswer = {
  status: "success",
  mode: "direct",
  workflowId: "w",
  executionTimeMs: 40,
  tasks: [],
};

describe("the numbers of a gateway", () => {
  it("[UX-3] has the counts of searches and suggestions", async () => {
    const families = await read(new GatewayMetrics(sources()));
    expect([
      sampleOf(families, "capabilities_searched_total"),
      sampleOf(families, "capabilities_matched_total"),
      sampleOf(families, "capabilities_match_rate"),
      sampleOf(families, "suggestions_generated_total"),
      sampleOf(families, "suggestions_accepted_total"),
    ]).toEqual([8, 6, 0.75, 20, 3]);
  });

  it("[UX-3] [EX-13] counts calls by server and outcome", async () => {
    const metrics = new GatewayMetrics(sources());
    metrics.used(row("fs"));
    metrics.used(row("fs", { success: false, errorCode: "isError" }));
    for (let i = 0; i < 2; i += 1)
      metrics.used(row("fs", { success: false, errorCode: "SERVER_UNAVAILABLE", durationMs: 7_000 }));
    metrics.used(row("pml-capabilities"));
    const families = await read(metrics);
    const counts = ["success", "tool_error", "failed"].map((outcome) =>
      sampleOf(families, "pml_tool_calls_total", { server: "fs", outcome }),
    );
    expect(counts).toEqual([1, 1, 2]);
    expect(sampleOf(families, "pml_tool_call_duration_seconds_bucket", { server: "fs", le: "0.025" })).toBe(
      2,
    );
    expect(sampleOf(families, "pml_tool_call_duration_seconds_count", { server: "fs" })).toBe(4);
    expect(sampleOf(families, "capabilities_executed_total")).toBe(1);
  });

  it("[UX-3] [EX-14] counts answers by mode and status, and the caches that they come from", async () => {
    const metrics = new GatewayMetrics(
      sources({ cache: () => ({ misses: 5, invalidations: 2, entries: 7 }) }),
    );
    metrics.answered(answer);
    metrics.answered({ ...answer, cacheHit: "capability" });
    metrics.answered({ ...answer, status: "approval_required" });
    metrics.decided("always");
    const families = await read(metrics);
    expect(sampleOf(families, "pml_runs_total", { mode: "direct", status: "success" })).toBe(2);
    expect(sampleOf(families, "pml_runs_total", { mode: "direct", status: "approval_required" })).toBe(1);
    expect(sampleOf(families, "pml_run_duration_seconds_count", { mode: "direct", status: "success" })).toBe(
      2,
    );
    expect(sampleOf(families, "capabilities_cache_hits", { level: "capability" })).toBe(1);
    expect(sampleOf(families, "capabilities_cache_hits", { level: "intent" })).toBe(0);
    expect(sampleOf(families, "pml_approvals_total", { decision: "always" })).toBe(1);
    expect(sampleOf(families, "pml_cache_misses_total")).toBe(5);
    expect(sampleOf(families, "pml_cache_invalidations_total")).toBe(2);
    expect([sampleOf(families, "pml_runs_running"), sampleOf(families, "pml_runs_waiting")]).toEqual([2, 1]);
    expect(metrics.counted()).toMatchObject({ cacheHits: { capability: 1 }, cacheMisses: 5 });
  });

  it("[UX-3] [FP-19] counts what was stored and verified, and forgets neither", async () => {
    const one = sampleCapability("a:one", { usageCount: 3, successCount: 1, trust: "verified" });
    const directory = new CapabilityDirectory([one]);
    const metrics = new GatewayMetrics(sources({ capabilities: directory }));
    metrics.start();
    const two = sampleCapability("a:two", { usageCount: 1, successCount: 1 });
    const numbers = async () => {
      const families = await read(metrics);
      return [
        "patterns_detected_total",
        "capabilities_promoted_total",
        "promotion_rate",
        "capabilities_success_rate",
      ].map((name) => sampleOf(families, name));
    };
    expect(await numbers()).toEqual([1, 1, 1, 1 / 3]);
    directory.put(two);
    expect(await numbers()).toEqual([2, 1, 0.5, 0.5]);
    directory.put({ ...two, trust: "verified" });
    directory.put({ ...two, trust: "suspect" });
    directory.remove(one.fqdn);
    expect(await numbers()).toEqual([2, 2, 1, 1]);
    expect(sampleOf(await read(metrics), "pml_capabilities", { trust: "suspect" })).toBe(1);
  });

  it("[LP-6] shows what runs from memory have saved, tokens apart by how they are known", async () => {
    const saved = async () => ({ runs: 3, tokensMeasured: 900, tokensEstimated: 50, ms: 1_500 });
    const families = await read(new GatewayMetrics(sources({ saved })));
    expect([
      sampleOf(families, "pml_saved_runs_total"),
      sampleOf(families, "pml_saved_tokens_total", { basis: "measured" }),
      sampleOf(families, "pml_saved_tokens_total", { basis: "estimated" }),
      sampleOf(families, "pml_saved_seconds_total"),
    ]).toEqual([3, 900, 50, 1.5]);
  });

  it("[UX-3] leaves out what is not known, and says what is down", async () => {
    const never = () => Promise.reject(new Error("away"));
    const families = await read(
      new GatewayMetrics(
        sources({ loaded: never, isStoreUp: never, sandbox: never, waitingApprovals: never, saved: never }),
      ),
    );
    expect(families.has("patterns_detected_total")).toBe(false);
    expect(families.has("pml_approvals_waiting")).toBe(false);
    expect(families.has("pml_saved_runs_total")).toBe(false);
    expect(sampleOf(families, "pml_store_up")).toBe(0);
    expect(sampleOf(families, "pml_sandbox_up", { engine: "none" })).toBe(0);
    expect(sampleOf(families, "process_resident_memory_bytes")).toBe(1_000);
  });
});
