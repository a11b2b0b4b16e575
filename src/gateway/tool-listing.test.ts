import type { Tool } from "@modelcontextprotocol/server";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { silentLog } from "../base/log.js";
import type { Capability } from "../registry/capability.js";
import type { ToolListState } from "../registry/tool-list.js";
import { ListedTokens, listedText } from "./token-count.js";
import { type ListedCapability, type ListingRequest, ToolListing } from "./tool-listing.js";

const DAY_MS = 86_400_000;
const ENTRY_POINTS = [toolOf("pml_discover", 20), toolOf("pml_execute", 20)];

/** A tool whose description has this many words. */
function toolOf(name: string, words: number): Tool {
  return { name, description: Array(words).fill("word").join(" "), inputSchema: { type: "object" } };
}

function capabilityOf(id: string, more: Partial<Capability> = {}): ListedCapability {
  const capability = { ...sampleCapability(`num:${id}`), id, trust: "verified" as const, ...more };
  return { capability, tool: toolOf(`mcp__num__${id}`, 20) };
}

/** What a listing shows, by its names; each new one stands for a new start on the same store. */
function listings({ tokens = 1_000, leanTokens = 400 } = {}) {
  const kept = new Map<string, ToolListState>();
  let now = Date.parse("2026-11-17T12:00:00Z");
  const start = () =>
    new ToolListing({
      store: { load: async () => new Map(kept), save: async (key, state) => void kept.set(key, state) },
      budget: { tokens, leanTokens },
      tokens: new ListedTokens(async (texts) => texts.map((text) => countTokens(text))),
      now: () => now,
      log: silentLog,
    });
  const show = async (listing: ToolListing, request: Partial<ListingRequest> = {}) => {
    const chosen = await listing.choose({
      key: "local/default",
      exposure: "auto",
      entryPoints: ENTRY_POINTS,
      tools: [...ENTRY_POINTS, toolOf("mcp__fs__read", 20)],
      capabilities: [],
      isStarting: false,
      isInUse: false,
      ...request,
    });
    const names = [...chosen.tools, ...chosen.capabilities].map(({ name }) => name.replace(/^.*_/, ""));
    return `${chosen.mode}: ${names.join(" ")}`;
  };
  return { start, show, kept, later: (days: number) => (now += days * DAY_MS) };
}

const MANY = Array.from({ length: 60 }, (_, at) => toolOf(`mcp__many__t${at}`, 20));

describe("[LP-1] auto", () => {
  it("lists all while that is within the budget", async () => {
    const { start, show } = listings();
    expect(await show(start(), { capabilities: [capabilityOf("a")] })).toBe("all: discover execute read a");
  });

  it("lists two entry points and capabilities above it", async () => {
    const { start, show } = listings();
    expect(await show(start(), { tools: MANY, capabilities: [capabilityOf("a")] })).toBe(
      "lean: discover execute a",
    );
  });

  it("counts tokens as o200k does, not as an estimate", async () => {
    const tools = MANY.slice(0, 20);
    const tokens = tools.reduce((sum, tool) => sum + countTokens(listedText(tool)), 0);
    for (const [budget, mode] of [
      [tokens, "all"],
      [tokens - 1, "lean"],
    ] as const) {
      const { start, show } = listings({ tokens: budget });
      expect(await show(start(), { tools })).toMatch(new RegExp(`^${mode}:`));
    }
  });

  it("[SC-1] counts nothing where a list is far above the budget", async () => {
    const counted: string[] = [];
    const listing = new ToolListing({
      store: { load: async () => new Map(), save: async () => {} },
      budget: { tokens: 1_000, leanTokens: 400 },
      tokens: new ListedTokens(async (texts) => texts.map((text) => counted.push(text))),
      now: Date.now,
      log: silentLog,
    });
    expect(await listings().show(listing, { tools: MANY })).toBe("lean: discover execute");
    expect(counted).toEqual([]);
  });

  it("goes by an estimate that is never too low where tokens cannot be counted", async () => {
    const tokens = new ListedTokens(() => Promise.reject(new Error("no thread")));
    const [count = 0] = await tokens.of(MANY);
    expect(count).toBeGreaterThanOrEqual(countTokens(listedText(MANY[0] as Tool)));
  });

  it("becomes all again only when that is well within the budget", async () => {
    const tokens = MANY.reduce((sum, tool) => sum + countTokens(listedText(tool)), 0);
    const { start, show } = listings({ tokens: tokens - 1 });
    const listing = start();
    expect(await show(listing, { tools: MANY })).toMatch(/^lean/);
    expect(await show(listing, { tools: MANY.slice(0, 55) })).toMatch(/^lean/);
    expect(await show(listing, { tools: MANY.slice(0, 45) })).toMatch(/^all/);
  });

  it("stays as it is while a client has it, without new capabilities, and is lean at the next start", async () => {
    const { start, show } = listings();
    const listing = start();
    const before = [capabilityOf("a")];
    expect(await show(listing, { capabilities: before })).toMatch(/^all/);
    const grown = { tools: MANY, capabilities: [...before, capabilityOf("b")] };
    expect(await show(listing, { ...grown, isInUse: true })).toMatch(/^all: .* t59 a$/);
    expect(await show(start(), { ...grown, isInUse: true })).toMatch(/^all/);
    expect(await show(start(), grown)).toMatch(/^lean: .* a b$/);
  });

  it("is decided by no client of another exposure", async () => {
    const tokens = [...ENTRY_POINTS, ...MANY].reduce((sum, tool) => sum + countTokens(listedText(tool)), 0);
    const { start, show, later } = listings({ tokens });
    const listing = start();
    const tools = [...ENTRY_POINTS, ...MANY];
    expect(await show(listing, { exposure: "lean", tools })).toMatch(/^lean/);
    expect(await show(listing, { tools })).toMatch(/^all/);
    later(2);
    expect(await show(listing, { exposure: "lean", tools })).toMatch(/^lean/);
    const grown = { tools: [...tools, toolOf("mcp__more__t", 20)], isInUse: true };
    expect(await show(listing, grown)).toMatch(/^all/);
  });

  it("keeps the mode while servers start, and decides when they have", async () => {
    const { start, show } = listings();
    expect(await show(start(), { tools: MANY })).toMatch(/^lean/);
    const listing = start();
    expect(await show(listing, { isStarting: true })).toMatch(/^lean/);
    expect(await show(listing)).toMatch(/^all/);
  });
});

describe("[LP-2] lean", () => {
  const used = (id: string, usageCount: number, days = 0) =>
    capabilityOf(id, {
      usageCount,
      lastUsedAt: new Date(Date.parse("2026-11-17T12:00:00Z") - days * DAY_MS),
    });

  it("orders by uses, recency and trust", async () => {
    const { start, show } = listings();
    const capabilities = [
      used("seldom", 1),
      used("often", 50),
      used("long-ago", 50, 100),
      {
        ...used("suspect", 50),
        capability: { ...used("suspect", 50).capability, trust: "suspect" as const },
      },
    ];
    expect(await show(start(), { exposure: "lean", capabilities })).toBe(
      "lean: discover execute often seldom suspect long-ago",
    );
  });

  it("is not reordered by use, nor by a restart, for a day", async () => {
    const { start, show, later } = listings();
    const first = await show(start(), { exposure: "lean", capabilities: [used("a", 9), used("b", 1)] });
    const capabilities = [used("a", 9), used("b", 900)];
    expect(await show(start(), { exposure: "lean", capabilities })).toBe(first);
    later(1);
    expect(await show(start(), { exposure: "lean", capabilities })).toBe("lean: discover execute b a");
  });

  it("appends a new name at once, and keeps it there after a restart", async () => {
    const { start, show } = listings();
    const listing = start();
    await show(listing, { exposure: "lean", capabilities: [used("b", 1)] });
    const capabilities = [used("b", 1), used("a", 9)];
    listing.named({ id: "a" });
    for (const one of [listing, start()])
      expect(await show(one, { exposure: "lean", capabilities })).toBe("lean: discover execute b a");
  });

  it("appends a name that was given before a restart, though no list was made in between", async () => {
    const { start, show } = listings();
    await show(start(), { exposure: "lean", capabilities: [used("b", 1)] });
    start().named({ id: "a" });
    const capabilities = [used("a", 9), used("b", 1)];
    expect(await show(start(), { exposure: "lean", capabilities })).toBe("lean: discover execute b a");
  });

  it("[ST-3] is ordered once a day by all gateways of a store together", async () => {
    const { start, show, later } = listings();
    const [one, other] = [start(), start()];
    const request = (a: number) => ({
      exposure: "lean" as const,
      capabilities: [used("a", a), used("b", 5)],
    });
    for (const listing of [one, other])
      expect(await show(listing, request(9))).toBe("lean: discover execute a b");
    later(1);
    expect(await show(one, request(1))).toBe("lean: discover execute b a");
    expect(await show(other, request(9))).toBe("lean: discover execute b a");
    later(1);
    expect(await show(other, request(9))).toBe("lean: discover execute a b");
  });

  it("is ordered anew though the clock was wrong when it was ordered", async () => {
    const { start, show, later } = listings();
    later(3_650);
    await show(start(), { exposure: "lean", capabilities: [used("a", 9), used("b", 1)] });
    later(-3_650);
    const capabilities = [used("a", 9), used("b", 900)];
    expect(await show(start(), { exposure: "lean", capabilities })).toBe("lean: discover execute b a");
  });

  it("is not ordered anew where the clock of another gateway is a little ahead", async () => {
    const { start, show, later } = listings();
    later(0.01);
    await show(start(), { exposure: "lean", capabilities: [used("a", 9), used("b", 1)] });
    later(-0.01);
    const capabilities = [used("a", 9), used("b", 900)];
    expect(await show(start(), { exposure: "lean", capabilities })).toBe("lean: discover execute a b");
  });

  it("[FP-23] leaves out a capability for which there is never room, and no other for it", async () => {
    const { start, show } = listings();
    const huge = { ...used("huge", 90), tool: toolOf("mcp__num__huge", 2_000) };
    const listing = start();
    const others = [used("a", 9), used("b", 1)];
    expect(await show(listing, { exposure: "lean", capabilities: [huge, ...others] })).toBe(
      "lean: discover execute a b",
    );
    const named = { ...used("named", 1), tool: toolOf("mcp__num__named", 2_000) };
    listing.named({ id: "named" });
    expect(await show(listing, { exposure: "lean", capabilities: [huge, ...others, named] })).toBe(
      "lean: discover execute a b",
    );
  });

  it("appends a name that was given while the list was being made", async () => {
    const { start, show, later } = listings();
    const listing = start();
    const first = show(listing, { tools: MANY, capabilities: [] });
    listing.named({ id: "a" });
    later(0.01);
    await first;
    expect(await show(listing, { tools: MANY, capabilities: [used("a", 1)] })).toBe(
      "lean: discover execute a",
    );
  });

  it("stays within its budget with 10,000 capabilities; new names come first", async () => {
    const { start, show } = listings();
    const listing = start();
    const capabilities = Array.from({ length: 10_000 }, (_, at) => used(`c${at}`, 10_000 - at));
    await show(listing, { exposure: "lean", capabilities });
    listing.named({ id: "c9999" });
    const shown = await show(listing, { exposure: "lean", capabilities });
    expect(shown).toMatch(/^lean: discover execute c0 c1 .* c9999$/);
    const names = shown.split(" ").slice(3);
    const tools = [...ENTRY_POINTS, ...names.map((id) => toolOf(`mcp__num__${id}`, 20))];
    const tokens = tools.reduce((sum, tool) => sum + countTokens(listedText(tool)), 0);
    expect(tokens).toBeLessThanOrEqual(400);
    expect(tokens).toBeGreaterThan(330);
  });
});
