import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RunEvent, RunProgress } from "./run-progress.js";

const AT = { workflowId: "w", at: 0 };

describe("[EX-3] RunProgress", () => {
  let told: string[];
  beforeEach(() => {
    vi.useFakeTimers();
    told = [];
  });
  afterEach(() => void vi.useRealTimers());

  const start = (reportsItself: boolean) =>
    new RunProgress(({ done, total, message }) => {
      told.push(`${done}/${total ?? "?"} ${message ?? ""}`);
    }, reportsItself);
  const said = (done: number, total?: number): RunEvent => ({
    ...AT,
    kind: "progress",
    done,
    ...(total === undefined ? {} : { total }),
  });
  const ended: RunEvent = { ...AT, kind: "tool_end", id: "n1", name: "a:b", success: true, durationMs: 1 };

  it("says every second that a run goes on, and how many calls have ended", () => {
    const progress = start(false);
    vi.advanceTimersByTime(999);
    expect(told).toEqual([]);
    progress.happened(ended);
    vi.advanceTimersByTime(1_001);
    expect(told).toEqual(["1/? Running: 1 tool calls done", "2/? Running: 1 tool calls done"]);
  });

  it("passes on what the code reports, and stays between its values", () => {
    const progress = start(true);
    vi.advanceTimersByTime(1_000);
    progress.happened(said(1, 3));
    vi.advanceTimersByTime(2_000);
    progress.happened(said(2, 3));
    expect(told.map((text) => text.split(" ")[0])).toEqual(["0.001/?", "1/3", "1.001/3", "1.002/3", "2/3"]);
  });

  it("never goes back", () => {
    const progress = start(false);
    vi.advanceTimersByTime(2_000);
    progress.happened(said(1, 3));
    progress.happened(said(2));
    progress.happened(said(2.5));
    expect(told.map((text) => text.split(" ")[0])).toEqual(["1/?", "2/?", "2.5/?"]);
  });

  it("says nothing after the end", () => {
    start(false).end();
    vi.advanceTimersByTime(10_000);
    expect(told).toEqual([]);
  });
});
