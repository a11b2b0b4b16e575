import { beforeEach, describe, expect, it } from "vitest";
import type { CapabilityCacheStore, NewStoredResult } from "../../src/execution/cache/cache-store.js";
import type { SqlValue } from "../../src/postgres/database.js";
import type { Capability } from "../../src/registry/capability.js";
import type { CapabilityStore } from "../../src/registry/capability-store.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import type { Scope } from "../../src/registry/scope.js";
import type { ServerName, ToolId } from "../../src/registry/tool-id.js";
import { name, newScope, sha256, sign, succeeded } from "./capability-samples.js";

export interface OpenedCacheStore {
  readonly store: CapabilityCacheStore;
  /** The store of a second gateway. */
  readonly other: CapabilityCacheStore;
  readonly capabilities: CapabilityStore;
  rows(sql: string, values?: readonly SqlValue[]): Promise<readonly object[]>;
}

const READ = { id: "fs:read" as ToolId, hash: "h1" };

export function describeCacheStore(title: string, open: () => Promise<OpenedCacheStore>): void {
  describe(`CapabilityCacheStore: ${title}`, () => {
    let store: CapabilityCacheStore;
    let other: CapabilityCacheStore;
    let capabilities: CapabilityStore;
    let rows: OpenedCacheStore["rows"];
    let scope: Scope;
    let capability: Capability;
    beforeEach(async () => {
      ({ store, other, capabilities, rows } = await open());
      await rows("delete from capability_cache");
      await rows("delete from cache_invalidation_log");
      scope = newScope();
      capability = await learn("fs:first");
    });

    async function learn(called: string): Promise<Capability> {
      const code = `return "${called} of ${scope.project}";`;
      return (await capabilities.learn(succeeded(scope, code, { name: name(called) }), sign)).capability;
    }

    function result(text: string, more: Partial<NewStoredResult> = {}): NewStoredResult {
      return {
        capabilityId: capability.id,
        scope,
        paramsHash: sha256(text),
        version: 1,
        text: JSON.stringify(text),
        tools: [READ],
        servers: [],
        capabilities: [],
        livesMs: 60_000,
        ageMs: 0,
        maxEntries: 10,
        ...more,
      };
    }

    const found = async (one: NewStoredResult, from = store) => (await from.find(one))?.text;

    it("[EX-14] gives back what was kept, to every gateway, with what it depends on", async () => {
      const one = result("a", { capabilities: [capability.fqdn], tools: [READ, { ...READ, hash: null }] });
      await store.keep([one]);
      const back = await other.find(one);
      expect(back).toMatchObject({ text: '"a"', tools: one.tools, capabilities: [capability.fqdn] });
      expect(back?.livesMs).toBeGreaterThan(0);
      expect(back?.livesMs).toBeLessThanOrEqual(60_000);
    });

    it("[EX-14] keeps text as it was written", async () => {
      const text = '{"b":1,"a":"\\u0000 \\ud800 \\\\u0041 é 𝄞","n":1.0e3,"a2":[]}';
      await store.keep([result("x", { text, tools: [{ id: "fs:\\ \u0000" as ToolId, hash: "h" }] })]);
      expect(await store.find(result("x"))).toMatchObject({
        text,
        tools: [{ id: "fs:\\ \u0000", hash: "h" }],
        capabilities: [],
      });
      expect(await store.invalidate({ trigger: "tool_removed", tool: "fs:\\ \u0000" as ToolId }, 0)).toBe(1);
    });

    it("[EX-14] tells results of org, project, user, capability and parameters apart", async () => {
      const second = await learn("fs:second");
      const one = result("a");
      await store.keep([one]);
      for (const otherOne of [
        result("b"),
        result("a", { capabilityId: second.id }),
        result("a", { scope: { ...scope, user: "bob" } }),
        result("a", { scope: { ...scope, project: "other" } }),
        result("a", { scope: { ...scope, org: "other" } }),
      ])
        expect(await found(otherOne)).toBeUndefined();
      expect(await found(one)).toBe('"a"');
    });

    it("[EX-14] gives nothing whose time is over, and forgets it", async () => {
      await store.keep([result("a", { livesMs: 0 }), result("b")]);
      expect(await found(result("a"))).toBeUndefined();
      await store.prune(new Date(0));
      expect(await rows("select result::text as text from capability_cache")).toEqual([{ text: '"b"' }]);
    });

    it("[EX-14] takes a newer result of the same for the older one, with hits of its own", async () => {
      await store.keep([result("a", { text: "1" })]);
      await store.countHits(new Map([[(await store.find(result("a")))?.id ?? "", 3]]));
      await other.keep([result("a", { text: "2" })]);
      expect(await found(result("a"))).toBe("2");
      expect(await store.totals()).toEqual({ entries: 1, bytes: 1, hits: 0 });
    });

    it("[EX-14] forgets the result of one key, for every gateway", async () => {
      await store.keep([result("a"), result("b")]);
      await store.forget(result("a"));
      expect([await found(result("a"), other), await found(result("b"), other)]).toEqual([undefined, '"b"']);
    });

    it("[EX-14] keeps so many of a capability, whoever they are of, and the newest", async () => {
      for (const text of ["a", "b", "c"]) await store.keep([result(text, { maxEntries: 2 })]);
      await store.keep([result("a", { scope: { ...scope, user: "bob" }, maxEntries: 2 })]);
      expect(await Promise.all(["a", "b", "c"].map((text) => found(result(text))))).toEqual([
        undefined,
        undefined,
        '"c"',
      ]);
      const texts = ["d", "e", "f", "g", "h", "i"];
      await Promise.all(
        texts.map((text, index) => (index % 2 === 0 ? store : other).keep([result(text, { maxEntries: 2 })])),
      );
      expect((await store.totals()).entries).toBe(2);
    });

    it("[EX-14] counts hits", async () => {
      await store.keep([result("a"), result("b")]);
      const ids = await Promise.all(
        ["a", "b"].map(async (text) => (await store.find(result(text)))?.id ?? ""),
      );
      await store.countHits(new Map([[ids[0] ?? "", 2]]));
      await other.countHits(
        new Map([
          [ids[0] ?? "", 1],
          [ids[1] ?? "", 5],
        ]),
      );
      expect((await store.totals()).hits).toBe(8);
    });

    it("[EX-14] drops what depends on a tool, and says why", async () => {
      const loose = result("loose", { tools: [{ ...READ, hash: null }] });
      await store.keep([
        result("a"),
        loose,
        result("b", { tools: [{ ...READ, id: "fs:reader" as ToolId }] }),
      ]);
      expect(await other.invalidate({ trigger: "tool_schema_change", tool: READ.id }, 4)).toBe(5);
      expect(await found(result("a"))).toBeUndefined();
      expect([await found(loose), await found(result("b"))]).toEqual(['"loose"', '"b"']);
      const [logged] = await store.log(10);
      expect(logged).toMatchObject({ trigger: "tool_schema_change", tool: "fs:read", entries: 5 });
      expect(logged?.at).toBeInstanceOf(Date);
      expect(logged?.by).toBeUndefined();
    });

    it("[EX-14] drops what is read from a server when one of its tools is called, and says so", async () => {
      const fs = "fs" as ServerName;
      const read = result("a", { servers: [fs, "db" as ServerName] });
      const kept = result("b", { servers: ["fs2" as ServerName], capabilities: [capability.fqdn] });
      const asked = result("c", { tools: [{ ...READ, id: "fs:write" as ToolId }] });
      await store.keep([read, kept, asked]);
      expect(await store.find(read)).toMatchObject({
        servers: ["fs", "db"],
        tools: [READ],
        capabilities: [],
      });
      expect(await store.find(kept)).toMatchObject({ servers: ["fs2"], capabilities: [capability.fqdn] });
      const called = { trigger: "tool_called", tool: "fs:write" as ToolId } as const;
      expect(await other.invalidate(called, 2)).toBe(3);
      expect(await other.invalidate(called, 0)).toBe(0);
      expect(await other.invalidate({ ...called, again: true }, 0)).toBe(0);
      expect([await found(read), await found(kept), await found(asked)]).toEqual([undefined, '"b"', '"c"']);
      const logged = await store.log(10);
      expect(logged).toMatchObject([{ trigger: "tool_called", tool: "fs:write", entries: 3 }]);
      const ids = logged.map(({ id }) => id);
      expect(await store.droppedElsewhere(ids)).toEqual([]);
    });

    it("[EX-14, ST-4] tells other gateways of calls, whatever was dropped, and not itself", async () => {
      const { rows: on } = await open();
      if (title === "PGlite") await on("set pml.feed = 'on'");
      await on("delete from change_log");
      const tool = 'fs:\\ \u0000 "' as ToolId;
      await store.invalidate({ trigger: "tool_called", tool }, 0);
      await store.invalidate({ trigger: "tool_called", tool, again: true }, 0);
      await store.invalidate({ trigger: "tool_called", tool, again: true }, 1);
      const told = (await on("select id from change_log where kind = 'cache'")) as { id: string }[];
      const ids = told.map(({ id }) => id);
      expect(await store.droppedElsewhere(ids)).toEqual([]);
      const heard = await other.droppedElsewhere(ids);
      expect(heard).toHaveLength(2);
      expect(heard).toContainEqual({ trigger: "tool_called", tool });
      expect(heard).toContainEqual({ trigger: "tool_called", tool, again: true });
      expect(await store.log(10)).toEqual([]);
      if (title === "PGlite") await on("set pml.feed = 'off'");
    });

    it("[EX-14] drops the results of a capability, and of those that called it", async () => {
      const second = await learn("fs:second");
      const third = await learn("fs:third");
      await store.keep([
        result("a"),
        result("b", { capabilityId: second.id, capabilities: [capability.fqdn] }),
        result("c", { capabilityId: third.id, capabilities: [second.fqdn] }),
      ]);
      expect(
        await store.invalidate({ trigger: "manual", capability: capability.fqdn, by: "ada@acme" }, 0),
      ).toBe(2);
      expect(await rows("select result::text as text from capability_cache")).toEqual([{ text: '"c"' }]);
      const logged = await other.log(10);
      expect(logged).toMatchObject([
        { trigger: "manual", capability: capability.fqdn, by: "ada@acme", entries: 2 },
      ]);
      expect(await other.droppedElsewhere([logged[0]?.id ?? ""])).toEqual(logged);
    });

    it("[EX-14] drops everything, newest in the log first", async () => {
      await store.keep([result("a"), result("b")]);
      expect(await store.invalidate({ trigger: "manual", by: "ada@acme" }, 1)).toBe(3);
      expect(await store.invalidate({ trigger: "manual", by: "bob@acme" }, 0)).toBe(0);
      expect((await store.log(10)).map(({ by, entries }) => `${by} ${entries}`)).toEqual([
        "bob@acme 0",
        "ada@acme 3",
      ]);
      expect((await store.log(1)).length).toBe(1);
      await store.prune(new Date(Date.now() + 60_000));
      expect(await store.log(10)).toEqual([]);
    });

    it("[EX-14, ST-4] keeps nothing that was dropped since it was read, whoever dropped it", async () => {
      const second = await learn("fs:second");
      const calling = { capabilityId: second.id, capabilities: [capability.fqdn] };
      const late = async (...results: readonly NewStoredResult[]) => {
        await store.keep(results);
        const texts = await rows("select result::text as text from capability_cache order by id");
        await rows("delete from capability_cache");
        return texts.map((row) => JSON.parse((row as { text: string }).text) as string);
      };
      const ageMs = 60_000;
      await other.invalidate({ trigger: "manual", capability: capability.fqdn, by: "ada@acme" }, 0);
      expect(
        await late(
          result("old", { ageMs }),
          result("new", { ageMs: 0 }),
          result("old caller", { ...calling, ageMs }),
          result("new caller", { ...calling, ageMs: 0 }),
          result("other", { capabilityId: second.id, ageMs }),
        ),
      ).toEqual(["new", "new caller", "other"]);
      await rows("delete from cache_invalidation_log");
      await other.invalidate({ trigger: "tool_schema_change", tool: READ.id }, 1);
      expect(await late(result("old", { ageMs }), result("other", { ageMs, tools: [] }))).toEqual(["other"]);
      await rows("delete from cache_invalidation_log");
      await other.invalidate({ trigger: "tool_called", tool: READ.id }, 1);
      expect(await late(result("read", { ageMs }))).toEqual(["read"]);
      await other.invalidate({ trigger: "manual", by: "ada@acme" }, 0);
      expect(await late(result("old", { ageMs }), result("new"))).toEqual(["new"]);
    });

    it("[EX-14] logs nothing where nobody asked and nothing was dropped", async () => {
      await store.invalidate({ trigger: "tool_removed", tool: READ.id }, 0);
      await store.invalidate({ trigger: "new_version", capability: capability.fqdn }, 0);
      expect(await store.log(10)).toEqual([]);
    });

    it("[EX-14] keeps nothing of what is gone, and all the others", async () => {
      await capabilities.delete({ fqdn: capability.fqdn, scope, reserveDays: 1 });
      const second = await learn("fs:second");
      await store.keep([
        result("a"),
        result("b", { capabilityId: second.id }),
        result("c", { capabilityId: crypto.randomUUID() }),
      ]);
      expect(await rows("select result::text as text from capability_cache")).toEqual([{ text: '"b"' }]);
    });

    it("[EX-14] remembers of which version a person has said how it is cached, and not what an agent said", async () => {
      const policy = async (actor: "user" | "agent", more: object) => {
        const { cachePolicy, cachePersonVersion } = await capabilities.rename({
          fqdn: capability.fqdn as Fqdn,
          scope,
          actor,
          ...more,
        });
        return `${cachePolicy} ${cachePersonVersion}`;
      };
      expect(await policy("agent", { cachePolicy: "persistent" })).toBe("persistent undefined");
      expect(await policy("user", { ttlSeconds: 5 })).toBe("persistent undefined");
      expect(await policy("user", { cachePolicy: "memoize" })).toBe("memoize 1");
      expect(await policy("agent", { tags: ["x"], ttlSeconds: null })).toBe("memoize 1");
      const all = await capabilities.load();
      expect(all.find(({ fqdn }) => fqdn === capability.fqdn)?.cachePersonVersion).toBe(1);
      expect(await policy("agent", { cachePolicy: "persistent" })).toBe("persistent undefined");
    });
  });
}
