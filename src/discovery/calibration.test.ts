import { describe, expect, it } from "vitest";
import { fusedScore, lexicalScore, type Standing } from "./calibration.js";
import { moveAfter } from "./thresholds/adaptive-thresholds.js";

/** Speculation runs what scores this without asking, at its boldest. */
const SURE = moveAfter("speculation", "success").least;

const score = (changes: Partial<Standing>) =>
  fusedScore({ fit: 6, behind: 0, lead: 0, isTask: false, ...changes });

describe("what a score means", () => {
  it("[DI-4] nothing is ever sure because its words or its meaning fit", () => {
    expect(lexicalScore(1)).toBeLessThan(SURE);
    expect(score({ fit: 1_000, lead: 1_000 })).toBeLessThan(SURE);
  });

  it("[DI-1] more is better, always", () => {
    const steps = Array.from({ length: 101 }, (_, i) => i / 100);
    const rises = (scores: readonly number[]) =>
      scores.every((one, i) => i === 0 || one > (scores[i - 1] ?? 1));
    expect(rises(steps.map(lexicalScore))).toBe(true);
    expect(rises(steps.map((step) => score({ fit: 12 * step })))).toBe(true);
    expect(rises(steps.map((step) => score({ behind: 5 - 5 * step })))).toBe(true);
    expect(rises(steps.map((step) => score({ lead: step })))).toBe(true);
  });

  it("[DI-1] what explains nothing scores nothing, and what is no nearer than any text next to nothing", () => {
    expect(lexicalScore(0)).toBe(0);
    expect(score({ fit: 0 })).toBeLessThan(0.1);
  });

  it("[DI-1] to be the only one is no merit", () => {
    expect(score({ fit: 2, lead: Number.POSITIVE_INFINITY })).toBe(score({ fit: 2, lead: 0 }));
  });

  it("[DI-1] a task has several answers: what is behind the best may be one of them", () => {
    expect(score({ behind: 1, isTask: true })).toBeGreaterThan(score({ behind: 1 }));
    expect(score({ isTask: true })).toBe(score({}));
  });
});
