/** Generated programs, honest and hostile: no call with effects differs from what a person was asked. */
import { afterAll, describe, expect, it } from "vitest";
import { createEngine } from "../hostile/engines.js";
import type { EngineName } from "../hostile/hostile-case.js";
import { Random } from "../oracle/random.js";
import { sized } from "../support/sizes.js";
import { type Checked, checkProgram, type Hole } from "./check.js";
import { programOf } from "./program.js";

/** Fewer on Deno, which starts a process for each. */
const PROGRAMS: Readonly<Record<EngineName, number>> = {
  quickjs: Number(process.env.PML_APPROVALS ?? sized(20_000, 80)),
  deno: Number(process.env.PML_APPROVALS ?? sized(20_000, 20)),
};
const SEED = Number(process.env.PML_APPROVALS_SEED ?? 1);
const AT_ONCE = 4;
const HOLES: readonly Hole[] = [
  "nested-unchecked",
  "uncounted",
  "given-unchecked",
  "marks-in-data",
  "lifted-unchecked",
  "nested-unshown",
];
const HOLE_PROGRAMS = 1_000;
/** Where they begin, if not with the first: the programs before it do not show the hole. */
const HOLE_FIRST: Partial<Readonly<Record<Hole, number>>> = sized({}, { "given-unchecked": 200 });
/** What finds them is the same on both engines, and Deno takes three times as long. */
const HOLES_ON: Readonly<Record<EngineName, readonly Hole[]>> = {
  quickjs: HOLES,
  deno: sized(HOLES, HOLES.slice(0, 1)),
};

describe.each<EngineName>(["quickjs", "deno"])(
  "[TB-1] what a person approves is what happens, on %s",
  (name) => {
    const programs = PROGRAMS[name];
    const engine = createEngine(name, AT_ONCE);
    const sandbox = engine.without([]);
    afterAll(() => engine.close());

    async function checkAll(count: number, hole?: Hole, on = sandbox, first = 0): Promise<Checked> {
      const all = { faults: [] as string[], sent: 0, refused: 0 };
      let next = first;
      const work = async (): Promise<void> => {
        for (let index = next++; index < count; index = next++) {
          const checked = await checkProgram(on, programOf(new Random(SEED * 1_000_000 + index)), hole);
          all.faults.push(...checked.faults.slice(0, 2));
          all.sent += checked.sent;
          all.refused += checked.refused;
          // One is enough where a hole is looked for.
          if (all.faults.length > 0 && hole !== undefined) next = count;
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return all;
    }

    it(`[TB-1, TB-2] ${programs} programs`, async () => {
      const { faults, sent, refused } = await checkAll(programs);
      expect(faults.slice(0, 3)).toEqual([]);
      // That they are worth running: calls are made, and others are refused.
      expect(sent).toBeGreaterThan(programs / 2);
      expect(refused).toBeGreaterThan(programs / 10);
    }, 3_600_000);

    // QuickJS has no way to leave its built-ins changeable.
    if (name === "deno")
      it("[TB-1] holds also where code can change its built-ins: the host alone decides", async () => {
        const { faults } = await checkAll(programs / 4, undefined, engine.without(["frozen-built-ins"]));
        expect(faults.filter((fault) => !fault.includes("honest")).slice(0, 3)).toEqual([]);
      }, 3_600_000);

    it.each(HOLES_ON[name])(
      "finds the hole %s when it is put back",
      async (hole) => {
        const { faults } = await checkAll(HOLE_PROGRAMS, hole, sandbox, HOLE_FIRST[hole]);
        expect(faults).not.toEqual([]);
      },
      600_000,
    );
  },
);
