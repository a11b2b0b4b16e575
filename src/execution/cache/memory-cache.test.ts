import { describe, expect, it } from "vitest";
import type { ServerName } from "../../registry/tool-id.js";
import { type CachedResult, MemoryCache } from "./memory-cache.js";

function result(text: string, expiresAt = 1_000, createdAt = 0): CachedResult {
  return { text, codeHash: "c", tools: [], servers: [], capabilities: [], createdAt, expiresAt };
}

const kept = (cache: MemoryCache, now = 0) => Array.from(cache.alive(now), ({ text }) => text).join("");

describe("[EX-14] MemoryCache", () => {
  it("holds so many, and lets go of what was not used for longest", () => {
    const cache = new MemoryCache({ entries: 2, bytes: 1e9 });
    cache.set("a", result("a"));
    cache.set("b", result("b"));
    expect(cache.get("a", 0)?.text).toBe("a");
    cache.set("c", result("c"));
    expect(kept(cache)).toBe("ac");
  });

  it("lets go of what is read from a server, however it came and went", () => {
    const cache = new MemoryCache({ entries: 2, bytes: 1e9 });
    const [fs, db] = ["fs", "db"] as ServerName[];
    if (fs === undefined || db === undefined) throw new Error("no servers");
    const of = (text: string, ...servers: ServerName[]) => ({ ...result(text), servers });
    cache.set("a", of("a", fs));
    cache.set("a", of("A", fs, db));
    cache.set("b", of("b", db));
    expect([cache.deleteOf(fs), cache.deleteOf(fs), kept(cache)]).toEqual([1, 0, "b"]);
    cache.set("c", of("c", fs));
    cache.set("d", of("d", fs));
    cache.set("e", of("e", fs));
    expect([cache.deleteOf(db), cache.deleteOf(fs), kept(cache)]).toEqual([0, 2, ""]);
  });

  it("holds so many bytes, and nothing that is larger alone", () => {
    const one = new MemoryCache({ entries: 100, bytes: 1e9 });
    one.set("x", result("x".repeat(1_000)));
    const cache = new MemoryCache({ entries: 100, bytes: one.bytes * 2 });
    for (const key of ["a", "b", "c"]) cache.set(key, result(key.repeat(1_000)));
    expect(cache.size).toBe(2);
    expect(cache.bytes).toBe(one.bytes * 2);
    cache.set("d", result("d".repeat(10_000)));
    expect([cache.size, cache.get("d", 0)]).toEqual([2, undefined]);
    for (const key of ["b", "c"]) cache.delete(key);
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
  });

  it("counts bytes right when a result takes the place of another", () => {
    const cache = new MemoryCache({ entries: 10, bytes: 1e9 });
    cache.set("a", result("short"));
    const { bytes } = cache;
    cache.set("a", result("much longer than that"));
    cache.set("a", result("short"));
    expect([cache.size, cache.bytes]).toEqual([1, bytes]);
  });

  it("gives nothing whose time is over, nor what a clock that was set back has not made yet", () => {
    const cache = new MemoryCache({ entries: 10, bytes: 1e9 });
    cache.set("a", result("a", 1_000, 500));
    expect(cache.get("a", 999)?.text).toBe("a");
    expect(kept(cache, 1_000)).toBe("");
    expect(cache.get("a", 499)).toBeUndefined();
    cache.set("a", result("a", 1_000, 500));
    expect([cache.get("a", 1_000), cache.size]).toEqual([undefined, 0]);
  });

  it("lets go of what is meant, and says how many that were", () => {
    const cache = new MemoryCache({ entries: 10, bytes: 1e9 });
    for (const key of ["a", "b", "c"]) cache.set(key, result(key));
    expect(cache.deleteWhere(({ text }) => text !== "b")).toBe(2);
    expect(kept(cache)).toBe("b");
  });
});
