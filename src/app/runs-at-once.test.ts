import { describe, expect, it } from "vitest";
import { runsAtOnce } from "./runs-at-once.js";

describe("[TB-8] runsAtOnce", () => {
  it.each([
    ["a large machine", undefined, 128, 64_000, 16],
    ["half of a machine with 4 GiB", undefined, 128, 4_096, 8],
    ["a small machine", undefined, 128, 512, 2],
    ["large programs on a small machine", undefined, 2_048, 2_048, 2],
    ["a budget", { totalMemoryMb: 1_024 }, 128, 64_000, 4],
    ["a budget that is too small for one", { totalMemoryMb: 100 }, 128, 64_000, 1],
    ["a number", { runsAtOnce: 3 }, 128, 64_000, 3],
    ["a number and too little memory", { runsAtOnce: 100 }, 128, 8_192, 16],
    ["a number and a budget", { runsAtOnce: 100, totalMemoryMb: 16_384 }, 128, 8_192, 64],
  ])("of %s", (_what, sandbox, memoryMb, machineMb, expected) => {
    expect(runsAtOnce(sandbox, memoryMb, machineMb)).toBe(expected);
  });
});
