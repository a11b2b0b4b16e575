import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BackgroundWriter, WaitingRows } from "./background-writer.js";
import { LIMITS } from "./limits.js";
import { PmlError } from "./pml-error.js";

/** Keeps what it is given, in batches, and fails as often as it is told to. */
class FakeStore {
  readonly batches: string[][] = [];
  failures = 0;

  async add(rows: readonly string[]): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error("the store is away");
    }
    this.batches.push([...rows]);
  }
}

describe("[ST-4] BackgroundWriter of WaitingRows", () => {
  let store: FakeStore;
  let failures: number[];
  let rows: WaitingRows<string>;
  let writer: BackgroundWriter;
  let early: number;

  beforeEach(() => {
    vi.useFakeTimers();
    store = new FakeStore();
    failures = [];
    early = 0;
    rows = new WaitingRows(1_000);
    writer = new BackgroundWriter({
      write: () => rows.drain((batch) => store.add(batch)),
      failed: () => void failures.push(rows.size),
      early: () => early,
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function record(names: string): void {
    for (const name of names.split(" ")) {
      rows.add(name);
      writer.plan();
    }
  }

  function recordMany(count: number): void {
    for (let i = 0; i < count; i += 1) rows.add(`t${i}`);
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

  it("writes what comes while it writes half a second later, as one batch", async () => {
    let written: () => void = () => {};
    const add = store.add.bind(store);
    store.add = async (batch) => {
      await add(batch);
      await new Promise<void>((resolve) => {
        written = resolve;
      });
    };
    record("a");
    await vi.advanceTimersByTimeAsync(LIMITS.usageFlushMs);
    record("b");
    written();
    await vi.advanceTimersByTimeAsync(LIMITS.usageFlushMs - 1);
    record("c");
    expect(kept()).toBe("a");
    await vi.advanceTimersByTimeAsync(1);
    expect(kept()).toBe("a | b c");
  });

  it("writes nothing where nothing came in", async () => {
    await writer.flush();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kept()).toBe("");
  });

  it("writes a thousand at a time", async () => {
    recordMany(2_500);
    await writer.flush();
    expect(store.batches.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
  });

  it("writes everything when it is flushed, once", async () => {
    record("a b");
    await writer.flush();
    expect(kept()).toBe("a b");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kept()).toBe("a b");
  });

  it("writes each row once where it is flushed several times at once", async () => {
    record("a");
    const flushing = [writer.flush(), writer.flush()];
    record("b");
    await Promise.all([...flushing, writer.flush()]);
    expect(store.batches.flat()).toEqual(["a", "b"]);
  });

  it("waits for a store that is not open yet, and loses nothing", async () => {
    let open: () => void = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const add = store.add.bind(store);
    store.add = (batch) => opened.then(() => add(batch));
    record("a");
    await vi.advanceTimersByTimeAsync(60_000);
    record("b");
    open();
    await writer.flush();
    expect(store.batches.flat()).toEqual(["a", "b"]);
  });

  it("keeps what a failing store did not take, in order, and writes it when the store is back", async () => {
    store.failures = 2;
    record("a b");
    await vi.advanceTimersByTimeAsync(LIMITS.usageFlushMs);
    expect(failures).toEqual([2]);
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
    await writer.flush();
    await writer.flush();
    expect(store.batches.flat()).toEqual(Array.from({ length: 1_500 }, (_, index) => `t${index}`));
  });

  it("[TB-8] writes all others where the store refuses one of them, and says how many it dropped", async () => {
    const add = store.add.bind(store);
    store.add = (batch) =>
      batch.includes("bad")
        ? Promise.reject(new PmlError("STORE_FAILED", "bigint out of range", { data: { sqlstate: "22003" } }))
        : add(batch);
    record("a bad b");
    await writer.flush();
    record("c");
    await writer.flush();
    expect(store.batches.flat()).toEqual(["a", "b", "c"]);
    expect([failures, rows.takeDropped()]).toEqual([[], 1]);
  });

  it("keeps the rest where the store fails while rows are written one by one", async () => {
    const add = store.add.bind(store);
    store.add = (batch) => {
      if (batch.length > 1)
        return Promise.reject(new PmlError("STORE_FAILED", "no", { data: { sqlstate: "23514" } }));
      if (batch.includes("b")) store.add = add;
      return batch.includes("b") ? Promise.reject(new PmlError("STORE_FAILED", "away")) : add(batch);
    };
    record("a b c");
    await writer.flush();
    expect(failures).toEqual([2]);
    await writer.flush();
    expect(store.batches.flat()).toEqual(["a", "b", "c"]);
  });

  it("resolves, and does not throw, where the store never opens", async () => {
    store.failures = Number.POSITIVE_INFINITY;
    record("a");
    await expect(writer.flush()).resolves.toBeUndefined();
    expect(failures).toEqual([1]);
  });

  it("holds as many rows as its limit, the newest, and says how many it dropped", async () => {
    recordMany(LIMITS.usageBufferRows + 3);
    await writer.flush();
    const names = store.batches.flat();
    expect(names.length).toBe(LIMITS.usageBufferRows);
    expect([names[0], names.at(-1)]).toEqual(["t3", `t${LIMITS.usageBufferRows + 2}`]);
    expect([rows.takeDropped(), rows.takeDropped()]).toEqual([3, 0]);
  });

  it("holds no more than its limit where a batch comes back from a failing store", async () => {
    let fail: () => void = () => {};
    store.add = () => new Promise((_, reject) => (fail = () => reject(new Error("away"))));
    recordMany(1_000);
    const writing = writer.flush();
    await vi.advanceTimersByTimeAsync(0);
    recordMany(LIMITS.usageBufferRows);
    fail();
    await writing;
    expect(failures).toEqual([LIMITS.usageBufferRows]);
  });

  it("loses no row that comes while others are dropped during a write that succeeds", async () => {
    let done: () => void = () => {};
    const add = store.add.bind(store);
    store.add = (batch) => new Promise<void>((resolve) => (done = resolve)).then(() => add(batch));
    recordMany(1_000);
    const writing = writer.flush();
    await vi.advanceTimersByTimeAsync(0);
    recordMany(LIMITS.usageBufferRows);
    store.add = add;
    done();
    await writing;
    await writer.flush();
    expect(store.batches.flat().length).toBe(LIMITS.usageBufferRows + 1_000);
  });

  it("waits on where a planned write is too early, and not where it is flushed", async () => {
    early = 200;
    record("a");
    await vi.advanceTimersByTimeAsync(LIMITS.usageFlushMs);
    early = 0;
    expect(kept()).toBe("");
    await vi.advanceTimersByTimeAsync(200);
    expect(kept()).toBe("a");
    early = 200;
    record("b");
    await writer.flush();
    expect(kept()).toBe("a | b");
  });

  it("writes what comes while it stops, too", async () => {
    const add = store.add.bind(store);
    store.add = (batch) => {
      store.add = add;
      record("b");
      return add(batch);
    };
    record("a");
    await writer.stop();
    expect(kept()).toBe("a | b");
  });

  it("writes what there is when it stops, and does not try again after that", async () => {
    record("a");
    await writer.stop();
    expect(kept()).toBe("a");
    store.failures = 1;
    record("b");
    await writer.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
