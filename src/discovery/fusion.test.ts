import { describe, expect, it } from "vitest";
import { fuse, mergeSteps, type Nearness, usualShare } from "./fusion.js";
import type { Found } from "./word-index.js";

const found = (key: string, share: number, changes: Partial<Found<string>> = {}): Found<string> => ({
  key,
  score: share,
  share,
  said: 0,
  words: share > 0 ? ["word"] : [],
  isSaid: false,
  isCalled: false,
  ...changes,
});
const near = (
  whole: Readonly<Record<string, number>>,
  parts: Readonly<Record<string, Readonly<Record<string, number>>>> = {},
): Nearness<string> => ({
  whole: new Map(Object.entries(whole)),
  parts: Object.entries(parts).map(([text, cosines]) => ({
    text,
    cosines: new Map(Object.entries(cosines)),
  })),
  background: { mean: 0.03, deviation: 0.09 },
  weight: 0.7,
});
const keys = (all: readonly { readonly key: string }[]) => all.map(({ key }) => key);

describe("one order of words and meaning", () => {
  it("[DI-2] is that of the words until there are vectors", () => {
    const all = [found("b", 0.2), found("a", 0.2), found("c", 0.5)];
    expect(fuse(all, 0.3)).toMatchObject([
      { key: "c", score: 0.5, reason: "has word" },
      { key: "a", score: 0.2 },
      { key: "b", score: 0.2 },
    ]);
  });

  it("[DI-3] among words alone what says the same stays first, and scores never rise further down", () => {
    const habit = (key: string) => (key === "habit" ? 4 : 0);
    const all = [
      found("same", 0.9, { score: 1, said: 1, isSaid: true }),
      found("habit", 0.65),
      found("good", 0.79),
      found("other", 0.3),
    ];
    const fused = fuse(all, 0.3, undefined, habit);
    expect(keys(fused)).toEqual(["same", "habit", "good", "other"]);
    expect(fused.map(({ score }) => score)).toEqual([1, 0.79, 0.79, 0.3]);
  });

  it("[DI-3] what was asked for so before is first but for what says the same, and never sure", () => {
    const all = [
      found("same", 0, { score: 1, said: 1, isSaid: true }),
      found("past", 0),
      found("good", 0.9, { score: 0.79 }),
    ];
    const past = new Map([["past", 1]]);
    const cosines = near({ same: 0.1, past: 0, good: 0.4 });
    for (const fused of [fuse(all, 0.3, undefined, () => 0, past), fuse(all, 0.6, cosines, () => 0, past)]) {
      expect(keys(fused)).toEqual(["same", "past", "good"]);
      expect(fused[1]).toMatchObject({ reason: "found for this intent before" });
      expect(fused[1]?.score).toBeGreaterThanOrEqual(fused[2]?.score ?? 1);
      expect(fused[1]?.score).toBeLessThan(0.8);
    }
  });

  it("[DI-3] both count: what is near and has the words stands before what is one of it", () => {
    const all = [found("words", 0.5), found("meaning", 0), found("both", 0.4), found("neither", 0.1)];
    const cosines = { words: 0.1, meaning: 0.5, both: 0.45, neither: 0.05 };
    expect(keys(fuse(all, 0.3, near(cosines)))).toEqual(["both", "meaning", "words", "neither"]);
  });

  it("[DI-3] what fits one step of a task well stands before what fits all of it a little", () => {
    const all = [found("step", 0), found("little", 0)];
    const whole = { step: 0.3, little: 0.4 };
    const [first, second] = fuse(all, 0, near(whole, { "send it": { step: 0.7, little: 0.2 } }));
    expect(first).toMatchObject({ key: "step", reason: 'matches "send it"' });
    expect(second).toMatchObject({ key: "little", reason: "similar meaning" });
  });

  it("[DI-1] what says the same is first, and nothing else is as sure", () => {
    const all = [
      found("same", 0.1, { said: 1, isSaid: true }),
      found("nearly", 0.1, { said: 0.99, isSaid: true }),
      found("perfect", 1),
    ];
    const fused = fuse(all, 0.3, near({ same: 0, nearly: 0, perfect: 1 }));
    expect(fused.map(({ key, score }) => [key, score >= 0.85])).toEqual([
      ["same", true],
      ["nearly", true],
      ["perfect", false],
    ]);
    expect(fused[0]).toMatchObject({ score: 1, reason: "nearly the same text" });
  });

  it("[DI-1] scores fall with the order, stay between 0 and 1, and are low where nothing is near", () => {
    const all = Array.from({ length: 50 }, (_, i) => found(`t${i}`, i / 50));
    const scores = fuse(all, 0.4, near(Object.fromEntries(all.map(({ key }, i) => [key, i / 60])))).map(
      ({ score }) => score,
    );
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(scores[0]).toBeLessThan(0.85);
    expect(scores.at(-1)).toBeGreaterThan(0);
    expect(fuse([found("far", 0.05)], 0.05, near({ far: 0.15 }))[0]?.score).toBeLessThan(0.15);
  });

  it("[DI-1] a score does not depend on how many others there are", () => {
    const score = (others: number) => {
      const all = [found("it", 0.3), ...Array.from({ length: others }, (_, i) => found(`x${i}`, 0))];
      const cosines = Object.fromEntries(all.map(({ key }) => [key, key === "it" ? 0.6 : 0]));
      return fuse(all, 0.3, near(cosines))[0]?.score;
    };
    expect(score(1_000)).toBe(score(0));
  });

  it("[DI-2] what has no vector yet is judged by its words", () => {
    const fused = fuse([found("old", 0.1), found("new", 0.6)], 0.2, near({ old: 0.2 }));
    expect(keys(fused)).toEqual(["new", "old"]);
  });

  it("[DI-3] what is usual in two indexes is usual in both together", () => {
    expect(usualShare([])).toBe(0);
    expect(usualShare([{ usual: 0, matching: 0 }])).toBe(0);
    expect(
      usualShare([
        { usual: 0.2, matching: 3 },
        { usual: 0.2, matching: 9 },
      ]),
    ).toBeCloseTo(0.2);
  });
});

describe("[DI-3] one order of a request and its steps", () => {
  const ranked = (scores: Readonly<Record<string, number>>) =>
    Object.entries(scores).map(([key, score]) => ({ key, score }));
  const merged = (whole: Record<string, number>, steps: Record<string, Record<string, number>>) =>
    mergeSteps(
      ranked(whole),
      Object.entries(steps).map(([text, found]) => ({ text, found: ranked(found) })),
    ).map(({ key, score, step }) => `${key} ${score.toFixed(2)}${step === undefined ? "" : ` ${step}`}`);

  it("a step raises what it finds half way, and lowers nothing", () =>
    expect(
      merged({ read: 0.6, other: 0.5, send: 0.1 }, { first: { read: 0.7, other: 0.1 }, last: { send: 0.8 } }),
    ).toEqual(["read 0.65 first", "other 0.50 first", "send 0.45 last"]));

  it("a result is of the step that it fits best, and of none that it hardly fits", () =>
    expect(merged({}, { first: { a: 0.2, b: 0.05 }, last: { a: 0.6, b: 0.07 } })).toEqual([
      "a 0.30 last",
      "b 0.04",
    ]));

  it("the same text as one step is not sure to be all that is wanted", () =>
    expect(merged({ read: 0.8 }, { first: { read: 1 } })).toEqual(["read 0.80 first"]));
});
