import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import { type Log, silentLog } from "../base/log.js";
import type { UsageRow, UsageStore } from "../registry/usage.js";
import { UsageRecorder } from "./usage-recorder.js";

function row(toolName: string): UsageRow {
  return {
    serverId: "fs",
    toolName,
    org: "local",
    project: "default",
    user: "me",
    calledAt: new Date(0),
    durationMs: 1,
    success: true,
  };
}

/** Keeps the names of what it is given, in batches, and fails as often as it is told to. */
class FakeUsageStore implements UsageStore {
  readonly batches: string[][] = [];
  failures = 0;

  async add(rows: readonly UsageRow[]): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the store is away");
    }
    this.batches.push(rows.map(({ toolName }) => toolName));
  }

  async totals() {
    return [];
  }

  async prune() {
    return 0;
  }
}

/** What a recorder never asks of its store. */
const unused = { totals: async () => [], prune: async () => 0 };

describe("UsageRecorder", () => {
  let store: FakeUsageStore;
  let warnings: string[];
  let log: Log;
  let recorder: UsageRecorder;

  beforeEach(() => {
    vi.useFakeTimers();
    store = new FakeUsageStore();
    warnings = [];
    log = { ...silentLog, warn: (event, fields) => void warnings.push(`${event} ${fields?.rows}`) };
    recorder = new UsageRecorder(store, log);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function record(names: string): void {
    for (const name of names.split(" ")) recorder.record(row(name));
  }

  function recordMany(count: number): void {
    for (let i = 0; i < count; i += 1) recorder.record(row(`t${i}`));
  }

  function kept(): string {
    return store.batches.map((batch) => batch.join(" ")).join(" | ");
  }

  it("writes what came in half a second as one batch", async () => {
    record("a b");
    await vi.advanceTimersByTimeAsync(LIMITS.usageFlushMs - 1);
    expect(kept()).toBe("");
    record("c");
    await vi.advanceTimersByTimeAsync(1);
    expect(kept()).toBe("a b c");
    record("d");
    await vi.advanceTimersByTimeAsync(LIMITS.usageFlushMs);
    expect(kept()).toBe("a b c | d");
  });

  it("writes nothing where nothing came in", async () => {
    await recorder.flush();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kept()).toBe("");
  });

  it("writes a thousand at a time", async () => {
    recordMany(2_500);
    await recorder.flush();
    expect(store.batches.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
  });

  it("writes everything when it is stopped", async () => {
    record("a b");
    await recorder.flush();
    expect(kept()).toBe("a b");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kept()).toBe("a b");
  });

  it("writes each row once where it is flushed several times at once", async () => {
    record("a");
    const flushing = [recorder.flush(), recorder.flush()];
    record("b");
    await Promise.all([...flushing, recorder.flush()]);
    expect(store.batches.flat()).toEqual(["a", "b"]);
  });

  it("waits for a store that is not open yet, and loses nothing", async () => {
    let open: () => void = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    recorder = new UsageRecorder({ ...unused, add: (rows) => opened.then(() => store.add(rows)) }, log);
    record("a");
    await vi.advanceTimersByTimeAsync(60_000);
    record("b");
    open();
    await recorder.flush();
    expect(store.batches.flat()).toEqual(["a", "b"]);
  });

  it("keeps what a failing store did not take, in order, and writes it when the store is back", async () => {
    store.failures = 2;
    record("a b");
    await vi.advanceTimersByTimeAsync(LIMITS.usageFlushMs);
    expect(warnings).toEqual(["usage.write_failed 2"]);
    record("c");
    await vi.advanceTimersByTimeAsync(LIMITS.usageFlushMs * 20);
    expect(store.batches.flat()).toEqual(["a", "b", "c"]);
  });

  it("tries again by itself, where nothing more comes in", async () => {
    store.failures = 1;
    record("a");
    await vi.advanceTimersByTimeAsync(LIMITS.usageFlushMs * 11);
    expect(kept()).toBe("a");
  });

  it("keeps the rest where one batch of several fails", async () => {
    recordMany(1_500);
    store.failures = 1;
    await recorder.flush();
    await recorder.flush();
    expect(store.batches.flat()).toEqual(Array.from({ length: 1_500 }, (_, index) => `t${index}`));
  });

  it("resolves, and does not throw, where the store never opens", async () => {
    recorder = new UsageRecorder({ ...unused, add: () => Promise.reject(new Error("no disk")) }, log);
    record("a");
    await expect(recorder.flush()).resolves.toBeUndefined();
    expect(warnings).toEqual(["usage.write_failed 1"]);
  });

  it("holds as many rows as its limit, the newest, and says how many it dropped", async () => {
    recordMany(LIMITS.usageBufferRows + 3);
    await recorder.flush();
    const names = store.batches.flat();
    expect(names.length).toBe(LIMITS.usageBufferRows);
    expect([names[0], names.at(-1)]).toEqual(["t3", `t${LIMITS.usageBufferRows + 2}`]);
    expect(warnings).toEqual(["usage.dropped 3"]);
  });

  it("holds no more than its limit where a batch comes back from a failing store", async () => {
    let fail: () => void = () => {};
    store.add = () => new Promise((_, reject) => (fail = () => reject(new Error("away"))));
    recordMany(1_000);
    const writing = recorder.flush();
    await vi.advanceTimersByTimeAsync(0);
    recordMany(LIMITS.usageBufferRows);
    fail();
    await writing;
    expect(warnings).toEqual([`usage.write_failed ${LIMITS.usageBufferRows}`]);
  });
});
