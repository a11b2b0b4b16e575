import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../base/log.js";
import type { PruneOptions } from "../registry/trace-store.js";
import { Housekeeping } from "./housekeeping.js";

const NOW = new Date("2026-11-16T12:00:00.000Z");
const HOUR_MS = 3_600_000;

describe("[EX-11] housekeeping", () => {
  let asked: PruneOptions[];
  let usageBefore: Date[];
  let daysBefore: string[];
  let runsBefore: Date[];
  let vectorsBefore: Date[];
  let graphPrunes: number;
  let fails: boolean;
  let housekeeping: Housekeeping;

  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
    asked = [];
    usageBefore = [];
    daysBefore = [];
    runsBefore = [];
    vectorsBefore = [];
    graphPrunes = 0;
    fails = false;
    housekeeping = new Housekeeping({
      traces: {
        async prune(options) {
          if (fails) throw new Error("away");
          asked.push(options);
          return 1;
        },
      },
      usage: {
        async prune(before) {
          usageBefore.push(before);
          return 0;
        },
      },
      savings: {
        async fold(before) {
          daysBefore.push(before);
          return 0;
        },
      },
      workflows: {
        async prune(before) {
          runsBefore.push(before);
          return 0;
        },
      },
      results: { prune: async () => 4 },
      prunable: async (bounds) => {
        const none = { rows: 0, bytes: 0 };
        return { traces: { rows: bounds.perCapability, bytes: 9 }, calls: none, results: none, runs: none };
      },
      vectors: {
        async prune(unusedSince) {
          vectorsBefore.push(unusedSince);
          return 0;
        },
      },
      graph: {
        async prune() {
          graphPrunes += 1;
          return 0;
        },
      },
      traceDays: 2,
      log: silentLog,
    });
  });
  afterEach(() => vi.useRealTimers());

  it("deletes traces that are older than configured or too many, soon after the start and every hour", async () => {
    housekeeping.start();
    expect(asked).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked).toEqual([
      { before: new Date("2026-11-14T12:00:10.000Z"), perCapability: 1_000, withoutCapability: 10_000 },
    ]);
    expect(usageBefore).toEqual([new Date("2026-08-18T12:00:10.000Z")]);
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(asked).toHaveLength(3);
  });

  it("[EX-8] forgets runs a day after they have expired", async () => {
    housekeeping.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(runsBefore).toEqual([new Date("2026-11-15T12:00:10.000Z")]);
    expect(vectorsBefore).toEqual([new Date("2026-10-17T12:00:10.000Z")]);
    expect(graphPrunes).toBe(1);
  });

  it("[LP-6] folds days of the ledger that are older than 90 days", async () => {
    housekeeping.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(daysBefore).toEqual(["2026-08-18"]);
  });

  it("goes on after a failure", async () => {
    fails = true;
    housekeeping.start();
    await vi.advanceTimersByTimeAsync(10_000);
    fails = false;
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    expect(asked).toHaveLength(1);
  });

  it("ends when it is stopped", async () => {
    housekeeping.start();
    await housekeeping.stop();
    await vi.advanceTimersByTimeAsync(2 * HOUR_MS);
    expect(asked).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("[SC-4] prunes at once what a person asks for, and nothing in a dry run", async () => {
    const request = { days: 30, keep: 7 };
    const found = await housekeeping.prune({ ...request, isDryRun: true });
    expect([found.traces, asked]).toEqual([{ rows: 7, bytes: 9 }, []]);
    const deleted = await housekeeping.prune({ ...request, isDryRun: false });
    expect([deleted.traces, deleted.results.rows]).toEqual([{ rows: 1, bytes: 9 }, 4]);
    const before = new Date(NOW.getTime() - 30 * 86_400_000);
    expect(asked).toEqual([{ before, perCapability: 7, withoutCapability: 7 }]);
    // Runs that have expired today are still told of, unless even younger things are to go.
    expect(runsBefore).toEqual([new Date(NOW.getTime() - 86_400_000)]);
  });
});
