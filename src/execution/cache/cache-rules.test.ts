import { describe, expect, it } from "vitest";
import { ended, prepared, SETTINGS, tool } from "../../../test/support/cached-runs.js";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { LIMITS } from "../../base/limits.js";
import type { Capability } from "../../registry/capability.js";
import { type CapabilityCacheConfig, cacheRule, keepable, lifeOf, mayServe } from "./cache-rules.js";

/** `memory 300 store 1800×10 tools daily asked`: what the rule for a record is. */
function rule(
  record: Partial<Capability> = {},
  config?: CapabilityCacheConfig,
  key = "fs:read",
  version = 1,
): string {
  const capability = sampleCapability("fs:read", record);
  const found = cacheRule(
    { capability, version },
    { ...SETTINGS, capabilities: new Map(config === undefined ? [] : [[key, config]]) },
  );
  if (found === undefined) return "none";
  const { executionMs, store, followsTools, endsDaily, isAsked, byIntent } = found;
  return [
    `memory ${executionMs / 1_000}`,
    ...(store === undefined ? [] : [`store ${store.ttlMs / 1_000}×${store.maxEntries}`]),
    ...(followsTools ? [] : ["any tools"]),
    ...(endsDaily ? ["daily"] : []),
    ...(isAsked ? ["asked"] : []),
    ...(byIntent ? [] : ["no intents"]),
  ].join(", ");
}

describe("[EX-14] the rule for a capability", () => {
  it.each<[string, string, Partial<Capability>, CapabilityCacheConfig?]>([
    ["auto", "memory 300, store 1800×10", {}],
    ["none", "none", { cachePolicy: "none" }],
    ["none, whatever else", "none", { cachePolicy: "none", ttlSeconds: 9 }, { cacheable: true }],
    ["memoize", "memory 300", { cachePolicy: "memoize" }],
    ["persistent", "memory 300, store 1800×10", { cachePolicy: "persistent" }],
    ["a ttl", "memory 300, store 3600×10", { ttlSeconds: 3_600 }],
    ["a short ttl holds in memory too", "memory 60, store 60×10", { ttlSeconds: 60 }],
    ["a ttl of nothing", "none", { ttlSeconds: 0 }],
    ["its ttl_seconds wins", "memory 5, store 5×10", { ttlSeconds: 60 }, { ttl_seconds: 5 }],
    ["cacheable: false", "none", {}, { cacheable: false }],
    ["cacheable: true", "memory 300, store 1800×10, asked", {}, { cacheable: true }],
    ["key_strategy none", "none", {}, { key_strategy: "none" }],
    [
      "key_strategy params_hash",
      "memory 300, store 1800×10, no intents",
      {},
      { key_strategy: "params_hash" },
    ],
    ["max_entries", "memory 300, store 1800×3", {}, { max_entries: 3 }],
    ["max_entries 0", "memory 300", {}, { max_entries: 0 }],
    ["daily", "memory 300, store 1800×10, daily", {}, { invalidate_on: ["daily"] }],
    ["manual_only", "memory 300, store 1800×10, any tools", {}, { invalidate_on: ["manual_only"] }],
    [
      "manual_only and tools",
      "memory 300, store 1800×10",
      {},
      { invalidate_on: ["manual_only", "tool_schema_change"] },
    ],
  ])("%s", (_, expected, record, config) => {
    expect(rule(record, config)).toBe(expected);
  });

  it("a person's word is of the version that it was said of, and of a policy that caches", () => {
    const said = { cachePolicy: "persistent", cachePersonVersion: 2, version: 3 } as const;
    expect(rule(said, undefined, "", 2)).toBe("memory 300, store 1800×10, asked");
    expect(rule(said, undefined, "", 3)).toBe("memory 300, store 1800×10");
    expect(rule({ cachePolicy: "memoize", cachePersonVersion: 1 })).toBe("memory 300, asked");
    expect(rule({ cachePolicy: "auto", cachePersonVersion: 1 })).toBe("memory 300, store 1800×10");
  });

  it("the configuration names capabilities of its own project, or any in full", () => {
    const off = { cacheable: false };
    const other = { project: "other" };
    const { fqdn } = sampleCapability("fs:read", other);
    expect(rule(other, off, "fs:read")).toBe("memory 300, store 1800×10");
    expect(rule(other, off, "local.other:fs:read")).toBe("none");
    expect(rule(other, off, fqdn)).toBe("none");
    expect(rule({}, off, "local.default:fs:read")).toBe("none");
  });

  it("code that is not a capability yet is cached in memory only, and no person has asked for it", () => {
    expect(cacheRule(undefined, SETTINGS)).toMatchObject({ executionMs: 300_000, isAsked: false });
    expect(cacheRule(undefined, SETTINGS)?.store).toBeUndefined();
  });

  it("what ends daily ends at midnight UTC", () => {
    const now = Date.parse("2026-11-16T23:59:50.000Z");
    expect(lifeOf(60_000, { endsDaily: true }, now)).toBe(10_000);
    expect(lifeOf(5_000, { endsDaily: true }, now)).toBe(5_000);
    expect(lifeOf(60_000, { endsDaily: false }, now)).toBe(60_000);
  });
});

describe("[EX-14, FP-14] which runs are kept", () => {
  const read = tool("fs:read");
  const write = tool("fs:write!");
  const now = new Map([read, write, tool("fs:list")].map((one) => [one.id as string, one]));
  const judge = {
    toolOf: (id: string) => now.get(id),
    isReadOnly: ({ annotations }: typeof read) => annotations?.readOnlyHint === true,
  };
  /** The tools that it depends on, or no. */
  function kept(
    plan: Parameters<typeof prepared>[0],
    end: Parameters<typeof ended>[0] = {},
    isAsked = false,
  ): string {
    const tools = keepable(prepared(plan), ended(end), { isAsked }, judge);
    return tools === undefined ? "no" : tools.map(({ id }) => id).join(" ");
  }

  it("those whose tools all only read, called or not", () => {
    expect(kept({ tools: [read] })).toBe("fs:read");
    expect(kept({ tools: [read] }, { called: ["fs:read"] })).toBe("fs:read");
    expect(kept({ tools: [read, write] }, { called: ["fs:read"] })).toBe("no");
  });

  it("those that computed the names of tools, where these only read", () => {
    expect(kept({ tools: [read] }, { called: ["fs:list"] })).toBe("fs:read fs:list");
    expect(kept({ tools: [] }, { called: ["fs:write"] })).toBe("no");
    expect(kept({ tools: [] }, { called: ["fs:gone"] })).toBe("no");
  });

  it("none that has read the time or drawn randomness, with tools or without", () => {
    for (const tools of [[], [read]]) {
      expect(kept({ tools })).not.toBe("no");
      expect(kept({ tools }, { readsClock: true })).toBe("no");
      expect(kept({ tools }, { drawsRandomness: true })).toBe("no");
      expect(kept({ tools }, { drawsRandomness: undefined })).toBe("no");
    }
  });

  it("none that failed, warned, logged, or went on after a call had failed", () => {
    expect(kept({}, { error: "broken" })).toBe("no");
    expect(kept({}, { warnings: ["NaN became null"] })).toBe("no");
    expect(kept({}, { logs: ["here"] })).toBe("no");
    expect(kept({}, { failedTask: true })).toBe("no");
  });

  it("none of which the tool has changed meanwhile", () => {
    expect(kept({ tools: [tool("fs:read", { hash: "h0" })] })).toBe("no");
  });

  it("none that is too large", () => {
    const most = LIMITS.cachedResultBytes;
    expect(kept({}, { text: "x".repeat(most) })).toBe("");
    expect(kept({}, { text: "x".repeat(most + 1) })).toBe("no");
    expect(kept({}, { text: "é".repeat(most / 2 + 1) })).toBe("no");
  });

  it("what a person has asked for is kept whatever it does, unless it failed or needs approval", () => {
    expect(kept({ tools: [write] }, { called: ["fs:write"], readsClock: true }, true)).toBe("fs:write");
    expect(kept({ tools: [write] }, { error: "broken" }, true)).toBe("no");
    expect(kept({ tools: [write], needsApproval: true }, {}, true)).toBe("no");
  });

  it("[LP-3] none of an operation of PML, also where a person has asked for it", () => {
    const own = tool("cap:list", { operation: "reads" });
    expect(kept({ tools: [own] }, { called: ["cap:list"] })).toBe("no");
    expect(kept({ tools: [own] }, {}, true)).toBe("no");
    expect(mayServe(prepared({ tools: [own] }), { isAsked: true }, judge)).toBe(false);
  });

  it("nothing is served before a required approval", () => {
    const served = (plan: Parameters<typeof prepared>[0], isAsked = false) =>
      mayServe(prepared(plan), { isAsked }, judge);
    expect(served({ tools: [read] })).toBe(true);
    expect(served({ tools: [read], needsApproval: true })).toBe(false);
    expect(served({ tools: [write] })).toBe(false);
    expect(served({ tools: [write] }, true)).toBe(true);
  });
});
