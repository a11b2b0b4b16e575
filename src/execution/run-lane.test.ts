import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import { RunLane } from "./run-lane.js";

const NEVER = new AbortController().signal;

/** Work that ends when it is told to. */
function controlled(lane: RunLane, signal = new AbortController().signal) {
  let end: () => void = () => {};
  let hasStarted = false;
  const done = lane.run(() => {
    hasStarted = true;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  }, signal);
  return { done, end: () => end(), hasStarted: () => hasStarted };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("[EX-2] RunLane", () => {
  it("runs as many at once as it is wide, and the others in their order", async () => {
    const lane = new RunLane(2);
    const runs = [controlled(lane), controlled(lane), controlled(lane), controlled(lane)] as const;
    await turn();
    expect(runs.map((run) => run.hasStarted())).toEqual([true, true, false, false]);
    runs[1].end();
    await runs[1].done;
    await turn();
    expect(runs.map((run) => run.hasStarted())).toEqual([true, true, true, false]);
    runs[0].end();
    await runs[0].done;
    await turn();
    expect(runs[3].hasStarted()).toBe(true);
  });

  it("lets nobody who comes later pass one who waits", async () => {
    const lane = new RunLane(1);
    const first = controlled(lane);
    const second = controlled(lane);
    first.end();
    await first.done;
    const third = controlled(lane);
    await turn();
    expect([second.hasStarted(), third.hasStarted()]).toEqual([true, false]);
  });

  it("goes on after work that failed", async () => {
    const lane = new RunLane(1);
    await expect(lane.run(() => Promise.reject(new Error("x")), NEVER)).rejects.toThrow("x");
    await expect(lane.run(async () => 5, NEVER)).resolves.toBe(5);
  });

  it("answers at once who leaves the line, and gives the place to the next", async () => {
    const lane = new RunLane(1);
    const abort = new AbortController();
    const first = controlled(lane);
    const leaving = controlled(lane, abort.signal);
    const last = controlled(lane);
    abort.abort();
    await expect(leaving.done).rejects.toMatchObject({ code: "RUN_CANCELLED" });
    first.end();
    await first.done;
    await turn();
    expect([leaving.hasStarted(), last.hasStarted()]).toEqual([false, true]);
  });

  it("has a line of bounded length", async () => {
    const lane = new RunLane(1);
    controlled(lane);
    const waiting = Array.from({ length: LIMITS.runsWaiting }, () => controlled(lane));
    await expect(controlled(lane).done).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(waiting.every((run) => !run.hasStarted())).toBe(true);
  });
});
