import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../../base/log.js";
import type { ServerName, ToolId } from "../../registry/tool-id.js";
import type { CapabilityCacheStore } from "./cache-store.js";
import { ServerDrops, StoreWriter } from "./store-writer.js";

describe("[EX-14] StoreWriter", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("tells the store of the calls of a server once a second at most, and within a second", async () => {
    const at: number[] = [];
    const store = {
      async invalidate() {
        at.push(performance.now());
        return 0;
      },
      async prune() {},
    } as unknown as CapabilityCacheStore;
    const writer = new StoreWriter(store, silentLog, Date.now, new ServerDrops(store, true));
    const began = performance.now();
    for (let i = 0; i < 1_000; i += 1) {
      writer.called("fs:write" as ToolId, "fs" as ServerName, 0);
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    const pauses = at.map((time, index) => time - (at[index - 1] ?? began));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1_010);
    expect(Math.min(...pauses.slice(1))).toBeGreaterThanOrEqual(1_000);
    expect(at.length).toBeGreaterThan(9);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(at.length).toBeLessThan(13);
  });
});
