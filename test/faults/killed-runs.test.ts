import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { IS_FULL, sized } from "../support/sizes.js";
import { runHere } from "../support/test-gateway.js";
import { KilledGateways, newTotals, POINTS, seeThrough } from "./killed-runs/killed-runs.mjs";
import { PROGRAMS } from "./killed-runs/programs.mjs";

/** One for each program in the usual size; an approval is another, which any of them has. */
const USUAL = POINTS.filter((point) => point !== "approved");

/** Every program is killed once at every point; `main.mjs` beside does it hundreds of times. */
describe("[EX-8] a run on a gateway that is killed at every point of it", () => {
  let gateways: KilledGateways;
  beforeAll(() => {
    // The gateways are processes. The person's commands need none.
    gateways = IS_FULL ? new KilledGateways() : new KilledGateways(runHere);
  });
  afterAll(() => gateways.close());

  it.each(PROGRAMS.map(({ name }, number) => [name, number] as const))(
    "goes on, and does nothing twice: %s",
    async (_, number) => {
      const all = POINTS.map((_point, index) => POINTS[(index + number) % POINTS.length] ?? "");
      const usual = [USUAL[number] ?? "", "approved"].slice(0, number === 0 ? 2 : 1);
      const points = sized(all, usual);
      const totals = await seeThrough(gateways, number, points, newTotals());
      expect(totals).toMatchObject({ runs: 1, twice: 0, missing: 0, faults: [] });
      expect(totals.kills).toMatchObject(points.includes("approved") ? { approved: 1 } : {});
      expect(Object.values(totals.kills).reduce((sum, kills) => sum + kills, 0)).toBeGreaterThan(
        sized(1, -Number(number > 0)),
      );
    },
    240_000,
  );
});
