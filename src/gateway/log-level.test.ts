import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LogMessage } from "../mcp/real-servers.js";
import { moreTalkative } from "./gateway.js";

type Level = LogMessage["level"] | undefined;

const LEVELS: readonly LogMessage["level"][] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

describe("[GW-2] moreTalkative", () => {
  it.each<[Level, Level, Level]>([
    ["debug", "error", "debug"],
    ["error", "debug", "debug"],
    ["notice", "warning", "notice"],
    ["info", undefined, "info"],
    [undefined, "alert", "alert"],
    [undefined, undefined, undefined],
    ["loud" as Level, "error", "error"],
    ["error", "loud" as Level, "error"],
    ["loud" as Level, undefined, undefined],
  ])("of %s and %s is %s", (a, b, expected) => {
    expect(moreTalkative(a, b)).toBe(expected);
  });

  it("does not depend on the order in which clients ask", () => {
    const level = fc.constantFrom<Level>(undefined, ...LEVELS);
    fc.assert(
      fc.property(fc.array(level), (asked) => {
        const all = (levels: readonly Level[]) => levels.reduce(moreTalkative, undefined);
        const wanted = LEVELS.find((candidate) => asked.includes(candidate));
        expect(all(asked)).toBe(wanted);
        expect(all(asked.toReversed())).toBe(wanted);
      }),
    );
  });
});
