import { describe, expect, it } from "vitest";
import { durationText, savedReport, savedSentence } from "./saved-report.js";

const none = { runs: 0, tokens: 0, tokens_measured: 0, tokens_estimated: 0, ms: 0 };
const some = { runs: 41, tokens: 18_200, tokens_measured: 12_900, tokens_estimated: 5_300, ms: 192_000 };
const saved = {
  ...some,
  runs: 42,
  by_day: [],
  by_capability: [],
  week: { since: "2026-11-11", ...some, by_capability: [{ name: "fs:re\u001bad", ...some }] },
  measured: [],
  estimated: [],
};

describe("[LP-6] what was saved, as people read it", () => {
  it("is one sentence for the week, one for all, and the best capabilities", () =>
    expect(savedReport(saved)).toBe(
      `This week: 41 runs from memory saved about 18,200 tokens (12,900 measured, 5,300 estimated) and 3 min 12 s.
In all: 42 runs from memory saved about 18,200 tokens (12,900 measured, 5,300 estimated) and 3 min 12 s.

SAVED BY       RUNS  TOKENS  MEASURED  ESTIMATED  TIME
fs:re\\u{1b}ad  41    18,200  12,900    5,300      3 min 12 s`,
    ));

  it("is one sentence where all was this week", () =>
    expect(savedReport({ ...saved, ...some })).not.toContain("In all"));

  it("says so where the week had no run, and marks what is deleted", () => {
    const quiet = { since: "2026-11-11", ...none, by_capability: [] };
    expect(savedReport({ ...saved, week: quiet })).toMatch(
      /^This week: no runs from memory\.\nIn all: 42 runs/,
    );
    const gone = { ...saved.week, by_capability: [{ name: "a:b", deleted: true as const, ...some }] };
    expect(savedReport({ ...saved, week: gone })).toContain("a:b (deleted)");
  });

  it("says what to do where there is nothing yet", () =>
    expect(savedReport({ ...saved, ...none, week: { ...saved.week, ...none } })).toBe(
      "Nothing saved yet. Run a capability by its name instead of sending its code again: `pml cap list` shows what there is.",
    ));

  it.each([
    [
      { ...some, runs: 1, tokens: 900, tokens_measured: 900, tokens_estimated: 0 },
      "1 run from memory saved 900 tokens (900 measured, 0 estimated) and 3 min 12 s.",
    ],
    [
      { ...some, ms: 0 },
      "41 runs from memory saved about 18,200 tokens (12,900 measured, 5,300 estimated) and 0 ms.",
    ],
  ])("has both marks: %j", (figures, text) => expect(savedSentence(figures)).toBe(text));

  it.each([
    [0, "0 ms"],
    [999, "999 ms"],
    [1_999, "1 s"],
    [60_000, "1 min"],
    [192_999, "3 min 12 s"],
    [7_500_000, "2 h 5 min"],
    [9_000_000_000, "2,500 h"],
  ])("%d ms is %s", (ms, text) => expect(durationText(ms)).toBe(text));
});
