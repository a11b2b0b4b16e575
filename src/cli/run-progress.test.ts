import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { progressText, RunProgress } from "./run-progress.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched(isTerminal: boolean, columns = 80) {
  const written: string[] = [];
  const progress = new RunProgress({ isTerminal, columns, write: (text) => void written.push(text) });
  return { progress, written };
}

describe("[UX-1] progress of a run", () => {
  it.each([
    [{ progress: 3 }, "3"],
    [{ progress: 3, total: 8 }, "3/8 (37 %)"],
    [{ progress: 3, total: 0 }, "3/0"],
    [{ progress: 1, message: "files\u001b[2J\nread" }, "1  files\\u{1b}[2J\\u{a}read"],
    [{ progress: 1, total: 2, message: "" }, "1/2 (50 %)"],
  ])("%j is %j", (given, text) => expect(progressText(given)).toBe(text));

  it("is one line in a terminal, with the time, and is gone in the end", () => {
    const { progress, written } = watched(true);
    vi.advanceTimersByTime(1_000);
    progress.report({ progress: 1, total: 2, message: "half" });
    vi.advanceTimersByTime(1_000);
    progress.end();
    vi.advanceTimersByTime(5_000);
    const clear = "\r\u001b[2K";
    expect(written).toEqual([
      `${clear}1 s`,
      `${clear}1 s  1/2 (50 %)  half`,
      `${clear}2 s  1/2 (50 %)  half`,
      clear,
    ]);
  });

  it("leaves the terminal alone when the run is short", () => {
    const { progress, written } = watched(true);
    vi.advanceTimersByTime(999);
    progress.end();
    expect(written).toEqual([]);
  });

  it("never wraps", () => {
    const { progress, written } = watched(true, 20);
    progress.report({ progress: 1, message: "x".repeat(50) });
    progress.end();
    expect(written[0]?.replace("\r\u001b[2K", "")).toHaveLength(19);
  });

  it("is a line for each report where there is no terminal, and nothing else", () => {
    const { progress, written } = watched(false);
    vi.advanceTimersByTime(5_000);
    progress.report({ progress: 1 });
    progress.report({ progress: 2, message: "two" });
    progress.end();
    expect(written).toEqual(["1\n", "2  two\n"]);
  });
});
