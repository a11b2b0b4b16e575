import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import { silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { Database } from "./database.js";
import { LazyDatabase } from "./lazy-database.js";

/** A database that can be opened after `failures` failures, and that a test can make fail later. */
function opening(kind: "pglite" | "postgres", failures = 0) {
  const seen: string[] = [];
  /** What the next calls of `close` wait for. */
  const closing: Promise<void>[] = [];
  let left = failures;
  let isDead = false;
  const open = async (): Promise<Database> => {
    seen.push("open");
    if (left > 0) {
      left -= 1;
      throw new PmlError("STORE_FAILED", "cannot be opened");
    }
    isDead = false;
    const answer = <T>(value: T): Promise<T> =>
      isDead ? Promise.reject(new PmlError("STORE_FAILED", "the store is dead")) : Promise.resolve(value);
    return {
      kind,
      query: () => answer({ rows: [], rowCount: 7 }),
      transaction: async (work) =>
        await answer(await work({ query: () => answer({ rows: [], rowCount: 7 }) })),
      async close() {
        await closing.shift();
        seen.push("close");
      },
    };
  };
  const lazy = new LazyDatabase(kind, open, silentLog);
  const count = async () => (await lazy.query("delete from tool_usage")).rowCount;
  const die = () => {
    isDead = true;
  };
  return { lazy, count, seen, die, closing };
}

describe("[ST-1] LazyDatabase", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("opens the store once, for the first caller", async () => {
    const { lazy, count, seen } = opening("pglite");
    lazy.start();
    expect(await Promise.all([count(), count()])).toEqual([7, 7]);
    expect(seen).toEqual(["open"]);
    expect(await lazy.status()).toEqual({ kind: "pglite", state: "open" });
  });

  it("tells why it cannot be opened, and tries again after a while, not at every call", async () => {
    const { lazy, count, seen } = opening("postgres", 1);
    await expect(count()).rejects.toThrow("cannot be opened");
    expect(await lazy.status()).toEqual({ kind: "postgres", state: "failed", problem: "cannot be opened" });
    expect(seen).toEqual(["open"]);
    vi.advanceTimersByTime(LIMITS.storeRetryMs);
    expect(await count()).toBe(7);
    expect(seen).toEqual(["open", "open"]);
  });

  it("says that an embedded store has died, and opens it again for the next one", async () => {
    const { lazy, count, seen, die } = opening("pglite");
    await count();
    die();
    expect(await lazy.status()).toMatchObject({ state: "failed" });
    await expect(count()).rejects.toThrow("dead");
    expect(await count()).toBe(7);
    expect(seen).toEqual(["open", "close", "open"]);
  });

  it("[ST-2] has it once at a time: it is opened again when the dead one is closed, however many find it dead", async () => {
    const { lazy, count, seen, die, closing } = opening("pglite");
    await count();
    die();
    let closed: () => void = () => {};
    closing.push(
      new Promise<void>((resolve) => {
        closed = resolve;
      }),
    );
    const found = [count(), lazy.transaction(async () => 1), count()];
    const failures = Promise.allSettled(found);
    await vi.advanceTimersByTimeAsync(1);
    const next = count();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toEqual(["open"]);
    closed();
    expect(await next).toBe(7);
    expect((await failures).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await count()).toBe(7);
    expect(seen).toEqual(["open", "close", "open"]);
  });

  it("waits at its end for a dead one to be closed", async () => {
    const { lazy, count, seen, die, closing } = opening("pglite");
    await count();
    die();
    let closed: () => void = () => {};
    closing.push(
      new Promise<void>((resolve) => {
        closed = resolve;
      }),
    );
    const failure = expect(count()).rejects.toThrow("dead");
    await vi.advanceTimersByTimeAsync(1);
    const end = lazy.close().then(() => seen.push("end"));
    await vi.advanceTimersByTimeAsync(1);
    closed();
    await end;
    await failure;
    expect(seen).toEqual(["open", "close", "end"]);
  });

  it("leaves a pool of connections to heal itself", async () => {
    const { count, seen, die } = opening("postgres");
    await count();
    die();
    await expect(count()).rejects.toThrow("dead");
    await expect(count()).rejects.toThrow("dead");
    expect(seen).toEqual(["open"]);
  });

  it("closes what it opened, and opens nothing afterwards", async () => {
    const { lazy, count, seen } = opening("pglite");
    lazy.start();
    await lazy.close();
    await expect(count()).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(seen).toEqual(["open", "close"]);
  });

  it("opens it again after a transaction found it dead", async () => {
    const { lazy, count, seen, die } = opening("pglite");
    await count();
    die();
    await expect(lazy.transaction(async () => 1)).rejects.toThrow("dead");
    expect(await lazy.transaction(async () => 1)).toBe(1);
    expect(seen).toEqual(["open", "close", "open"]);
  });
});
