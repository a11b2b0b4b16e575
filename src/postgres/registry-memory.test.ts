import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { name, newScope, sign, succeeded } from "../../test/suites/capability-samples.js";
import { databases } from "../../test/support/databases.js";
import { silentLog } from "../base/log.js";
import { CapabilityRegistry } from "../registry/capability-registry.js";
import type { CapabilityStore } from "../registry/capability-store.js";
import type { ChangeFeed, ChangeListener } from "../registry/change-feed.js";
import type { Scope } from "../registry/scope.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

/** A feed that reports what the test tells it to, at that moment. */
class ToldFeed implements ChangeFeed {
  listener: ChangeListener | undefined;
  behind: Promise<void> | undefined;

  async start(listener: ChangeListener): Promise<void> {
    this.listener = listener;
  }

  fresh(): Promise<void> | undefined {
    return this.behind;
  }

  async stop(): Promise<void> {
    this.listener = undefined;
  }
}

describe("a registry's memory", () => {
  let database: Database;
  let store: CapabilityStore;
  let scope: Scope;
  beforeAll(async () => {
    const opened = await databases()[0]?.open();
    if (opened === undefined) throw new Error("No database");
    database = opened;
    await migrate(database, MIGRATIONS);
  });
  beforeEach(() => {
    store = new PostgresCapabilityStore(database);
    scope = newScope();
  });

  const learnIn = async (into: Pick<CapabilityStore, "learn">, text: string, code: string) =>
    (await into.learn(succeeded(scope, code, { name: name(text), update: true }), sign)).capability;
  const found = async (registry: CapabilityRegistry, text: string) => {
    try {
      const { capability, version } = await registry.find(text, scope);
      return `${capability.displayName}@${version}`;
    } catch (thrown) {
      return (thrown as { code: string }).code;
    }
  };

  it("[ID-6] asks the store for what it does not know", async () => {
    const registry = new CapabilityRegistry({ store, log: silentLog });
    expect(await found(registry, "fs:read")).toBe("CAPABILITY_NOT_FOUND");
    const { fqdn, id } = await learnIn(store, "fs:read", "return 1");
    const label = fqdn.slice(0, fqdn.lastIndexOf("."));
    for (const text of ["fs:read", fqdn, id, label, `acme.${scope.project}:fs:read`]) {
      const other = new CapabilityRegistry({ store, log: silentLog });
      await other.loaded();
      other.directory.remove(fqdn);
      expect(await found(other, text)).toBe("fs:read@1");
    }
    expect(await found(registry, "fs:read")).toBe("fs:read@1");
  });

  it("[ST-4] follows the feed", async () => {
    const feed = new ToldFeed();
    const registry = new CapabilityRegistry({ store, log: silentLog, feed });
    const { fqdn } = await learnIn(store, "fs:read", "return 1");
    expect(await found(registry, "fs:read@latest")).toBe("fs:read@1");
    await learnIn(store, "fs:read", "return 2");
    expect(await found(registry, "fs:read")).toBe("fs:read@1");
    await feed.listener?.capabilitiesChanged([fqdn]);
    expect([await found(registry, "fs:read"), await found(registry, "fs:read@2")]).toEqual([
      "fs:read@2",
      "fs:read@2",
    ]);
    await store.delete({ fqdn, scope, reserveDays: 30 });
    await feed.listener?.capabilitiesChanged([fqdn]);
    expect(await found(registry, "fs:read")).toBe("CAPABILITY_DELETED");
  });

  it("[ST-4] waits for the feed where that is behind", async () => {
    const feed = new ToldFeed();
    const registry = new CapabilityRegistry({ store, log: silentLog, feed });
    const { fqdn } = await learnIn(store, "fs:read", "return 1");
    await registry.loaded();
    await learnIn(store, "fs:read", "return 2");
    feed.behind = Promise.resolve().then(() => feed.listener?.capabilitiesChanged([fqdn]));
    expect(await found(registry, "fs:read")).toBe("fs:read@2");
  });

  it("[ST-4] reads everything again if it is unknown what has changed", async () => {
    const feed = new ToldFeed();
    const registry = new CapabilityRegistry({ store, log: silentLog, feed });
    const kept = await learnIn(registry, "fs:kept", "return 1");
    const gone = await learnIn(registry, "fs:gone", "return 2");
    await registry.loaded();
    await store.delete({ fqdn: gone.fqdn, scope, reserveDays: 0 });
    await store.rename({ fqdn: kept.fqdn, scope, actor: "user", newName: name("fs:renamed") });
    await feed.listener?.allChanged();
    expect(registry.directory.listed(scope).map(({ displayName }) => displayName)).toEqual(["fs:renamed"]);
    expect(await found(registry, "fs:gone")).toBe("CAPABILITY_NOT_FOUND");
  });

  it("keeps what is learnt while the store is being read", async () => {
    let isReading = false;
    const slow = new Proxy(store, {
      get(target, key) {
        const value = Reflect.get(target, key, target) as unknown;
        if (key !== "load") return typeof value === "function" ? value.bind(target) : value;
        return async () => {
          const all = await target.load();
          isReading = true;
          await learnIn(registry, "fs:meanwhile", "return 3");
          return all;
        };
      },
    });
    const registry: CapabilityRegistry = new CapabilityRegistry({ store: slow, log: silentLog });
    await registry.loaded();
    expect(isReading).toBe(true);
    expect(registry.directory.listed(scope).map(({ displayName }) => displayName)).toEqual(["fs:meanwhile"]);
  });

  it("is tried anew by the next who asks where the store failed", async () => {
    let fails = true;
    const flaky = new Proxy(store, {
      get(target, key) {
        const value = Reflect.get(target, key, target) as unknown;
        if (key === "load" && fails) return () => Promise.reject(new Error("away"));
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const registry = new CapabilityRegistry({ store: flaky, log: silentLog });
    await learnIn(store, "fs:read", "return 1");
    await expect(registry.find("fs:read", scope)).rejects.toThrow("away");
    fails = false;
    expect(await found(registry, "fs:read")).toBe("fs:read@1");
  });
});
