import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KilledGateways, newTotals, POINTS, seeThrough } from "./killed-runs/killed-runs.mjs";
import { PROGRAMS } from "./killed-runs/programs.mjs";

/** Every program is killed once at every point; `main.mjs` beside does it hundreds of times. */
describe("[EX-8] a run on a gateway that is killed at every point of it", () => {
  let gateways: KilledGateways;
  beforeAll(() => {
    gateways = new KilledGateways();
  });
  afterAll(() => gateways.close());

  it.each(PROGRAMS.map(({ name }, number) => [name, number] as const))(
    "goes on, and does nothing twice: %s",
    async (_, number) => {
      const points = POINTS.map((_point, index) => POINTS[(index + number) % POINTS.length] ?? "");
      const totals = await seeThrough(gateways, number, points, newTotals());
      expect(totals).toMatchObject({ runs: 1, twice: 0, missing: 0, faults: [] });
      expect(totals.kills).toMatchObject({ approved: 1 });
      expect(Object.values(totals.kills).reduce((sum, kills) => sum + kills, 0)).toBeGreaterThan(1);
    },
    120_000,
  );
});
