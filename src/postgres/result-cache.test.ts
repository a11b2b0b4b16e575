/** Tests the caches together, on a real store. */
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { name, newScope, sign, succeeded } from "../../test/suites/capability-samples.js";
import { ended, prepared, type RunSketch, SETTINGS, tool } from "../../test/support/cached-runs.js";
import { databases } from "../../test/support/databases.js";
import { silentLog } from "../base/log.js";
import { sha256Hex } from "../base/sha256.js";
import type { CacheSettings } from "../execution/cache/cache-rules.js";
import { ResultCache } from "../execution/cache/run-cache.js";
import type { KnownTool } from "../execution/ports/tool-box.js";
import type { Capability } from "../registry/capability.js";
import { CapabilityRegistry } from "../registry/capability-registry.js";
import type { Scope } from "../registry/scope.js";
import type { ToolId } from "../registry/tool-id.js";
import { PostgresCacheStore } from "./cache-store.js";
import { PostgresCapabilityStore } from "./capability-store.js";
import type { Database } from "./database.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

const read = tool("fs:read");
const write = tool("fs:write!");
/** The end of a run whose result is not cached, without an error. */
const FORGOTTEN = { warnings: ["not kept"] };

describe("[EX-14] the caches", () => {
  let database: Database;
  let store: PostgresCacheStore;
  let registry: CapabilityRegistry;
  let scope: Scope;
  let capability: Capability;
  let tools: Map<string, KnownTool>;
  let away: Set<string>;
  let now: number;
  let isShared: boolean;
  let cache: ResultCache;
  const gateways: ResultCache[] = [];

  beforeAll(async () => {
    const pglite = databases().find((one) => one.name === "PGlite");
    if (pglite === undefined) throw new Error("There is no PGlite among the databases of tests");
    database = await pglite.open();
    await migrate(database, MIGRATIONS);
  });

  beforeEach(async () => {
    await database.query("delete from capability_cache");
    await database.query("delete from cache_invalidation_log");
    store = new PostgresCacheStore(database);
    registry = new CapabilityRegistry({ store: new PostgresCapabilityStore(database), log: silentLog });
    await registry.loaded();
    scope = newScope();
    now = Date.now();
    tools = new Map([read, write].map((one) => [one.id, one]));
    away = new Set();
    isShared = false;
    capability = await learn("fs:one", "return 1;");
    cache = open();
  });

  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.stop();
  });

  /** Opens a gateway on the store. */
  function open(
    settings: Partial<CacheSettings> = {},
    similarity?: (a: string, b: string) => number,
  ): ResultCache {
    const opened = new ResultCache({
      settings: { ...SETTINGS, home: scope, ...settings },
      store,
      registry,
      log: silentLog,
      toolOf: (id) => tools.get(id),
      isReadOnly: ({ annotations }) => annotations?.readOnlyHint === true,
      isStable: ({ annotations }) => annotations?.openWorldHint === false,
      isAway: (server) => away.has(server),
      isShared,
      similarity,
      now: () => now,
      isSecret: (text) => text.includes("hush"),
    });
    registry.directory.onChange((change) => opened.capabilityChanged(change));
    gateways.push(opened);
    return opened;
  }

  async function learn(called: string, code: string, update = false): Promise<Capability> {
    const learned = await registry.learn(
      succeeded(scope, `${code} // ${scope.project}`, { name: name(called), update }),
      sign,
    );
    return learned.capability;
  }

  const run = (sketch: RunSketch = {}) =>
    prepared({
      codeHash: capability.codeHash,
      tools: [read],
      of: { capability, version: capability.version },
      ...sketch,
    });

  /** Answers as the pipeline does: returns the level of the cache, or `ran`. */
  async function answer(
    sketch: RunSketch = {},
    end: Parameters<typeof ended>[0] = {},
    by = cache,
  ): Promise<string> {
    const one = run(sketch);
    const isFresh = sketch.request?.options?.no_cache === true;
    if (isFresh) by.renew(one, { scope });
    const found = isFresh ? undefined : await by.find(one, { scope });
    if (found !== undefined) return `${found.level} ${found.text}`;
    await by.keep(one, ended(end), { scope });
    return "ran";
  }

  /** The number of stored results, after all writes. */
  async function written(): Promise<number> {
    await cache.stop();
    return (await store.totals()).entries;
  }

  async function log(): Promise<readonly string[]> {
    await cache.stop();
    return (await store.log(10)).map(({ trigger, tool: id, capability: fqdn, entries, by }) =>
      [trigger, id ?? fqdn ?? "all", entries, ...(by === undefined ? [] : [by])].join(" "),
    );
  }

  it("answer from memory what is the same, until its time is over", async () => {
    expect(await answer()).toBe("ran");
    expect(await answer()).toBe("execution 1");
    expect(await answer({ args: { x: 1 } })).toBe("ran");
    now += 299_999;
    expect(await answer()).toBe("execution 1");
    expect(cache.stats()).toMatchObject({ hits: { execution: 2 }, misses: 2, kept: 2, entries: 2 });
  });

  it("[DO-5] keep no result with a secret", async () => {
    expect(await answer({}, { text: '"hush"' })).toBe("ran");
    expect(await answer()).toBe("ran");
    expect(await answer()).toBe("execution 1");
  });

  it("answer from the store after memory has forgotten, and on another gateway, and count that there", async () => {
    await answer();
    expect(await written()).toBe(1);
    now += 300_000;
    expect(await answer()).toBe("capability 1");
    expect(await answer()).toBe("execution 1");
    expect(await answer({}, {}, open())).toBe("capability 1");
    await cache.stop();
    expect((await store.totals()).hits).toBe(1);
  });

  describe("of tools that are not stable", () => {
    const volatile = { tools: [tool("fs:list?")] };
    beforeEach(() => {
      tools.set("fs:list", tool("fs:list?"));
    });

    it("answer for five seconds since the run began, in memory and in the store, and for an intent", async () => {
      cache = open({ intent: true });
      const asked = { ...volatile, request: { intent: "list it", args: {} } };
      const one = run(asked);
      await cache.find(one, { scope });
      now += 3_000;
      await cache.keep(one, ended(), { scope });
      expect(await written()).toBe(1);
      now += 1_999;
      expect(await answer(asked)).toBe("execution 1");
      expect(await cache.findByIntent("list it", {}, scope)).toMatchObject({ level: "intent" });
      await database.query("update capability_cache set expires_at = expires_at - interval '2 seconds'");
      expect((await store.totals()).entries).toBe(0);
      now += 1;
      expect(await answer(asked, FORGOTTEN)).toBe("ran");
      expect(await cache.findByIntent("list it", {}, scope)).toBeUndefined();
    });

    it("do so too with one stable tool beside them", async () => {
      const both = { tools: [read, tool("fs:list?")] };
      await answer(both);
      now += 5_000;
      expect(await answer(both, FORGOTTEN)).toBe("ran");
    });

    it.each<[string, Partial<CacheSettings>]>([
      ["a ttl", { capabilities: new Map([["fs:one", { ttl_seconds: 60 }]]) }],
      ["cacheable", { capabilities: new Map([["fs:one", { cacheable: true }]]) }],
      ["cache.executionSeconds", { volatile: { executionMs: 60_000, capabilityMs: 5_000 } }],
    ])("live longer where a person says so: %s", async (_, settings) => {
      cache = open(settings);
      await answer(volatile);
      now += 59_999;
      expect(await answer(volatile)).toBe("execution 1");
    });

    it("live longer where the capability's policy says so", async () => {
      capability = await registry.rename({ fqdn: capability.fqdn, scope, actor: "agent", ttlSeconds: 60 });
      await answer(volatile);
      now += 59_999;
      expect(await answer(volatile)).toBe("execution 1");
    });
  });

  describe("when a run is to be fresh", () => {
    const fresh = { request: { intent: "see", args: {}, options: { no_cache: true } } };

    it("keep its result in the place of the older one", async () => {
      await answer();
      await written();
      expect(await answer(fresh, { text: "2" })).toBe("ran");
      expect(await answer()).toBe("execution 2");
      await written();
      expect(await answer({}, {}, open())).toBe("capability 2");
    });

    it("drop the older one where there is nothing to keep in its place", async () => {
      for (const end of [FORGOTTEN, { error: "broken" }]) {
        await answer();
        await written();
        expect(await answer(fresh, end)).toBe("ran");
        expect(await answer({}, FORGOTTEN)).toBe("ran");
        expect(await answer({}, FORGOTTEN, open())).toBe("ran");
      }
    });

    it("keep it although a run that began before ends later", async () => {
      const early = run();
      await cache.find(early, { scope });
      now += 1;
      await answer(fresh, { text: "2" });
      await cache.keep(early, ended(), { scope });
      expect(await answer()).toBe("execution 2");
    });

    it("forget what it gave for an intent", async () => {
      cache = open({ intent: true });
      await answer({ request: { intent: "see it", args: {} } });
      await answer(fresh, FORGOTTEN);
      expect(await cache.findByIntent("see it", {}, scope)).toBeUndefined();
    });
  });

  it("never answer code that is not a capability yet: its success is to be learnt", async () => {
    const sketch = { of: undefined } as unknown as RunSketch;
    expect(await answer(sketch)).toBe("ran");
    expect(await answer(sketch)).toBe("ran");
    expect(await answer()).toBe("execution 1");
    expect(await written()).toBe(1);
  });

  it("serve nothing when a tool is another object, is gone, no longer only reads, or its server is away", async () => {
    await answer();
    const hidden = { tools: [] };
    await answer(hidden, { called: ["fs:read"] });
    expect(await answer(hidden)).toBe("execution 1");
    away.add("fs");
    expect([await answer(hidden, FORGOTTEN), await answer({}, FORGOTTEN)]).toEqual(["ran", "ran"]);
    away.clear();
    expect([await answer(hidden), await answer()]).toEqual(["execution 1", "execution 1"]);
    for (const changed of [
      undefined,
      tool("fs:read", { hash: "h2" }),
      tool("fs:read", { annotations: {} }),
    ]) {
      if (changed === undefined) tools.delete("fs:read");
      else tools.set("fs:read", changed);
      expect(await answer(hidden, FORGOTTEN)).toBe("ran");
    }
    tools.set("fs:read", read);
    expect(await answer(hidden)).toBe("execution 1");
  });

  it("keep nothing of what changes things, unless a person said so of this version", async () => {
    const writes = { tools: [write] };
    const rename = async (actor: "user" | "agent") => {
      const cachePolicy = "persistent" as const;
      capability = await registry.rename({ fqdn: capability.fqdn, scope, actor, cachePolicy });
    };
    expect([await answer(writes), await answer(writes)]).toEqual(["ran", "ran"]);
    await rename("agent");
    expect([await answer(writes), await answer(writes)]).toEqual(["ran", "ran"]);
    expect(await written()).toBe(0);
    await rename("user");
    expect([await answer(writes), await answer(writes)]).toEqual(["ran", "execution 1"]);
    capability = await learn("fs:one", "return 2;", true);
    expect([await answer(writes), await answer(writes)]).toEqual(["ran", "ran"]);
  });

  it("go by the configuration of a capability", async () => {
    const writes = { tools: [write] };
    const asked = open({ capabilities: new Map([["fs:one", { cacheable: true, ttl_seconds: 10 }]]) });
    expect([await answer(writes, {}, asked), await answer(writes, {}, asked)]).toEqual([
      "ran",
      "execution 1",
    ]);
    await asked.stop();
    now += 10_000;
    expect(await answer(writes, FORGOTTEN, asked)).toBe("capability 1");
    const loose = open({ capabilities: new Map([["fs:one", { invalidate_on: ["manual_only"] }]]) });
    await answer({ args: { x: 1 } }, {}, loose);
    await loose.stop();
    const changed = tool("fs:read", { hash: "h2" });
    tools.set("fs:read", changed);
    const again = { args: { x: 1 }, tools: [changed] };
    loose.toolChanged(read.id, "tool_schema_change");
    expect(await answer(again, {}, loose)).toBe("capability 1");
    expect(await answer(again)).toBe("ran");
  });

  it("drop what a tool had a part in, and say so", async () => {
    await answer();
    await answer({ args: { x: 1 } });
    await answer({ tools: [], args: { x: 2 } });
    await written();
    cache.toolChanged("fs:read" as ToolId, "tool_schema_change");
    expect(cache.stats().entries).toBe(1);
    cache.toolChanged("fs:read" as ToolId, "tool_removed");
    expect(await log()).toEqual(["tool_schema_change fs:read 4"]);
    expect(await answer({ tools: [], args: { x: 2 } })).toBe("execution 1");
    expect(await answer()).toBe("ran");
  });

  it("drop the results of a capability after three failures in a row, and not before", async () => {
    const fails = { args: { bad: true } };
    await answer();
    const fail = () => answer(fails, { error: "broken" });
    await fail();
    await fail();
    await answer({ args: { good: true } });
    await fail();
    await fail();
    expect(await answer()).toBe("execution 1");
    expect(await written()).toBe(2);
    await fail();
    expect(cache.stats().entries).toBe(0);
    expect(await log()).toEqual([`repeated_failures ${capability.fqdn} 4`]);
    expect(await answer()).toBe("ran");
  });

  it("drop them when its record says that it is suspect, has a new version or another policy, or is gone", async () => {
    const triggers = [];
    const steps: readonly (() => Promise<unknown> | unknown)[] = [
      () => registry.directory.put({ ...capability, trust: "suspect" }),
      () => registry.rename({ fqdn: capability.fqdn, scope, actor: "agent", ttlSeconds: 60 }),
      () => learn("fs:one", "return 2;", true),
      () => registry.delete({ fqdn: capability.fqdn, scope, reserveDays: 1 }),
    ];
    for (const step of steps) {
      capability = registry.directory.get(capability.fqdn) ?? capability;
      await answer();
      await step();
      expect(cache.stats().entries).toBe(0);
      triggers.push((await log())[0]?.split(" ")[0]);
    }
    expect(triggers).toEqual(["repeated_failures", "policy_change", "new_version", "capability_deleted"]);
  });

  it("drop what a person names, also what was kept before it was a capability, and what called it", async () => {
    await answer({ of: undefined } as unknown as RunSketch);
    const caller = await learn("fs:caller", "return 3;");
    const unit = { ref: capability.fqdn, version: 1, codeHash: capability.codeHash };
    await answer({ codeHash: "c3", units: [unit], of: { capability: caller, version: 1 } });
    await answer({ codeHash: "c4", of: undefined } as unknown as RunSketch);
    await written();
    expect(await cache.invalidate({ trigger: "manual", capability: capability.fqdn, by: "ada@acme" })).toBe(
      3,
    );
    expect(await log()).toEqual([`manual ${capability.fqdn} 3 ada@acme`]);
    expect(cache.stats()).toMatchObject({ entries: 1, invalidations: 1 });
    expect(await cache.invalidate({ trigger: "manual", by: "ada@acme" })).toBe(1);
  });

  it("keep nothing of a run that was under way when it was dropped", async () => {
    const one = run();
    expect(await cache.find(one, { scope })).toBeUndefined();
    await cache.invalidate({ trigger: "manual", by: "ada@acme" });
    await cache.keep(one, ended(), { scope });
    expect(await answer()).toBe("ran");
    expect(await answer()).toBe("execution 1");
  });

  it("serve nothing from the store that is being dropped, and write nothing that was", async () => {
    await answer();
    await written();
    await answer({ args: { x: 1 } });
    const dropped = cache.invalidate({ trigger: "manual", by: "ada@acme" });
    expect(await answer({}, FORGOTTEN)).toBe("ran");
    await dropped;
    expect(await written()).toBe(0);
  });

  it("read nothing from the store before it has been told what to drop", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const order: string[] = [];
    class SlowStore extends PostgresCacheStore {
      override async invalidate(...given: Parameters<PostgresCacheStore["invalidate"]>): Promise<number> {
        await gate;
        order.push("dropped");
        return super.invalidate(...given);
      }

      override find(
        ...given: Parameters<PostgresCacheStore["find"]>
      ): ReturnType<PostgresCacheStore["find"]> {
        order.push("read");
        return super.find(...given);
      }
    }
    store = new SlowStore(database);
    const slow = open();
    expect(await answer({}, {}, slow)).toBe("ran");
    await slow.stop();
    order.length = 0;
    const dropped = slow.invalidate({ trigger: "manual", by: "ada@acme" });
    const asked = answer({}, FORGOTTEN, slow);
    // Takes longer than a run that does not wait needs to compute its key.
    for (let i = 0; i < 20; i += 1) await sha256Hex(String(i));
    release();
    expect(await asked).toBe("ran");
    await dropped;
    expect(order).toEqual(["dropped", "read"]);
  });

  it("drop here what was dropped elsewhere, and everything if that is unknown", async () => {
    const other = open();
    await answer({}, {}, other);
    await answer({ tools: [] }, {}, other);
    await cache.invalidate({ trigger: "manual", tool: read.id, by: "ada@acme" });
    const ids = (await store.log(1)).map(({ id }) => id);
    await other.droppedElsewhere(ids);
    expect(other.stats().entries).toBe(1);
    await other.droppedElsewhere(undefined);
    expect(other.stats().entries).toBe(0);
  });

  it("do without the store", async () => {
    const broken = new PostgresCacheStore({
      ...database,
      query: () => Promise.reject(new Error("away")),
      transaction: () => Promise.reject(new Error("away")),
    });
    store = broken;
    const alone = open();
    expect([await answer({}, {}, alone), await answer({}, {}, alone)]).toEqual(["ran", "execution 1"]);
    alone.toolChanged(read.id, "tool_removed");
    expect(await answer({}, {}, alone)).toBe("ran");
    await alone.stop();
  });

  it("are right when many ask at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        answer({ args: { x: index % 5 } }, { text: String(index % 5) }),
      ),
    );
    expect(new Set(answers)).toEqual(new Set(["ran"]));
    for (let x = 0; x < 5; x += 1) expect(await answer({ args: { x } })).toBe(`execution ${x}`);
    expect(await written()).toBe(5);
  });

  it("keep nothing of a run that was not looked for: it may have begun before anything", async () => {
    await cache.keep(run(), ended(), { scope });
    expect(await answer()).toBe("ran");
  });

  describe("when a tool is called that may change something", () => {
    const far = { tools: [tool("db:read")], args: { x: 1 } };
    const near = { tools: [read, tool("db:read")], args: { x: 2 } };
    const pure = { tools: [], args: { x: 3 } };
    const call = (by = cache) => by.toolCalled(write.id)();
    beforeEach(() => {
      tools.set("db:read", tool("db:read"));
    });

    it("serve nothing that is read from its server, from memory or the store, and all else", async () => {
      for (const one of [{}, far, near, pure]) await answer(one);
      await written();
      call();
      expect([await answer({}, FORGOTTEN), await answer(near, FORGOTTEN)]).toEqual(["ran", "ran"]);
      expect([await answer(far), await answer(pure)]).toEqual(["execution 1", "execution 1"]);
      expect(await log()).toEqual(["tool_called fs:write 4"]);
      call();
      call();
      expect(await log()).toEqual(["tool_called fs:write 4"]);
      expect(cache.stats()).toMatchObject({ entries: 2, invalidations: 1 });
      expect(await answer({}, {}, open())).toBe("ran");
    });

    it("serve nothing for an intent", async () => {
      cache = open({ intent: true });
      const asked = { request: { intent: "see it", args: {} } };
      await answer(asked);
      expect(await cache.findByIntent("see it", {}, scope)).toMatchObject({ level: "intent" });
      call();
      expect(await cache.findByIntent("see it", {}, scope)).toBeUndefined();
    });

    it("keep nothing of a run that began before the call has ended, whenever the run ends", async () => {
      const begin = async (x: number) => {
        const one = run({ args: { x } });
        await cache.find(one, { scope });
        return () => cache.keep(one, ended(), { scope });
      };
      const before = await begin(1);
      const early = await begin(2);
      const hasEnded = cache.toolCalled(write.id);
      const another = cache.toolCalled(write.id);
      const within = await begin(3);
      const late = await begin(4);
      await early();
      await within();
      another();
      expect(cache.stats().entries).toBe(0);
      hasEnded();
      await before();
      await late();
      expect([cache.stats().entries, await written()]).toEqual([0, 0]);
      await (await begin(5))();
      expect(await answer({ args: { x: 5 } })).toBe("execution 1");
    });

    it("tell the store once for many calls, and not at all where it has nothing of the server", async () => {
      let told = 0;
      class CountingStore extends PostgresCacheStore {
        override invalidate(...given: Parameters<PostgresCacheStore["invalidate"]>): Promise<number> {
          told += 1;
          return super.invalidate(...given);
        }
      }
      store = new CountingStore(database);
      cache = open();
      const many = async () => {
        for (let i = 0; i < 100; i += 1) call();
        await cache.stop();
        return told;
      };
      expect([await many(), await many()]).toEqual([1, 1]);
      await answer(far);
      expect(await many()).toBe(1);
      await answer();
      expect(await many()).toBe(2);
      isShared = true;
      cache = open();
      expect([await many(), await many()]).toEqual([3, 4]);
    });

    it("serve nothing from a store that could not be told, and tell it the next time", async () => {
      let isBroken = true;
      class BrokenStore extends PostgresCacheStore {
        override invalidate(...given: Parameters<PostgresCacheStore["invalidate"]>): Promise<number> {
          return isBroken ? Promise.reject(new Error("away")) : super.invalidate(...given);
        }
      }
      store = new BrokenStore(database);
      cache = open();
      await answer();
      await written();
      call();
      await cache.stop();
      expect([await answer({}, FORGOTTEN), (await store.totals()).entries]).toEqual(["ran", 1]);
      isBroken = false;
      expect(await written()).toBe(0);
      expect(await log()).toEqual(["tool_called fs:write 2"]);
    });

    it("leave what a person wants whatever changes", async () => {
      const writes = { tools: [read, write], args: { x: 1 } };
      cache = open({ capabilities: new Map([["fs:one", { cacheable: true }]]) });
      const one = run(writes);
      await cache.find(one, { scope });
      call();
      await cache.keep(one, ended(), { scope });
      await answer();
      call();
      expect([await answer(writes), await answer({}, FORGOTTEN)]).toEqual(["execution 1", "ran"]);
      cache = open({ capabilities: new Map([["fs:one", { invalidate_on: ["manual_only"] }]]) });
      await answer(near);
      call();
      expect(await answer(near)).toBe("execution 1");
    });

    it("[ST-4] reach other gateways, which drop what they wrote before they heard of it, once", async () => {
      // As on a shared store: the store of these tests has a single gateway.
      await database.query("set pml.feed = 'on'");
      await database.query("delete from change_log");
      const told = async () =>
        (
          await database.query<{ id: string }>("select id from change_log where kind = 'cache' order by id")
        ).rows.map(({ id }) => id);
      isShared = true;
      const here = open();
      store = new PostgresCacheStore(database);
      const there = open();
      await answer({}, {}, there);
      await answer(far, {}, there);
      call(here);
      await here.stop();
      expect(await answer(near, {}, here)).toBe("ran");
      await there.stop();
      await here.stop();
      const [first = "", ...none] = await told();
      expect(none).toEqual([]);
      await here.droppedElsewhere([first]);
      expect(here.stats().entries).toBe(1);
      await there.droppedElsewhere([first]);
      expect(there.stats().entries).toBe(1);
      await there.stop();
      expect((await store.totals()).entries).toBe(1);
      const again = (await told()).filter((id) => id !== first);
      expect(again).toHaveLength(1);
      await answer({ args: { x: 4 } }, {}, here);
      await here.stop();
      await here.droppedElsewhere(again);
      expect(here.stats().entries).toBe(0);
      await here.stop();
      expect((await store.totals()).entries).toBe(2);
      expect(await told()).toHaveLength(2);
      expect(await log()).toEqual([]);
      await database.query("set pml.feed = 'off'");
    });
  });

  describe("for an intent that is alike", () => {
    /** Two texts are as similar as they share words. */
    const similarity = (one: string, other: string) => {
      const words = new Set(other.split(" "));
      const own = one.split(" ");
      return own.filter((word) => words.has(word)).length / Math.max(own.length, words.size);
    };
    const twenty = "one two three four five six seven eight nine ten a b c d e f g h i j";
    const sketch = { request: { intent: twenty, args: { x: 1 } }, args: { x: 1, y: "default" } };
    const ask = async (intent: string, args = { x: 1 }, who = scope) => {
      const hit = await cache.findByIntent(intent, args, who);
      return hit === undefined ? "nothing" : `${hit.level} ${hit.text} ${hit.capability.displayName}`;
    };

    it("answer with what the capability gave, and say so", async () => {
      cache = open({ intent: true }, similarity);
      await answer(sketch);
      expect(await ask(twenty)).toBe("intent 1 fs:one");
      expect(await ask(`${twenty} k`)).toBe("intent 1 fs:one");
      expect(await ask(twenty.replace("ten", "TEN"))).toBe("nothing");
      expect(await ask(twenty, { x: 2 })).toBe("nothing");
      expect(await ask(twenty, { x: 1 }, { ...scope, user: "bob" })).toBe("nothing");
      expect(cache.stats().hits.intent).toBe(2);
      now += 3_599_999;
      expect(await ask(twenty)).toBe("intent 1 fs:one");
      now += 1;
      expect(await ask(twenty)).toBe("nothing");
    });

    it("are off unless configured, and for code that was sent", async () => {
      await answer(sketch);
      expect(await ask(twenty)).toBe("nothing");
      cache = open({ intent: true }, similarity);
      await answer({ ...sketch, args: { x: 9 }, request: { ...sketch.request, code: "return 1;" } });
      expect(await ask(twenty)).toBe("nothing");
    });

    it("go by what has become of the capability and its tools", async () => {
      cache = open({ intent: true }, similarity);
      await answer(sketch);
      tools.delete("fs:read");
      expect(await ask(twenty)).toBe("nothing");
      tools.set("fs:read", read);
      expect(await ask(twenty)).toBe("intent 1 fs:one");
      await registry.rename({ fqdn: capability.fqdn, scope, actor: "agent", cachePolicy: "none" });
      expect(await ask(twenty)).toBe("nothing");
    });
  });
});
