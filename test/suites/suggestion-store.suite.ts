import { beforeEach, describe, expect, it } from "vitest";
import type { NameSuggestion } from "../../src/curation/name-suggestion.js";
import type { KeptSuggestion, SuggestionStore } from "../../src/curation/suggestion-store.js";
import type { CapabilityStore } from "../../src/registry/capability-store.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import type { Scope } from "../../src/registry/scope.js";
import { newScope, sign, succeeded } from "./capability-samples.js";

export interface OpenedSuggestionStore {
  readonly store: SuggestionStore;
  /** The store of a second gateway. */
  readonly other: SuggestionStore;
  readonly capabilities: CapabilityStore;
}

const LONG_MS = 600_000;
const NOWHERE = "local.default.no.such.0000" as Fqdn;

function suggestion(id: string, more: Partial<NameSuggestion> = {}): NameSuggestion {
  return {
    id,
    name: "fs:read_json",
    confidence: 0.85,
    parts: { tools: 0.3, intent: 0.25, uniqueness: 0.3 },
    reasons: ["it calls \\filesystem", "nul \0 and half 👍\ud83d"],
    description: "Reads a \0 file.",
    tags: ["json", "a,b", '"{}'],
    near: [NOWHERE],
    by: "heuristics",
    ...more,
  };
}

export function describeSuggestionStore(name: string, open: () => Promise<OpenedSuggestionStore>): void {
  describe(`SuggestionStore: ${name}`, () => {
    let store: SuggestionStore;
    let other: SuggestionStore;
    let capabilities: CapabilityStore;
    let scope: Scope;
    beforeEach(async () => {
      ({ store, other, capabilities } = await open());
      scope = newScope();
    });

    const learn = async (code: string) =>
      (await capabilities.learn(succeeded(scope, code), sign)).capability.fqdn;

    it("[CU-5] keeps suggestions as they are, one of each capability", async () => {
      const [one, two] = [await learn("return 1"), await learn("return 2")];
      const first: KeptSuggestion = { fqdn: one, basis: "1 1 a \0 b", suggestion: suggestion(one) };
      const plain = suggestion(two, { reasons: [], tags: [], near: [], description: "" });
      const second: KeptSuggestion = { fqdn: two, basis: "b", suggestion: plain };
      await store.keep([second, first]);
      expect(await other.kept([one])).toEqual([first]);
      const newer = { ...first, basis: "c", suggestion: suggestion(one, { name: "fs:load", by: "m" }) };
      await other.keep([newer]);
      expect(new Set(await store.kept([one, two, NOWHERE]))).toEqual(new Set([newer, second]));
      expect([await store.kept([]), await store.keep([])]).toEqual([[], undefined]);
    });

    it("[CU-5] passes over what never was, and forgets what it is told to", async () => {
      const fqdn = await learn("return 1");
      await store.keep([
        { fqdn: NOWHERE, basis: "a", suggestion: suggestion(NOWHERE) },
        { fqdn, basis: "a", suggestion: suggestion(fqdn) },
      ]);
      expect((await other.kept([fqdn, NOWHERE])).map((one) => one.fqdn)).toEqual([fqdn]);
      await other.forget([fqdn, NOWHERE]);
      await other.forget([]);
      expect(await store.kept([fqdn])).toEqual([]);
    });

    it("[CU-5] has the newest code as it was written", async () => {
      const fqdn = await learn("return 'a \\u0000 \\\\ b'");
      const changed = succeeded(scope, "return 2", { name: "fs:two" as never });
      const named = (await capabilities.learn(changed, sign)).capability.fqdn;
      const next = { ...succeeded(scope, "return 3", { name: "fs:two" as never }), update: true };
      await capabilities.learn(next, sign);
      expect(await store.codes([fqdn, named, NOWHERE])).toEqual(
        new Map([
          [fqdn, "return 'a \\u0000 \\\\ b'"],
          [named, "return 3"],
        ]),
      );
    });

    it("[CU-5] lets one gateway curate at a time, for each user of a project", async () => {
      const lease = { owner: "a", ms: LONG_MS };
      expect(await store.isOpen(scope)).toBe(false);
      expect(await store.claim(scope, lease)).toEqual({ kind: "claimed", wasOpen: false });
      const held = await other.claim(scope, { owner: "b", ms: LONG_MS });
      expect(held.kind).toBe("held");
      expect(held.kind === "held" && held.forMs > 0 && held.forMs <= LONG_MS).toBe(true);
      expect(await other.claim({ ...scope, user: "bob" }, { owner: "b", ms: LONG_MS })).toEqual({
        kind: "claimed",
        wasOpen: false,
      });
      expect([await store.renew(scope, lease), await other.renew(scope, { owner: "b", ms: 1 })]).toEqual([
        true,
        false,
      ]);
      await other.finish(scope, "b");
      expect(await other.isOpen(scope)).toBe(true);
      await store.finish(scope, "a");
      expect(await other.isOpen(scope)).toBe(false);
      expect(await store.renew(scope, lease)).toBe(false);
      expect(await other.claim(scope, { owner: "b", ms: LONG_MS })).toEqual({
        kind: "claimed",
        wasOpen: false,
      });
    });

    it("[CU-5] hands on what a gateway began that is not heard of any more", async () => {
      await store.claim(scope, { owner: "a", ms: 0 });
      expect(await other.claim(scope, { owner: "b", ms: LONG_MS })).toEqual({
        kind: "claimed",
        wasOpen: true,
      });
      expect(await store.renew(scope, { owner: "a", ms: LONG_MS })).toBe(false);
      expect(await other.claim(scope, { owner: "b", ms: LONG_MS })).toEqual({
        kind: "claimed",
        wasOpen: true,
      });
    });

    it("[CU-5] has one winner where several begin at once", async () => {
      const claims = await Promise.all(
        Array.from({ length: 16 }, (_, at) =>
          (at % 2 === 0 ? store : other).claim(scope, { owner: `gateway ${at}`, ms: LONG_MS }),
        ),
      );
      expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    });
  });
}
