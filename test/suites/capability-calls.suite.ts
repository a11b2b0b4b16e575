import { beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/base/log.js";
import { type CapabilityRef, formatCapabilityRef } from "../../src/registry/capability-ref.js";
import { CapabilityRegistry } from "../../src/registry/capability-registry.js";
import type { CapabilityStore, NewCapability } from "../../src/registry/capability-store.js";
import { type Fqdn, parseFqdn } from "../../src/registry/fqdn.js";
import type { Scope } from "../../src/registry/scope.js";
import { name, newScope, sign, succeeded } from "./capability-samples.js";
import type { OpenedCapabilityStore } from "./capability-store.suite.js";

/** Tests capabilities that call each other, and the stored parts of their analysis. */
export function describeCapabilityCalls(title: string, open: () => Promise<OpenedCapabilityStore>): void {
  describe(`CapabilityStore, calls and analysis: ${title}`, () => {
    let store: CapabilityStore;
    let other: CapabilityStore;
    let rows: OpenedCapabilityStore["rows"];
    let scope: Scope;
    let fqdns: Map<string, Fqdn>;
    beforeEach(async () => {
      ({ store, other, rows } = await open());
      scope = newScope();
      fqdns = new Map();
    });

    const fqdnOf = (text: string): Fqdn => {
      const fqdn = fqdns.get(text);
      if (fqdn === undefined) throw new Error(`There is no ${text}`);
      return fqdn;
    };

    /** `a` means its newest version, `a@1` always its first. */
    const refOf = (text: string): CapabilityRef => {
      const [callee = "", version] = text.split("@");
      const fqdn = fqdnOf(callee);
      return formatCapabilityRef(version === undefined ? { fqdn } : { fqdn, version: Number(version) });
    };

    /** `a: b c@1` learns or updates `a`, which calls `b` and the first version of `c`. */
    async function learn(text: string, through = store, more: Partial<NewCapability> = {}): Promise<string> {
      const [caller = "", callees = ""] = text.split(":");
      const dependencies = callees.split(" ").filter(Boolean).map(refOf);
      // The random number makes the code of each run different.
      const code = `${text} ${Math.random()}`;
      try {
        const learned = await through.learn(
          succeeded(scope, code, { name: name(caller), dependencies, update: fqdns.has(caller), ...more }),
          sign,
        );
        fqdns.set(caller, learned.capability.fqdn);
        return learned.kind;
      } catch (thrown) {
        const { code: refused, message } = thrown as { code?: string; message: string };
        if (refused === undefined) throw thrown;
        return `${refused}: ${message}`;
      }
    }

    async function learnAll(...texts: readonly string[]): Promise<void> {
      for (const text of texts) expect(await learn(text)).toMatch(/^(created|updated)$/);
    }

    /** `c1` calls nothing; every other one calls the previous one. */
    const chain = (length: number) =>
      Array.from({ length }, (_, index) => (index === 0 ? "c1:" : `c${index + 1}: c${index}`));

    const names = (capabilities: readonly { readonly displayName: string }[]) =>
      capabilities.map(({ displayName }) => displayName).join(" ");

    describe("[AN-10] what calls what", () => {
      it("is stored with the capability, and with each version", async () => {
        await learnAll("a:", "b:", "c: a b", "c: b");
        expect((await store.get(fqdnOf("c")))?.dependencies).toEqual([fqdnOf("b")]);
        expect((await store.version(fqdnOf("c"), 1))?.dependencies).toEqual([fqdnOf("a"), fqdnOf("b")]);
      });

      it("is found from the other end, for the newest code and what is alive", async () => {
        await learnAll("a:", "b: a", "c: a b", "d: a", "e: b", "d: b");
        expect(names(await other.dependents(fqdnOf("a"), 10))).toBe("b c");
        expect(names(await store.dependents(fqdnOf("a"), 1))).toBe("b");
        expect(names(await store.dependents(fqdnOf("e"), 10))).toBe("");
        await rows("update capability_records set deleted_at = now() where id = $1", [fqdnOf("c")]);
        expect(names(await store.dependents(fqdnOf("a"), 10))).toBe("b");
      });

      it("[ID-11] is found from the other end where any version is pinned", async () => {
        await learnAll("a:", "a:", "b: a@1", "c: a@2 a", "d: a@1", "d: b");
        expect(names(await other.dependents(fqdnOf("a"), 10))).toBe("b c");
        expect((await store.get(fqdnOf("c")))?.dependencies).toEqual([`${fqdnOf("a")}@2`, fqdnOf("a")]);
      });

      it("[ID-11] is of a pinned version what that version calls, whatever became of the capability", async () => {
        await learnAll("x:", "y:", "a: x", "a: y", "c: a@1 a");
        const registry = new CapabilityRegistry({ store, log: silentLog });
        const find = await registry.know([refOf("a@1"), refOf("a"), refOf("a@9")]);
        expect(find(refOf("a@1"))).toMatchObject({ name: "a@1", version: 1, dependencies: [fqdnOf("x")] });
        expect(find(refOf("a"))).toMatchObject({ name: "a", version: 2, dependencies: [fqdnOf("y")] });
        expect(find(refOf("x"))).toMatchObject({ name: "x" });
        expect(find(refOf("a@9"))).toBeUndefined();
      });

      it("is told to whom may see it, also what another gateway has learnt since", async () => {
        await learnAll("a:", "b: a", "c: b");
        const registry = new CapabilityRegistry({ store, log: silentLog });
        await registry.loaded();
        await learn("d: b", other);
        await learn("e: b", other);
        await other.rename({ fqdn: fqdnOf("e"), scope, actor: "user", visibility: "private" });
        const relations = async (user: string) => {
          const { capability } = await registry.find("b", { ...scope, user });
          const { dependencies, dependents } = await registry.relations(capability, { ...scope, user });
          return `${names(dependencies)} < b < ${names(dependents)}`;
        };
        expect(await relations("ada")).toBe("a < b < c d e");
        expect(await relations("bob")).toBe("a < b < c d");
      });
    });

    describe("[AN-10] calls that are refused", () => {
      const deep = "CODE_REFUSED: Capabilities call each other more than 8 levels deep: ";
      const circle = "CODE_REFUSED: Capabilities call each other in a cycle: ";

      it("are too deep: of what is new", async () => {
        await learnAll(...chain(8));
        expect(await learn("c9: c8")).toBe(`${deep}c9 → c8 → c7 → c6 → c5 → c4 → c3 → c2 → c1`);
        expect(
          await store.find({ kind: "name", org: scope.org, project: scope.project, fold: "c9" }),
        ).toEqual([]);
      });

      it("are too deep: of what calls an update", async () => {
        await learnAll(...chain(8), "c0:");
        expect(await learn("c1: c0")).toBe(`${deep}c8 → c7 → c6 → c5 → c4 → c3 → c2 → c1 → c0`);
        expect(await store.get(fqdnOf("c1"))).toMatchObject({ version: 1, dependencies: [] });
        expect(await learn("c2: c0")).toBe("updated");
        expect(await learn("c1:")).toBe("updated");
      });

      it("are in a circle, through any number of callers", async () => {
        await learnAll("a:", "b: a", "c: b");
        expect(await learn("a: b")).toBe(`${circle}a → b → a`);
        expect(await learn("a: c")).toBe(`${circle}a → c → b → a`);
        expect(await learn("a: a")).toBe(`${circle}a → a`);
      });

      it("[ID-11] are in a circle where the version that is pinned calls back, and are none where it does not", async () => {
        await learnAll("a:", "b:", "b: a");
        expect(await learn("a: b")).toBe(`${circle}a → b → a`);
        expect(await learn("a: b@2")).toBe(`${circle}a → b@2 → a`);
        expect(await learn("a: b@1")).toBe("updated");
        expect(await learn("a: a@1")).toBe("updated");
        const registry = new CapabilityRegistry({ store, log: silentLog });
        await registry.loaded();
        const update = (ref: string) =>
          registry.refuseDeepUpdate({ name: "a", fqdn: fqdnOf("a"), dependencies: [refOf(ref)] }, scope);
        await expect(update("b@2")).rejects.toMatchObject({ code: "CODE_REFUSED" });
        await expect(update("b@1")).resolves.toBeUndefined();
      });

      it("[ID-11] are too deep through a version that is pinned, and not where an older one is", async () => {
        await learnAll(...chain(7), "c8: c7@1", "c0:");
        expect(await learn("c1: c0")).toBe(`${deep}c8 → c7@1 → c6 → c5 → c4 → c3 → c2 → c1 → c0`);
        expect(await learn("c9: c8")).toBe(`${deep}c9 → c8 → c7@1 → c6 → c5 → c4 → c3 → c2 → c1`);
        // A caller that pins an old version still calls what that version called.
        await learnAll("c7:");
        expect(await learn("c1: c0")).toBe(`${deep}c8 → c7@1 → c6 → c5 → c4 → c3 → c2 → c1 → c0`);
        await learnAll("c2: c1@1", "c1: c0");
        // A version that no code calls any more blocks nothing.
        await learnAll("c1:", "c2: c1", "c8:", "c1: c0");
      });

      it("do not name a caller that the asker may not see", async () => {
        await learnAll(...chain(8), "c0:");
        await store.rename({ fqdn: fqdnOf("c8"), scope, actor: "user", visibility: "private" });
        expect(await learn("c1: c0", store, { scope: { ...scope, user: "bob" } })).toBe(
          `${deep}(a capability of another user) → c7 → c6 → c5 → c4 → c3 → c2 → c1 → c0`,
        );
      });

      it("are not those of what is gone by now", async () => {
        fqdns.set("gone", parseFqdn(`acme.${scope.project}.fs.gone.abcd`));
        expect(await learn("a: gone")).toBe("created");
      });

      it("[ST-3] are refused to one of two who would close a circle together", async () => {
        for (let round = 0; round < 5; round += 1) {
          const [a, b] = [`a${round}`, `b${round}`];
          await learnAll(`${a}:`, `${b}:`);
          const both = await Promise.all([learn(`${a}: ${b}`, store), learn(`${b}: ${a}`, other)]);
          expect(both.map((one) => one.slice(0, 12)).toSorted((x, y) => (x < y ? -1 : 1))).toEqual([
            "CODE_REFUSED",
            "updated",
          ]);
        }
      });

      it("[ST-3] are refused to one of two who would be too deep together", async () => {
        await learnAll(...chain(7), "c0:");
        const both = await Promise.all([learn("c8: c7", store), learn("c1: c0", other)]);
        expect(both.filter((one) => one.startsWith(deep))).toHaveLength(1);
      });
    });

    describe("[AN-9] what analysis has found", () => {
      const structure = { static_structure: { nodes: [{ id: "n1", value: "\0 \ud800" }], edges: [] } };
      const patternOf = async (text: string) => {
        const found = await rows(
          `select pattern.dag_structure, pattern.lifted_code, pattern.analysis_version
             from workflow_pattern as pattern join capability_records as record
               on record.workflow_pattern_id = pattern.pattern_id where record.id = $1`,
          [fqdnOf(text)],
        );
        return found[0];
      };
      const upgrade = async (text: string, analysisVersion: number, codeHash?: string) =>
        store.upgradeAnalysis({
          fqdn: fqdnOf(text),
          codeHash: codeHash ?? (await store.get(fqdnOf(text)))?.codeHash ?? "",
          structure: { static_structure: { version: analysisVersion } },
          liftedCode: `lifted ${analysisVersion}`,
          analysisVersion,
        });

      it("is stored with the capability, and replaced by that of the next version", async () => {
        await learn("a:", store, { structure, liftedCode: "one \0", analysisVersion: 2 });
        expect(await patternOf("a")).toEqual({
          dag_structure: structure,
          lifted_code: "one \\u0000",
          analysis_version: 2,
        });
        expect((await store.get(fqdnOf("a")))?.analysisVersion).toBe(2);
        await learn("a:", store, { structure: {}, liftedCode: "two", analysisVersion: 3 });
        expect(await patternOf("a")).toEqual({ dag_structure: {}, lifted_code: "two", analysis_version: 3 });
      });

      it("is replaced by that of a newer analysis, which changes nothing else", async () => {
        await learn("a:", store, { analysisVersion: 1 });
        const before = await store.get(fqdnOf("a"));
        const version = await store.version(fqdnOf("a"), 1);
        await upgrade("a", 2);
        expect(await patternOf("a")).toEqual({
          dag_structure: { static_structure: { version: 2 } },
          lifted_code: "lifted 2",
          analysis_version: 2,
        });
        expect(await store.get(fqdnOf("a"))).toEqual({ ...before, analysisVersion: 2 });
        expect(await store.version(fqdnOf("a"), 1)).toEqual(version);
      });

      it("is not replaced by that of the same or an older analysis, or of other code", async () => {
        await learn("a:", store, { analysisVersion: 2, liftedCode: "kept" });
        await upgrade("a", 2);
        await upgrade("a", 1);
        await upgrade("a", 3, "0".repeat(64));
        expect(await patternOf("a")).toMatchObject({ lifted_code: "kept", analysis_version: 2 });
        await expect(
          store.upgradeAnalysis({
            fqdn: parseFqdn(`acme.${scope.project}.fs.gone.abcd`),
            codeHash: "0".repeat(64),
            structure: {},
            liftedCode: "",
            analysisVersion: 9,
          }),
        ).resolves.toBe(undefined);
      });
    });
  });
}
