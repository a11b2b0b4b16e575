import { describe, expect, it } from "vitest";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { EndedRun } from "../run/runner.js";
import { coldRunOf, savedByCache, savedByRun, unreadTokens } from "./run-saving.js";

const executedAt = new Date("2026-11-17T12:00:00.000Z");

function ended(resultChars: number, text: string, isReplayed = false): EndedRun {
  const report = { resultChars, isReplayed, outcome: { kind: "returned", text } };
  return { report, trace: { executedAt, durationMs: 12 } } as unknown as EndedRun;
}

function prepared(args: object | undefined, more: object = {}): PreparedRun {
  return { of: { capability: { displayName: "a:b" } }, request: { args }, ...more } as unknown as PreparedRun;
}

const chars = (text: string) => text.length;

describe("[LP-6] what a run saved", () => {
  it.each([
    [0, 0, 0],
    [100, 100, 0],
    [100, 5_000, 0],
    [104, 1, 20],
    [105, 1, 20],
    [2_000_000, 2, 200_000],
  ])("of %d characters of results with an answer of %d, %d tokens were not read", (results, answer, tokens) =>
    expect(unreadTokens(ended(results, "x".repeat(answer)).report)).toBe(tokens),
  );

  it("is its results, and its time unless it continued another run; the name and the arguments were sent", () => {
    expect(savedByRun(prepared({ id: 1 }), ended(100, "12345"), chars)).toEqual({
      at: executedAt,
      durationMs: 12,
      sentTokens: 'a:b {"id":1}'.length,
      resultTokens: 19,
    });
    expect(savedByRun(prepared(undefined), ended(0, "1", true), chars)).toEqual({
      at: executedAt,
      sentTokens: "a:b {}".length,
      resultTokens: 0,
    });
  });

  it("is compared with a cold run, whose waiting does not count", () => {
    const { report } = ended(100, "12345");
    expect(coldRunOf({ ...report, programMs: 7 })).toEqual({ programMs: 7, resultTokens: 19 });
    expect(coldRunOf(report)).toEqual({ resultTokens: 19 });
  });

  it("is no code where a cache answered code that was sent", () => {
    expect(savedByCache(prepared({}), 3, chars)).toMatchObject({ durationMs: 3, sentTokens: 6 });
    const sent = { sent: { name: undefined, definition: undefined } };
    expect(savedByCache(prepared({}, sent), 3, chars)).not.toHaveProperty("sentTokens");
  });

  it("takes long arguments for one token a character, unread", () => {
    const never = () => {
      throw new Error("read");
    };
    const { sentTokens } = savedByCache(prepared({ text: "x".repeat(4_000) }), 3, never);
    expect(sentTokens).toBe(4_000 + 'a:b {"text":""}'.length);
  });
});
