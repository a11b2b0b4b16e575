import { beforeEach, describe, expect, it } from "vitest";
import type { CandidateStore } from "../../src/observation/candidate-store.js";
import type { Scope } from "../../src/registry/scope.js";
import { newScope } from "./capability-samples.js";

export interface OpenedCandidateStore {
  readonly store: CandidateStore;
  /** The store of a second gateway. */
  readonly other: CandidateStore;
}

const CANDIDATE = {
  calls: "c1",
  fqdn: "local.default.shop.note.0000",
  support: 3,
  evidence: { tools: ["a:b", "a:c \0"] },
};

export function describeCandidateStore(name: string, open: () => Promise<OpenedCandidateStore>): void {
  describe(`CandidateStore: ${name}`, () => {
    let store: CandidateStore;
    let other: CandidateStore;
    let scope: Scope;
    beforeEach(async () => {
      ({ store, other } = await open());
      scope = newScope();
    });

    it("[LC-3] keeps what is offered, for its user alone", async () => {
      expect(await store.offer(scope, CANDIDATE)).toBe(true);
      expect(await other.all(scope)).toMatchObject([{ ...CANDIDATE, state: "offered" }]);
      expect(await store.all({ ...scope, user: "somebody-else" })).toEqual([]);
      await other.offer(scope, { ...CANDIDATE, support: 5 });
      await other.offer(scope, { ...CANDIDATE, support: 4 });
      expect(await store.all(scope)).toMatchObject([{ support: 5 }]);
    });

    it.each(["accepted", "rejected"] as const)(
      "[LC-3] what one gateway %s, no gateway offers again",
      async (state) => {
        await store.offer(scope, CANDIDATE);
        await store.decide(scope, CANDIDATE.calls, state);
        expect(await other.offer(scope, { ...CANDIDATE, support: 9 })).toBe(false);
        await other.withdraw(scope, CANDIDATE.calls);
        expect(await other.all(scope)).toMatchObject([{ state, support: 3 }]);
      },
    );

    it("[LC-3] takes back what nobody decided", async () => {
      await store.offer(scope, CANDIDATE);
      await other.withdraw(scope, CANDIDATE.calls);
      expect(await store.all(scope)).toEqual([]);
    });

    it("[LC-5] gateways count together, each time once", async () => {
      expect(await store.see(scope, [])).toEqual(new Map());
      const seen = (flow: string, ...times: string[]) => times.map((occurrence) => ({ flow, occurrence }));
      expect(await store.see(scope, seen("f", "1", "2"))).toEqual(new Map([["f", 2]]));
      expect(await other.see(scope, [...seen("f", "2", "3"), ...seen("g", "1")])).toEqual(
        new Map([
          ["f", 3],
          ["g", 1],
        ]),
      );
      expect(await other.see({ ...scope, user: "somebody-else" }, seen("f", "9"))).toEqual(
        new Map([["f", 1]]),
      );
    });
  });
}
