import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fairShare } from "../../base/fair-share.js";
import { LIMITS } from "../../base/limits.js";
import { RunLane } from "./run-lane.js";

const NEVER = new AbortController().signal;

/** Work that ends when it is told to. */
function controlled(lane: RunLane, signal = new AbortController().signal, who = "a") {
  let end: () => void = () => {};
  let hasStarted = false;
  const done = lane.run(
    () => {
      hasStarted = true;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    },
    signal,
    who,
  );
  return { done, end: () => end(), hasStarted: () => hasStarted };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("[EX-2] RunLane", () => {
  it("runs as many at once as a client may have, and the others in their order", async () => {
    const lane = new RunLane(4);
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

  it("lets no later run pass a waiting one", async () => {
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
    await expect(lane.run(() => Promise.reject(new Error("x")), NEVER, "a")).rejects.toThrow("x");
    await expect(lane.run(async () => 5, NEVER, "a")).resolves.toBe(5);
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

  it("has lines of bounded length: one caller may have half of what the others leave", async () => {
    const lane = new RunLane(1);
    controlled(lane);
    const most = LIMITS.runsWaiting / 2;
    const waiting = Array.from({ length: most }, () => controlled(lane));
    await expect(controlled(lane).done).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: `Cannot run this now: ${most} of your runs are already waiting, of ${most} in total, the limit of runsWaiting`,
    });
    const others = Array.from({ length: most / 2 }, () => controlled(lane, undefined, "b"));
    await expect(controlled(lane, undefined, "b").done).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect([...waiting, ...others].every((run) => !run.hasStarted())).toBe(true);
    expect(lane.load).toEqual({ running: 1, waiting: most + most / 2 });
  });

  it("says so where every place is taken", async () => {
    const lane = new RunLane(1, 2);
    controlled(lane);
    controlled(lane, undefined, "b");
    controlled(lane, undefined, "c");
    await expect(controlled(lane, undefined, "d").done).rejects.toMatchObject({
      message: "Cannot run this now: 2 runs are already waiting, the limit of runsWaiting",
    });
  });

  it("[TB-8] starts a program of another client at once, however many of one run, sleep and wait", async () => {
    const lane = new RunLane(LIMITS.runsAtOnce);
    const greedy = Array.from({ length: 100 }, () => controlled(lane));
    await turn();
    expect(greedy.filter((run) => run.hasStarted())).toHaveLength(LIMITS.runsAtOnce / 2);
    await expect(lane.run(async () => 5, NEVER, "b")).resolves.toBe(5);
    const second = Array.from({ length: 100 }, () => controlled(lane, undefined, "c"));
    await turn();
    expect(second.filter((run) => run.hasStarted())).toHaveLength(LIMITS.runsAtOnce / 4);
    await expect(lane.run(async () => 6, NEVER, "b")).resolves.toBe(6);
  });

  it("has callers take turns, even if one has sent more", async () => {
    const lane = new RunLane(1);
    const first = controlled(lane);
    const started: string[] = [];
    const run = (who: string, name: string) =>
      lane.run(async () => void started.push(name), new AbortController().signal, who);
    const all = [
      ...Array.from({ length: 4 }, (_, n) => run("a", `a${n}`)),
      run("b", "b0"),
      run("c", "c0"),
      run("b", "b1"),
    ];
    first.end();
    await Promise.all(all);
    expect(started).toEqual(["a0", "b0", "c0", "a1", "b1", "a2", "a3"]);
  });

  it("loses no run, keeps each caller's order, and lets no caller starve, in any order of events", async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant("come" as const), who: fc.constantFrom("a", "b", "c") }),
      },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("end" as const), which: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), which: fc.nat() }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(step, { maxLength: 80 }),
        async (width, steps) => {
          const lane = new RunLane(width, 1_000);
          interface Run {
            readonly who: string;
            readonly abort: AbortController;
            readonly ahead: number;
            /** Starts of each other caller since it came. */
            readonly passedBy: Map<string, number>;
            state: "waiting" | "running" | "over";
            end: () => void;
            done: Promise<unknown>;
          }
          const runs: Run[] = [];
          const started: Run[] = [];
          const hasShare = (who: string) => {
            const now = runs.filter(({ state }) => state === "running");
            const own = now.filter((run) => run.who === who).length;
            return own >= fairShare(width, now.length - own);
          };
          const come = (who: string) => {
            const abort = new AbortController();
            const ahead = runs.filter((other) => other.who === who && other.state === "waiting").length;
            const run: Run = {
              who,
              abort,
              ahead,
              passedBy: new Map(),
              state: "waiting",
              end() {},
              done: Promise.resolve(),
            };
            runs.push(run);
            run.done = lane
              .run(
                () => {
                  for (const other of runs)
                    if (other.state === "waiting" && other.who !== who && !hasShare(other.who))
                      other.passedBy.set(who, (other.passedBy.get(who) ?? 0) + 1);
                  run.state = "running";
                  started.push(run);
                  return new Promise<void>((resolve) => {
                    run.end = resolve;
                  });
                },
                abort.signal,
                who,
              )
              .catch(() => {})
              .then(() => {
                run.state = "over";
              });
          };
          const pick = (state: Run["state"], which: number) => {
            const some = runs.filter((run) => run.state === state);
            return some[which % some.length];
          };
          for (const one of steps) {
            if (one.kind === "come") come(one.who);
            else if (one.kind === "end") pick("running", one.which)?.end();
            else pick("waiting", one.which)?.abort.abort();
            await turn();
            const waiting = runs.filter((run) => run.state === "waiting").length;
            const running = runs.filter((run) => run.state === "running").length;
            expect(lane.load).toEqual({ running, waiting });
            expect(running).toBeLessThanOrEqual(width);
            // Who waits has its share.
            for (const { who, state } of runs) if (state === "waiting") expect(hasShare(who)).toBe(true);
          }
          while (runs.some((run) => run.state !== "over")) {
            for (const run of runs) run.end();
            await turn();
          }
          expect(lane.load).toEqual({ running: 0, waiting: 0 });
          for (const run of runs)
            for (const times of run.passedBy.values()) expect(times).toBeLessThanOrEqual(run.ahead + 1);
          for (const who of ["a", "b", "c"]) {
            const order = runs.filter((run) => run.who === who && started.includes(run));
            expect(started.filter((run) => run.who === who)).toEqual(order);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
