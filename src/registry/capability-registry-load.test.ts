import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { silentLog } from "../base/log.js";
import type { Capability } from "./capability.js";
import { CapabilityRegistry } from "./capability-registry.js";
import type { CapabilityStore } from "./capability-store.js";

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
