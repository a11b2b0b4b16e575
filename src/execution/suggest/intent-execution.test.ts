import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { CapabilityDirectory } from "../../registry/capability-directory.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";
import type { RunStart } from "../ports/execute-answer.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { CapabilityLoader } from "../prepare/capability-loader.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import { ToolIndex } from "../prepare/tool-index.js";
import type { RunCaller } from "../run/runner.js";
import { IntentExecution, type IntentOptions } from "./intent-execution.js";
import { SuggestionStats } from "./suggestion-stats.js";

const caller: RunCaller = {
  scope: { org: "local", project: "default", user: "ada" },
  connection: "c",
  signal: new AbortController().signal,
};
const start: RunStart = { workflowId: "w", mode: "speculation", startedAt: 0 };
const request = { intent: "read it", args: {} };

/** Where everything that is run succeeds, and says so. */
function intents(
  one: Capability,
  options: Partial<IntentOptions>,
  refusal?: PmlError,
  others: readonly Capability[] = [],
  tools: readonly KnownTool[] = [],
): IntentExecution {
  const prepared = {
    plan: { tools: [], units: [], hasComputedCalls: false },
    of: { capability: one, version: 1 },
  } as unknown as PreparedRun;
  return new IntentExecution(
    {
      matcher: {
        match: async () => [{ kind: "capability", id: one.fqdn, score: 1, reason: "" }],
        similarity: () => 1,
        certainty: () => ({ score: 1 }),
      },
      isReadOnly: ({ annotations }) => annotations?.readOnlyHint === true,
      wireNameOf: async () => undefined,
      suggestionStats: new SuggestionStats(),
      thresholds: { read: async () => {}, of: () => 0.85, learn: () => {} },
      ...options,
    },
    {
      registry: { directory: new CapabilityDirectory([one, ...others]) } as unknown as CapabilityRegistry,
      tools: { settled: async () => {}, tools: () => new ToolIndex(tools) },
      loader: {
        load: () => Promise.reject(refusal ?? new PmlError("SIGNATURE_INVALID", "No")),
      } as unknown as CapabilityLoader,
      approvalOf: () => ({ mode: "auto", routing: "local", source: "annotations", reason: "" }),
      prepare: async () => {
        if (refusal !== undefined) throw refusal;
        return prepared;
      },
      served: async (_, cached) => ({ cached, capability: one }),
      run: async () => ({
        status: "success",
        mode: "speculation",
        workflowId: "w",
        executionTimeMs: 0,
        tasks: [],
        result: "ran",
      }),
    },
  );
}

describe("an intent with arguments", () => {
  const one = sampleCapability("fs:read", { trust: "verified" });
  const remembered = (capability: Capability) => ({
    findByIntent: async () => ({ level: "intent", text: '"kept"', capability, version: 1 }) as const,
  });

  it("[EX-14] gets what an intent like it was answered with, and says so", async () => {
    const stats = new SuggestionStats();
    const execution = intents(one, { cache: remembered(one), suggestionStats: stats });
    expect(await execution.speculate(request, caller, start)).toMatchObject({
      status: "success",
      mode: "speculation",
      cacheHit: "intent",
      result: "kept",
      capabilityName: "fs:read",
    });
    expect(stats.stats()).toEqual({ searched: 1, matched: 1, suggested: 0, accepted: 0 });
  });

  it("[EX-14] is run where the cache is not wanted, or what it has is of something not to be run", async () => {
    const fresh = { ...request, options: { no_cache: true } };
    const cached = intents(one, { cache: remembered(one) });
    expect(await cached.speculate(fresh, caller, start)).toMatchObject({ result: "ran" });
    const suspect = intents(one, { cache: remembered({ ...one, trust: "suspect" }) });
    expect(await suspect.speculate(request, caller, start)).toMatchObject({ result: "ran" });
  });

  it("[ID-10] is not run where the capability is refused, and says why", async () => {
    const refused = new PmlError("SIGNATURE_INVALID", "Cannot run fs:read: its key is not trusted");
    const stats = new SuggestionStats();
    const execution = intents(one, { cache: remembered(one), suggestionStats: stats }, refused);
    expect(await execution.speculate(request, caller, start)).toMatchObject({
      status: "suggestions",
      suggestions: { capabilities: [{ name: "fs:read", notRun: refused.message }] },
    });
    expect(stats.stats()).toEqual({ searched: 1, matched: 1, suggested: 1, accepted: 0 });
    execution.used(
      { of: { capability: one, version: 1 }, plan: { units: [] } } as unknown as PreparedRun,
      caller,
    );
    expect(stats.stats()).toMatchObject({ accepted: 1 });
  });

  it("[DI-4] is run where it is as sure as was learnt that it must be, which learns from it", async () => {
    const learnt: string[] = [];
    const thresholds = (sure: number) => {
      let known = 0;
      return {
        of: (kind: string) => (kind === "speculation" ? known : 0),
        read: async () => {
          known = sure;
        },
        learn: (...told: readonly unknown[]) => void learnt.push(JSON.stringify(told)),
      };
    };
    const matcher = {
      match: async () => [{ kind: "capability", id: one.fqdn, score: 0.2, reason: "" } as const],
      similarity: () => 1,
      certainty: () => ({ score: 0.9 }),
    };
    const careful = intents(one, { matcher, thresholds: thresholds(0.91) });
    expect(await careful.speculate(request, caller, start)).toMatchObject({
      suggestions: { capabilities: [{ notRun: "the match is not certain enough to run automatically" }] },
    });
    expect(learnt).toEqual([]);
    const bold = intents(one, { matcher, thresholds: thresholds(0.9) });
    expect(await bold.speculate(request, caller, start)).toMatchObject({ result: "ran" });
    expect(learnt).toEqual([JSON.stringify(["speculation", caller.scope, "success"])]);
  });

  it("[DI-1] that is vague is answered with the best that there are, and with no more than may be meant", async () => {
    const others = ["b", "c", "d", "e"].map((action) => sampleCapability(`fs:${action}`));
    const all = [one, ...others];
    const shown = async (...scores: readonly number[]) => {
      const match = async () =>
        all.map(({ fqdn }, place) => ({
          kind: "capability" as const,
          id: fqdn,
          score: scores[place] ?? 0,
          reason: "",
        }));
      const execution = intents(
        one,
        { matcher: { match, similarity: () => 0, certainty: () => ({ score: 0 }) } },
        undefined,
        others,
      );
      const { suggestions } = await execution.suggest(request, caller, start);
      return suggestions?.capabilities.map(({ name }) => name);
    };
    expect(await shown(0.06, 0.05, 0.04, 0.03, 0.02)).toEqual(["fs:read", "fs:b", "fs:c"]);
    expect(await shown(0.3, 0.2, 0.2, 0.15, 0.02)).toEqual(["fs:read", "fs:b", "fs:c", "fs:d"]);
  });

  it("[DI-1] is answered with nothing where nothing can be found", async () => {
    const execution = intents(one, {
      matcher: { match: async () => [], similarity: () => 0, certainty: () => ({ score: 0 }) },
    });
    expect(await execution.speculate(request, caller, start)).toMatchObject({
      status: "suggestions",
      suggestions: { tools: [], capabilities: [], chains: [], note: "Nothing matches this intent." },
    });
  });

  it("[LP-5] that nothing fits is said, and what scores too low is only counted", async () => {
    const others = ["fs:write", "fs:list"].map((name) => sampleCapability(name));
    const scored = (scores: readonly number[]) =>
      intents(
        one,
        {
          matcher: {
            match: async (_intent, _scope, { kind, onRanked }) => {
              onRanked?.("all", { first: 0.1, each: 0.01 });
              if (kind === "tool") return [];
              return [one, ...others].map(({ fqdn }, at) => ({
                kind: "capability",
                id: fqdn,
                score: scores[at] ?? 0,
                reason: "",
              }));
            },
            similarity: () => 0,
            certainty: () => ({ score: 0 }),
          },
        },
        undefined,
        others,
      );
    const none = await scored([0.07, 0.06, 0.05]).suggest(request, caller, start);
    expect(none.suggestions).toEqual({
      tools: [],
      capabilities: [],
      chains: [],
      left_out: 3,
      note: "Nothing matches this intent.",
    });
    const some = await scored([0.7, 0.02, 0.001]).suggest(request, caller, start);
    expect(some.suggestions?.capabilities.map(({ name }) => name)).toEqual(["fs:read", "fs:write"]);
    expect([some.suggestions?.left_out, some.suggestions?.note]).toEqual([1, undefined]);
  });

  it("[LP-5] that a capability fits is answered without tools that fit much less", async () => {
    const tools = ["read", "write"].map((name): KnownTool => {
      const id = `fs:${name}` as ToolId;
      return {
        id,
        server: "fs" as ServerName,
        name,
        inputSchema: {},
        hash: id,
        transport: "stdio",
        trusted: true,
      };
    });
    const scores: Readonly<Record<string, number>> = { "fs:read": 0.4, "fs:write": 0.39 };
    const capability = { kind: "capability" as const, id: one.fqdn, score: 0.8, reason: "" };
    const match: IntentOptions["matcher"]["match"] = async (_intent, _scope, { kind }) =>
      kind === "capability"
        ? [capability]
        : tools.map(({ id }) => ({ kind: "tool", id, score: scores[id] ?? 0, reason: "" }));
    const execution = intents(
      one,
      { matcher: { match, similarity: () => 0, certainty: () => ({ score: 0 }) } },
      undefined,
      [],
      tools,
    );
    const shown = async (mode: RunStart["mode"]) => {
      const { suggestions } = await execution.suggest(request, caller, { ...start, mode });
      return [suggestions?.tools.map(({ id }) => id), suggestions?.left_out];
    };
    expect(await shown("speculation")).toEqual([["fs:read"], 1]);
    expect(await shown("suggestion")).toEqual([["fs:read", "fs:write"], undefined]);
  });
});
