import { describe, expect, it } from "vitest";
import { sized } from "../support/sizes.js";
import { faultsOf } from "./check.js";
import { type OracleProgram, writeProgram } from "./program.js";

/** With `PML_ORACLE=20000` it also says how often each construct came up. */
const PROGRAMS = Number(process.env.PML_ORACLE ?? sized(5_000, 300));
const CONSTRUCT_LEAST = 500;

describe("[AN-3] [AN-4] [AN-11] code that is run passes its static structure", () => {
  it(`${PROGRAMS} programs do what they did, and report a path that is there`, {
    timeout: 900_000,
  }, async () => {
    const constructs = new Map<string, number>();
    const faulty: {
      readonly seed: number;
      readonly program: OracleProgram;
      readonly faults: readonly string[];
    }[] = [];
    for (let seed = 1; seed <= PROGRAMS; seed += 1) {
      const program = writeProgram(seed);
      for (const [name, count] of program.constructs)
        constructs.set(name, (constructs.get(name) ?? 0) + count);
      const faults = await faultsOf(program, seed);
      if (faults.length > 0) faulty.push({ seed, program, faults });
    }
    // The shortest says the most.
    faulty.sort((a, b) => a.program.code.length - b.program.code.length);
    const [first] = faulty;
    const text =
      first === undefined
        ? ""
        : `seed ${first.seed} (${first.program.mode}), and ${faulty.length - 1} more:\n${first.faults.join("\n")}\n\n${first.program.code}`;
    expect(text).toBe("");
    if (process.env.PML_ORACLE === undefined) return;
    console.log([...constructs].sort(([, a], [, b]) => a - b));
    expect([...constructs].filter(([, count]) => count < CONSTRUCT_LEAST)).toEqual([]);
  });
});
