import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { silentLog } from "../../base/log.js";
import type { DecisionKind, ThresholdMove, ThresholdStore } from "../../registry/thresholds.js";
import { certaintyOf, MOST_IN_OTHER_WORDS } from "../certainty/certainty.js";
import { AdaptiveThresholds, moveAfter, moved, startOf } from "./adaptive-thresholds.js";

const SCOPE = { org: "acme", project: "web" };

/** A store whose answers come when they are let out. */
function heldStore() {
  const values = new Map<DecisionKind, number>();
  const moves: ThresholdMove[] = [];
  let open: (() => void)[] = [];
  const held = () => new Promise<void>((resolve) => open.push(resolve));
  const store: ThresholdStore = {
    load: async () => {
      await held();
      return new Map(values);
    },
    move: async (kind, _scope, move) => {
      moves.push(move);
      await held();
      const value = moved(values.get(kind), move);
      values.set(kind, value);
      return value;
    },
  };
  const letOut = async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      for (const one of open) one();
      open = [];
      await Promise.resolve();
    }
  };
  return { store, values, moves, letOut };
}

describe("[DI-4] how thresholds learn", () => {
  it("speculation starts at 0.85", () => {
    expect(startOf("speculation")).toBe(0.85);
  });

  it.each(["speculation", "suggestion"] as const)("%s: failure and undo raise, success lowers", (kind) => {
    const start = startOf(kind);
    expect(moved(start, moveAfter(kind, "failure"))).toBeGreaterThan(start);
    expect(moved(start, moveAfter(kind, "success"))).toBeLessThan(start);
    // What was undone was first taken for a success.
    const undone = moved(moved(start, moveAfter(kind, "success")), moveAfter(kind, "undone"));
    expect(undone).toBeCloseTo(moved(start, moveAfter(kind, "failure")), 10);
  });

  it("stay within bounds, whatever happens", () => {
    const outcomes = fc.array(fc.constantFrom("success", "failure", "undone" as const), { maxLength: 500 });
    fc.assert(
      fc.property(fc.constantFrom("speculation", "suggestion" as const), outcomes, (kind, list) => {
        let at: number | undefined;
        for (const outcome of list) at = moved(at, moveAfter(kind, outcome as "success"));
        const { least, most } = moveAfter(kind, "success");
        expect(at ?? startOf(kind)).toBeGreaterThanOrEqual(least);
        expect(at ?? startOf(kind)).toBeLessThanOrEqual(most);
      }),
    );
  });

  it("[LP-7] every threshold that speculation can come to is reached by an intent in other words", () => {
    const { least, most } = moveAfter("speculation", "success");
    const deploy = sampleCapability("ops:restart", { intent: "Restart a Docker container" });
    const certainty = (intent: string) => certaintyOf(intent, {}, deploy).score;
    expect(MOST_IN_OTHER_WORDS).toBeGreaterThan(most);
    expect(certainty("reboot this docker container")).toBe(MOST_IN_OTHER_WORDS);
    expect(certainty("restart a docker container")).toBe(1);
    for (const miss of ["restart a docker volume", "restart the container twice", "stop a docker container"])
      expect(certainty(miss), miss).toBeLessThan(least);
  });
});

describe("[DI-4] thresholds in memory", () => {
  it("are known at once, also before the store has answered", async () => {
    const { store, values, letOut } = heldStore();
    values.set("speculation", 0.9);
    const thresholds = new AdaptiveThresholds(store, silentLog, () => 0);
    expect(thresholds.of("speculation", SCOPE)).toBe(0.85);
    thresholds.learn("speculation", SCOPE, "failure");
    expect(thresholds.of("speculation", SCOPE)).toBeCloseTo(0.87, 10);
    await letOut();
    await thresholds.settled();
    expect(thresholds.of("speculation", SCOPE)).toBeCloseTo(0.92, 10);
    expect(thresholds.of("suggestion", SCOPE)).toBe(startOf("suggestion"));
    expect(thresholds.of("speculation", { org: "acme", project: "other" })).toBe(0.85);
  });

  it("are what was learnt before, for whoever waits for that", async () => {
    const { store, values, letOut } = heldStore();
    values.set("speculation", 0.9);
    const thresholds = new AdaptiveThresholds(store, silentLog, () => 0);
    const seen = thresholds.read(SCOPE).then(() => thresholds.of("speculation", SCOPE));
    expect(thresholds.of("speculation", SCOPE)).toBe(0.85);
    await letOut();
    expect(await seen).toBe(0.9);
    // Once is enough: what others have moved meanwhile is no reason to wait again.
    thresholds.learn("speculation", SCOPE, "failure");
    await thresholds.read(SCOPE);
    expect(thresholds.of("speculation", SCOPE)).toBeCloseTo(0.92, 10);
  });

  it("write at once what was learnt while the store was busy", async () => {
    const { store, moves, values, letOut } = heldStore();
    const thresholds = new AdaptiveThresholds(store, silentLog, () => 0);
    for (let time = 0; time < 3; time += 1) thresholds.learn("suggestion", SCOPE, "success");
    await Promise.resolve();
    for (let time = 0; time < 100; time += 1) thresholds.learn("suggestion", SCOPE, "failure");
    await letOut();
    await thresholds.settled();
    expect(moves.map(({ successes, failures }) => [successes, failures])).toEqual([
      [3, 0],
      [0, 100],
    ]);
    expect(thresholds.of("suggestion", SCOPE)).toBe(values.get("suggestion"));
  });

  it("[LP-7] what an earlier version kept is brought within bounds", async () => {
    const { store, values, letOut } = heldStore();
    values.set("speculation", 0.995);
    const thresholds = new AdaptiveThresholds(store, silentLog, () => 0);
    const read = thresholds.read(SCOPE);
    await letOut();
    await read;
    expect(thresholds.of("speculation", SCOPE)).toBe(0.96);
  });

  it("do without the store", async () => {
    const away: ThresholdStore = {
      load: () => Promise.reject(new Error("away")),
      move: () => Promise.reject(new Error("away")),
    };
    const thresholds = new AdaptiveThresholds(away, silentLog, () => 0);
    await thresholds.read(SCOPE);
    expect(thresholds.of("speculation", SCOPE)).toBe(0.85);
    thresholds.learn("speculation", SCOPE, "failure");
    await thresholds.settled();
    expect(thresholds.of("speculation", SCOPE)).toBeCloseTo(0.87, 10);
  });
});
