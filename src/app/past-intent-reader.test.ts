import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { silentLog } from "../base/log.js";
import type { SucceededIntent } from "../registry/trace-store.js";
import { PastIntentReader } from "./past-intent-reader.js";

const said = (intent: string): SucceededIntent => ({
  fqdn: "local.default.a.b.1234" as SucceededIntent["fqdn"],
  intent,
  scope: { org: "local", project: "default", user: "ada" },
});

describe("[DI-3] past intents of the store", () => {
  let isDown: boolean;
  let asked: number;
  let taken: string[];
  let warned: number;
  let reader: PastIntentReader;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    [isDown, asked, taken, warned] = [true, 0, [], 0];
    reader = new PastIntentReader({
      traces: {
        async succeededIntents() {
          asked += 1;
          if (isDown) throw new Error("away");
          return [said("newest"), said("older")];
        },
      },
      remember: ({ intent }) => taken.push(intent),
      log: {
        ...silentLog,
        warn: () => {
          warned += 1;
        },
      },
    });
  });
  afterEach(() => {
    reader.stop();
    vi.useRealTimers();
  });

  it("are read again until the store is there, once then, the newest last", async () => {
    reader.start();
    await vi.advanceTimersByTimeAsync(100_000);
    expect([asked > 1, taken, warned]).toEqual([true, [], 1]);
    isDown = false;
    await vi.advanceTimersByTimeAsync(100_000);
    expect(taken).toEqual(["older", "newest"]);
    const before = asked;
    await vi.advanceTimersByTimeAsync(100_000);
    expect(asked).toBe(before);
  });

  it("are not asked for once it has stopped", async () => {
    reader.start();
    await vi.advanceTimersByTimeAsync(1);
    reader.stop();
    const before = asked;
    await vi.advanceTimersByTimeAsync(100_000);
    expect(asked).toBe(before);
  });
});
