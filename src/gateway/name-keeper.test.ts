import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import { silentLog } from "../base/log.js";
import { foldWireName, parseWireName } from "../registry/wire-name.js";
import type { WireNameEntry, WireNameStore } from "../registry/wire-table.js";
import { WireTable } from "../registry/wire-table.js";
import { NameKeeper } from "./name-keeper.js";

class MemoryNames implements WireNameStore {
  readonly rows = new Map<string, WireNameEntry>();
  failures = 0;

  async load() {
    return [...this.rows.values()];
  }

  async keep(entries: readonly WireNameEntry[]) {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the store is away");
    }
    const taken = new Set([...this.rows.values()].map(({ name }) => foldWireName(name)));
    for (const entry of entries)
      if (!this.rows.has(entry.id) && !taken.has(foldWireName(entry.name))) this.rows.set(entry.id, entry);
    return entries.flatMap(({ id }) => this.rows.get(id) ?? []);
  }
}

const entry = (id: string, name: string): WireNameEntry => ({ id, name: parseWireName(name) });

describe("[WIRE-2] NameKeeper", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function keeping() {
    const store = new MemoryNames();
    const table = new WireTable();
    let losses = 0;
    const keeper = new NameKeeper(store, silentLog, () => {
      losses += 1;
    });
    return { store, table, keeper, losses: () => losses };
  }

  it("keeps names in the store", async () => {
    const { store, table, keeper } = keeping();
    keeper.keep(table, [entry("fs:read", "mcp__fs__read")]);
    await vi.advanceTimersByTimeAsync(0);
    expect([...store.rows.keys()]).toEqual(["fs:read"]);
  });

  it("tries again until the store takes them, and loses none that come meanwhile", async () => {
    const { store, table, keeper } = keeping();
    store.failures = 2;
    keeper.keep(table, [entry("a:x", "a")]);
    await vi.advanceTimersByTimeAsync(0);
    keeper.keep(table, [entry("b:x", "b")]);
    await vi.advanceTimersByTimeAsync(LIMITS.storeRetryMs);
    expect(new Set(store.rows.keys())).toEqual(new Set(["a:x", "b:x"]));
  });

  it("gives up a name that the store knows as another's, once, and settles", async () => {
    const { store, table, keeper, losses } = keeping();
    store.rows.set("b:read", entry("b:read", "read"));
    table.adopt([entry("a:read", "read")]);
    keeper.keep(table, table.entries());
    await vi.advanceTimersByTimeAsync(0);
    expect([losses(), table.nameOf("a:read"), table.nameOf("b:read")]).toEqual([1, undefined, "read"]);
    keeper.keep(table, await table.assign([{ id: "a:read", wanted: "read" }]));
    await vi.advanceTimersByTimeAsync(0);
    expect([losses(), store.rows.get("a:read")?.name]).toEqual([1, table.nameOf("a:read")]);
  });
});
