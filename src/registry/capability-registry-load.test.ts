import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { LIMITS } from "../base/limits.js";
import { silentLog } from "../base/log.js";
import type { Capability } from "./capability.js";
import { CapabilityRegistry } from "./capability-registry.js";
import type { CapabilityStore } from "./capability-store.js";
import type { ChangeFeed } from "./change-feed.js";

/** A store whose answer comes when the test says so. */
function slowStore() {
  const answer = promiseOf<readonly Capability[]>();
  const asked = promiseOf<void>();
  const store: Partial<CapabilityStore> = {
    load: () => {
      asked.resolve();
      return answer.promise;
    },
  };
  return { store: store as CapabilityStore, asked: asked.promise, answer: answer.resolve };
}

function promiseOf<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe("[ST-3, SC-3] a store with other gateways that is away at the start", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is read and followed when it is there, though nobody asks for a capability", async () => {
    const load = vi.fn<CapabilityStore["load"]>(async () => []);
    const feed = {
      start: vi.fn<ChangeFeed["start"]>().mockRejectedValueOnce(new Error("away")).mockResolvedValue(),
      fresh: () => undefined,
      stop: async () => {},
    };
    load.mockRejectedValueOnce(new Error("away"));
    const registry = new CapabilityRegistry({ store: { load } as never, log: silentLog, feed });
    await expect(registry.loaded()).rejects.toThrow("away");
    await vi.advanceTimersByTimeAsync(2 * LIMITS.storeRetryMs);
    expect([feed.start.mock.calls.length, load.mock.calls.length]).toEqual([2, 2]);
    await vi.advanceTimersByTimeAsync(2 * LIMITS.storeRetryMs);
    expect(load.mock.calls.length).toBe(2);
    await registry.stop();
  });

  it("is not asked any more by a gateway that has ended", async () => {
    const start = vi.fn<ChangeFeed["start"]>().mockRejectedValue(new Error("away"));
    const feed = { start, fresh: () => undefined, stop: async () => {} };
    const registry = new CapabilityRegistry({ store: {} as never, log: silentLog, feed });
    await expect(registry.loaded()).rejects.toThrow("away");
    await registry.stop();
    await vi.advanceTimersByTimeAsync(3 * LIMITS.storeRetryMs);
    expect(start).toHaveBeenCalledTimes(1);
  });
});

describe("reading the store", () => {
  const namesOf = ({ directory }: CapabilityRegistry) =>
    new Set(Array.from(directory.all(), ({ displayName }) => `${displayName}`));

  it("forgets what the store does not have any more, and keeps what came in while it was read", async () => {
    const { store, asked, answer } = slowStore();
    const named = [sampleCapability("fs:gone"), sampleCapability("fs:there")];
    const registry = new CapabilityRegistry({ store, log: silentLog, named });
    const loaded = registry.loaded();
    await asked;
    registry.directory.put(sampleCapability("fs:learnt"));
    answer([sampleCapability("fs:there"), sampleCapability("fs:more")]);
    await loaded;
    expect(namesOf(registry)).toEqual(new Set(["fs:learnt", "fs:more", "fs:there"]));
  });

  it("lets others have a turn while many are taken over", async () => {
    const { store, answer } = slowStore();
    const registry = new CapabilityRegistry({ store, log: silentLog });
    const loaded = registry.loaded();
    const many = Array.from({ length: 5_000 }, (_, index) => sampleCapability(`fs:n${index}`));
    answer(many);
    const seen: number[] = [];
    const look = () => {
      seen.push(registry.directory.size);
      if (registry.directory.size < many.length) setImmediate(look);
    };
    setImmediate(look);
    await loaded;
    expect(registry.directory.size).toBe(many.length);
    expect(seen.some((size) => size > 0 && size < many.length)).toBe(true);
  });
});
