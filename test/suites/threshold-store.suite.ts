import { beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/base/log.js";
import { AdaptiveThresholds } from "../../src/discovery/thresholds/adaptive-thresholds.js";
import type { ThresholdMove, ThresholdStore } from "../../src/registry/thresholds.js";

export interface OpenedThresholdStore {
  readonly store: ThresholdStore;
  /** The store of a second gateway. */
  readonly other: ThresholdStore;
}

const SCOPE = { org: "acme", project: "web" };
const STEP: ThresholdMove = { start: 0.5, by: 0.125, least: 0.25, most: 0.75, successes: 0, failures: 1 };
const DOWN: ThresholdMove = { ...STEP, by: -0.0625 };

/** `open` returns an empty store. */
export function describeThresholdStore(name: string, open: () => Promise<OpenedThresholdStore>): void {
  describe(`ThresholdStore: ${name}`, () => {
    let store: ThresholdStore;
    let other: ThresholdStore;
    beforeEach(async () => {
      ({ store, other } = await open());
    });

    it("[DI-4] begins where it is told to, moves from where it is, and stays within bounds", async () => {
      expect(await store.load(SCOPE)).toEqual(new Map());
      expect(await store.move("speculation", SCOPE, STEP)).toBe(0.625);
      expect(await other.move("speculation", SCOPE, DOWN)).toBe(0.5625);
      for (let time = 0; time < 5; time += 1) await store.move("speculation", SCOPE, STEP);
      expect(await other.load(SCOPE)).toEqual(new Map([["speculation", 0.75]]));
      for (let time = 0; time < 20; time += 1) await store.move("speculation", SCOPE, DOWN);
      expect(await store.load(SCOPE)).toEqual(new Map([["speculation", 0.25]]));
    });

    it("[DI-4] is one for each kind of decision and each project", async () => {
      await store.move("speculation", SCOPE, STEP);
      await store.move("suggestion", SCOPE, DOWN);
      await store.move("suggestion", { org: "acme", project: "app" }, STEP);
      expect(await store.load(SCOPE)).toEqual(
        new Map([
          ["speculation", 0.625],
          ["suggestion", 0.4375],
        ]),
      );
      expect(await store.load({ org: "acme", project: "app" })).toEqual(new Map([["suggestion", 0.625]]));
    });

    it("[DI-4] loses no step of gateways that learn at the same time", async () => {
      const small: ThresholdMove = { start: 0.25, by: 1 / 256, least: 0, most: 1, successes: 0, failures: 1 };
      await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          (index % 2 === 0 ? store : other).move("suggestion", SCOPE, small),
        ),
      );
      expect(await store.load(SCOPE)).toEqual(new Map([["suggestion", 0.5]]));
    });

    it("[DI-4] survives a restart, and is learnt by all gateways together", async () => {
      let now = 0;
      const one = new AdaptiveThresholds(store, silentLog, () => now);
      const two = new AdaptiveThresholds(other, silentLog, () => now);
      expect(one.of("speculation", SCOPE)).toBe(0.85);
      expect(two.of("speculation", SCOPE)).toBe(0.85);
      for (let time = 0; time < 5; time += 1) one.learn("speculation", SCOPE, "success");
      one.learn("speculation", SCOPE, "undone");
      two.learn("speculation", SCOPE, "failure");
      await one.settled();
      await two.settled();
      const again = new AdaptiveThresholds(store, silentLog, () => now);
      again.of("speculation", SCOPE);
      await again.settled();
      expect(again.of("speculation", SCOPE)).toBeCloseTo(0.85 - 5 * 0.004 + 0.024 + 0.02, 10);
      now += 60_000;
      one.of("speculation", SCOPE);
      await one.settled();
      expect(one.of("speculation", SCOPE)).toBeCloseTo(0.85 - 5 * 0.004 + 0.024 + 0.02, 10);
    });
  });
}
