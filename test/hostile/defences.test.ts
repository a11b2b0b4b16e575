/** Each defence, switched off alone: a case that it is there for is no longer held in. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFENCES } from "../../src/sandbox/host/deno-sandbox.js";
import { type Baits, setBaits } from "./baits.js";
import { CASES } from "./cases/index.js";
import { createEngine, type Engine } from "./engines.js";
import { faultsOf } from "./run-case.js";

describe("each defence of Deno holds something by itself [EX-1, EX-2, AN-1]", () => {
  let engine: Engine;
  let baits: Baits;
  beforeAll(async () => {
    engine = createEngine("deno", 1);
    baits = await setBaits();
  });
  afterAll(async () => {
    await engine.close();
    await baits.close();
  });

  it.each(["ast-gate", ...DEFENCES])(
    "%s",
    async (defence) => {
      // Those first that the fewest other defences hold in, too.
      const cases = CASES.filter(({ defences }) => defences.includes(defence)).sort(
        (a, b) => a.defences.length - b.defences.length,
      );
      const broken: string[] = [];
      for (const one of cases) {
        if ((await faultsOf(engine, baits, one, [defence])).length === 0) continue;
        broken.push(one.id);
        expect(await faultsOf(engine, baits, one)).toEqual([]);
        break;
      }
      expect(broken).toHaveLength(1);
    },
    120_000,
  );
});
