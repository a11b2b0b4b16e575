import { beforeEach, describe, expect, it } from "vitest";
import type { CapabilityStore, NewCapability } from "../../src/registry/capability-store.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import type { RunSaving, Saved, SavingsStore } from "../../src/registry/savings.js";
import type { Scope } from "../../src/registry/scope.js";
import { name, newScope, sign, succeeded, use } from "./capability-samples.js";

/** Two connections to the same tables, like two gateways. */
export interface OpenedSavings {
  readonly savings: SavingsStore;
  readonly store: CapabilityStore;
  readonly other: CapabilityStore;
}

const at = (day: string) => new Date(`${day}T23:59:59.999Z`);
const TODAY = "2026-11-17";

/** `runs measured+estimated ms`. */
const text = ({ runs, tokensMeasured, tokensEstimated, ms }: Saved) =>
  `${runs} ${tokensMeasured}+${tokensEstimated} ${ms}`;

export function describeSavingsStore(title: string, open: () => Promise<OpenedSavings>): void {
  describe(`SavingsStore: ${title}`, () => {
    let savings: SavingsStore;
    let store: CapabilityStore;
    let other: CapabilityStore;
    let scope: Scope;
    beforeEach(async () => {
      ({ savings, store, other } = await open());
      scope = newScope();
    });

    /** A cold run of 10 ms, with 40 tokens of results that were not in its answer. */
    const learn = async (called: string, code: string, more: Partial<NewCapability> = {}) => {
      const fresh = succeeded(scope, code, {
        name: name(called),
        cold: { programMs: 10, resultTokens: 40 },
        ...more,
      });
      return (await store.learn(fresh, sign)).capability.fqdn;
    };
    const warm = (fqdn: Fqdn, more: Partial<RunSaving> = {}, version = 1) => ({
      ...use(scope, fqdn, version),
      saved: { at: at(TODAY), durationMs: 4, sentTokens: 5, resultTokens: 30, ...more },
    });
    const count = (fqdn: Fqdn, tokens: number, version = 1) =>
      savings.keepCounts([{ fqdn, version, tokens }]);
    const total = async (of = scope, since?: string) => text(await savings.total(of, since));
    const byCapability = async (of = scope, most = 10) =>
      (await savings.byCapability(of, most)).map(
        (one) => `${one.name}${one.isDeleted ? "!" : ""} ${text(one)}`,
      );
    const byDay = async () => (await savings.byDay(scope)).map((one) => `${one.day} ${text(one)}`);

    it("[LP-6] has nothing of a cold run, nor of a run that says nothing", async () => {
      const fqdn = await learn("fs:read", "return 1");
      await store.addUses([use(scope, fqdn)]);
      await store.addServed([{ fqdn, version: 1 }]);
      expect(await total()).toBe("0 0+0 0");
      expect([await byDay(), await byCapability()]).toEqual([[], []]);
    });

    it("[LP-6] counts code without what was sent, results, and the time that the cold run took longer", async () => {
      const fqdn = await learn("fs:read", "return 1");
      await store.addUses([warm(fqdn), warm(fqdn, { sentTokens: 6, resultTokens: 0, durationMs: 12 })]);
      await count(fqdn, 100);
      expect(await total()).toBe("2 189+30 6");
      expect(text(await savings.of(fqdn))).toBe("2 189+30 6");
      expect(await byDay()).toEqual([`${TODAY} 2 189+30 6`]);
      expect(await byCapability()).toEqual(["fs:read 2 189+30 6"]);
    });

    it("[LP-6] an answer from a cache saved the results of the cold run, and no code where that was sent", async () => {
      const fqdn = await learn("fs:read", "return 1");
      await count(fqdn, 100);
      const saved = { at: at(TODAY), durationMs: 1 };
      await store.addServed([{ fqdn, version: 1, saved: { ...saved, sentTokens: 5 } }]);
      expect(await total()).toBe("1 95+40 9");
      await store.addServed([{ fqdn, version: 1, saved }]);
      expect(await total()).toBe("2 95+80 18");
    });

    it("[LP-6] a run whose time is not known, or of a version that no run created, saves no time", async () => {
      const { capability } = await store.learn(
        succeeded(scope, "return 2", { name: name("fs:saved") }),
        sign,
      );
      const fqdn = await learn("fs:read", "return 1");
      const { durationMs: _, ...unknown } = warm(fqdn).saved;
      await store.addUses([warm(capability.fqdn), { ...use(scope, fqdn), saved: unknown }]);
      expect((await savings.total(scope)).ms).toBe(0);
      await store.addServed([{ fqdn: capability.fqdn, version: 1, saved: { at: at(TODAY), durationMs: 1 } }]);
      expect((await savings.of(capability.fqdn)).tokensEstimated).toBe(30);
    });

    it("[LP-6] arguments longer than the code save no code, and take nothing from other runs", async () => {
      const fqdn = await learn("fs:read", "return 1");
      await count(fqdn, 100);
      await store.addUses([warm(fqdn, { sentTokens: 100_000 }), warm(fqdn)]);
      expect(await total()).toBe("2 95+60 12");
    });

    it("[LP-6] estimates code until it is counted, and offers it to be counted", async () => {
      const code = `return ${"1 + ".repeat(100)}\0 "\ud800";`;
      const fqdn = await learn("fs:read", code);
      await store.addUses([warm(fqdn)]);
      const estimated = await savings.total(scope);
      expect(estimated.tokensMeasured).toBe(0);
      expect(estimated.tokensEstimated).toBeGreaterThan(60);
      const mine = async () => {
        const all = (await savings.uncounted()).filter((one) => one.fqdn === fqdn);
        expect(await savings.uncounted(fqdn)).toEqual(all);
        return all;
      };
      expect(await mine()).toEqual([{ fqdn, version: 1, text: code }]);
      await count(fqdn, 200);
      await count(fqdn, 999);
      expect(await mine()).toEqual([]);
      expect(await total()).toBe("1 195+30 6");
    });

    it("[LP-6] a graph of tasks is what would have been sent; a tool under another name was never sent", async () => {
      const dag = { tasks: [{ id: "a", tool: "fs:read" }] };
      const graph = await learn("fs:dag", "return 1", { source: "dag", definition: dag });
      const tool = await learn("fs:tool", "return 2", { source: "tool", definition: { tool: "fs:read" } });
      await store.addUses([warm(graph), warm(tool)]);
      const texts = [...(await savings.uncounted(graph)), ...(await savings.uncounted(tool))];
      expect(texts.map((one) => one.text)).toEqual([JSON.stringify(dag), ""]);
    });

    it("[LP-6] each version has its own code and cold run, and they add up", async () => {
      const fqdn = await learn("fs:read", "return 1");
      await learn("fs:read", "return 2", { update: true, cold: { programMs: 1_004.4, resultTokens: 40 } });
      await count(fqdn, 100);
      await count(fqdn, 1_000, 2);
      await store.addUses([warm(fqdn), warm(fqdn, {}, 2), warm(fqdn, {}, 9)]);
      expect(await total()).toBe("2 1090+60 1006");
    });

    it("[LP-6] a run is counted once, whoever writes it again", async () => {
      const fqdn = await learn("fs:read", "return 1");
      await count(fqdn, 100);
      const use = warm(fqdn);
      await store.addUses([use]);
      await other.addUses([use, warm(fqdn)]);
      expect(await total()).toBe("2 190+60 12");
    });

    it("[LP-6] adds up whatever two gateways write at the same time", async () => {
      const fqdns = [await learn("a:a", "return 1"), await learn("b:b", "return 2")];
      for (const fqdn of fqdns) await count(fqdn, 100);
      const batches = Array.from({ length: 40 }, (_, i) => {
        const order = i % 2 === 0 ? fqdns : fqdns.toReversed();
        return order.flatMap((fqdn) => [warm(fqdn), warm(fqdn, { at: at("2026-11-16") })]);
      });
      await Promise.all(
        batches.map((batch, i) =>
          i % 4 === 3
            ? (i % 8 === 3 ? store : other).addServed(batch)
            : (i % 2 === 0 ? store : other).addUses(batch),
        ),
      );
      expect(await total()).toBe("160 15200+4800 960");
      expect(await byDay()).toEqual(["2026-11-17 80 7600+2400 480", "2026-11-16 80 7600+2400 480"]);
    });

    it("[LP-6] a rename keeps the sums, and so does deleting", async () => {
      const fqdn = await learn("fs:read", "return 1");
      await count(fqdn, 100);
      await store.addUses([warm(fqdn)]);
      await store.rename({ fqdn, scope, actor: "user", newName: name("fs:load") });
      expect(await byCapability()).toEqual(["fs:load 1 95+30 6"]);
      await store.delete({ fqdn, scope, reserveDays: 30 });
      expect(await byCapability()).toEqual(["fs:load! 1 95+30 6"]);
      expect(await total()).toBe("1 95+30 6");
    });

    it("[LP-6] shows nobody what they may not see, in no sum", async () => {
      const fqdn = await learn("fs:read", "return 1");
      await store.rename({ fqdn, scope, actor: "user", visibility: "private" });
      await store.addUses([warm(fqdn)]);
      const bob = { ...scope, user: "bob" };
      expect([await total(bob), await byCapability(bob), await savings.byDay(bob)]).toEqual([
        "0 0+0 0",
        [],
        [],
      ]);
      expect(await total({ ...scope, project: "another" })).toBe("0 0+0 0");
      expect((await savings.total(scope)).runs).toBe(1);
    });

    it("[LP-6] shows most tokens first, so many, and since a day", async () => {
      const small = await learn("a:small", "return 1");
      const large = await learn("b:large", "return 2");
      await count(small, 100);
      await count(large, 1_000);
      await store.addUses([warm(small), warm(large, { at: at("2026-11-10") })]);
      expect(await byCapability()).toEqual(["b:large 1 995+30 6", "a:small 1 95+30 6"]);
      expect(await byCapability(scope, 1)).toEqual(["b:large 1 995+30 6"]);
      expect(await total(scope, "2026-11-11")).toBe("1 95+30 6");
      expect((await savings.byCapability(scope, 9, "2026-11-11")).map((one) => one.name)).toEqual([
        "a:small",
      ]);
      expect(await total(scope, "2026-11-10")).toBe("2 1090+60 12");
    });

    it("[LP-6] folds old days together: sums stay, and days that are told apart are few", async () => {
      const fqdn = await learn("fs:read", "return 1");
      await count(fqdn, 100);
      const days = ["2026-08-01", "2026-08-02", "2026-08-03", TODAY];
      await store.addUses(days.map((day) => warm(fqdn, { at: at(day) })));
      expect(await savings.fold("2026-08-03")).toBe(2);
      expect(await byDay()).toEqual([`${TODAY} 1 95+30 6`, "2026-08-03 1 95+30 6"]);
      expect(await savings.fold("2026-08-04")).toBe(1);
      expect(await savings.fold("2026-08-04")).toBe(0);
      expect(await byDay()).toEqual([`${TODAY} 1 95+30 6`]);
      expect(await total()).toBe("4 380+120 24");
      expect(await byCapability()).toEqual(["fs:read 4 380+120 24"]);
      expect(await total(scope, "2026-08-01")).toBe("1 95+30 6");
    });
  });
}
