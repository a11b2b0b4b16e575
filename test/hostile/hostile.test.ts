/** Hostile code against every engine: one table, and for each case the same judge. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IS_FULL } from "../support/sizes.js";
import { type Baits, setBaits } from "./baits.js";
import { CASES } from "./cases/index.js";
import { createEngine, type Engine } from "./engines.js";
import { type EngineName, type HostileCase, withAllReplaced } from "./hostile-case.js";
import { ownMb, type ProcessWatch, watchProcesses } from "./process-watch.js";
import { faultsOf } from "./run-case.js";

/** Cases have 64 MB; the rest is the engine's own, and what its bounds cannot see in time. */
const GUEST_MB_MOST: Readonly<Record<EngineName, number>> = { deno: 350, quickjs: 450 };
const OWN_GROWTH_MB_MOST = 500;
/** Several at once share the processor, and each has time limits of its own. */
const CASE_MS = 120_000;

let baits: Baits;
beforeAll(async () => {
  baits = await setBaits();
});
afterAll(() => baits.close());

/** In the usual size: how many cases are skipped between two that always run. */
const USUAL_STEP = 24;

/** All of them in the full size; otherwise the first for each defence, and some others. */
function isTried(one: HostileCase, index: number, all: readonly HostileCase[]): boolean {
  if (IS_FULL || index % USUAL_STEP === 0) return true;
  return one.defences.some(
    (defence) => !all.slice(0, index).some(({ defences }) => defences.includes(defence)),
  );
}

/** Tried with all built-ins replaced as well. */
function isSampled({ without }: HostileCase, index: number): boolean {
  const isFrozen = !without.includes("frozen-built-ins") && !without.includes("deleted-globals");
  return isFrozen && (IS_FULL || index % 8 === 0);
}

describe.each<EngineName>(["deno", "quickjs"])(
  "hostile code in %s [EX-1, EX-2, FP-2, FP-3, AN-1]",
  (name) => {
    const own = CASES.filter(({ engines }) => engines.includes(name)).filter(isTried);
    const cases = [...own, ...own.filter(isSampled).map(withAllReplaced)];
    let engine: Engine;
    let watch: ProcessWatch;
    let ownMbBefore: number;
    beforeAll(() => {
      engine = createEngine(name);
      watch = watchProcesses();
      ownMbBefore = ownMb();
    });
    afterAll(async () => {
      watch.stop();
      await engine.close();
    });

    it.concurrent.each(cases.map((one) => [one.id, one] as const))(
      "%s",
      async (_id, one) => {
        expect(await faultsOf(engine, baits, one)).toEqual([]);
      },
      CASE_MS,
    );

    it("leaves no process that has grown without bounds", () => {
      expect(cases.length).toBeGreaterThan(IS_FULL ? 300 : 30);
      expect(watch.peakMb).toBeLessThan(GUEST_MB_MOST[name]);
      expect(ownMb() - ownMbBefore).toBeLessThan(OWN_GROWTH_MB_MOST);
    });
  },
);

it("has one name for each case", () => {
  expect(new Set(CASES.map(({ id }) => id)).size).toBe(CASES.length);
});
