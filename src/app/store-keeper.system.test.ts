import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import { silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { Store } from "../postgres/open-store.js";
import { StoreKeeper } from "./store-keeper.js";

/** A store that can be opened after so many failures, and whose database can be made to die. */
function keeping(kind: "pglite" | "postgres", failures = 0) {
  const seen: string[] = [];
  let left = failures;
  let isDead = false;
  const failed = () => new PmlError("STORE_FAILED", "the store is dead");
  const open = async () => {
    seen.push("open");
    if (left > 0) {
      left -= 1;
      throw new PmlError("STORE_FAILED", "cannot be opened");
    }
    isDead = false;
    return {
      database: { query: async () => (isDead ? Promise.reject(failed()) : { rows: [], rowCount: 0 }) },
      usage: { prune: async () => (isDead ? Promise.reject(failed()) : 7) },
      close: async () => void seen.push("close"),
    } as unknown as Store;
  };
  const keeper = new StoreKeeper(kind, open, silentLog);
  const die = () => {
    isDead = true;
  };
  return { keeper, seen, die };
}

const NOW = new Date(0);

describe("[ST-1] StoreKeeper", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("opens the store once, for whoever comes first", async () => {
    const { keeper, seen } = keeping("pglite");
    keeper.start();
    expect(await Promise.all([keeper.usage.prune(NOW), keeper.usage.prune(NOW)])).toEqual([7, 7]);
    expect(seen).toEqual(["open"]);
    expect(await keeper.status()).toEqual({ kind: "pglite", state: "open" });
  });

  it("tells why it cannot be opened, and tries again after a while, not at every call", async () => {
    const { keeper, seen } = keeping("postgres", 1);
    await expect(keeper.usage.prune(NOW)).rejects.toThrow("cannot be opened");
    expect(await keeper.status()).toEqual({ kind: "postgres", state: "failed", problem: "cannot be opened" });
    expect(seen).toEqual(["open"]);
    vi.advanceTimersByTime(LIMITS.storeRetryMs);
    expect(await keeper.usage.prune(NOW)).toBe(7);
    expect(seen).toEqual(["open", "open"]);
  });

  it("says that an embedded store has died, and opens it again for the next one", async () => {
    const { keeper, seen, die } = keeping("pglite");
    await keeper.usage.prune(NOW);
    die();
    expect(await keeper.status()).toMatchObject({ state: "failed" });
    await expect(keeper.usage.prune(NOW)).rejects.toThrow("dead");
    expect(await keeper.usage.prune(NOW)).toBe(7);
    expect(seen).toEqual(["open", "close", "open"]);
  });

  it("leaves a pool of connections to heal itself", async () => {
    const { keeper, seen, die } = keeping("postgres");
    await keeper.usage.prune(NOW);
    die();
    await expect(keeper.usage.prune(NOW)).rejects.toThrow("dead");
    await expect(keeper.usage.prune(NOW)).rejects.toThrow("dead");
    expect(seen).toEqual(["open"]);
  });

  it("closes what it opened, and opens nothing afterwards", async () => {
    const { keeper, seen } = keeping("pglite");
    keeper.start();
    await keeper.close();
    await expect(keeper.usage.prune(NOW)).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(seen).toEqual(["open", "close"]);
  });
});
