import { describe, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import type { SeenFlow } from "../observation/candidate-store.js";
import type { RecordedSession } from "../observation/recorded-session.js";
import { PlainCalls, type PlainCallsOptions } from "./plain-calls.js";

const ME = { org: "o", project: "p", user: "me" } as Parameters<PlainCalls["learnFrom"]>[1];

/** Learns from sessions; answers how many flows the store was told of at once, and how often each was told. */
async function told(sessions: readonly RecordedSession[]) {
  const batches: number[] = [];
  const times = new Map<string, number>();
  const store = {
    all: async () => [],
    see: async (_: unknown, seen: readonly SeenFlow[]) => {
      batches.push(seen.length);
      for (const one of seen) times.set(JSON.stringify(one), (times.get(JSON.stringify(one)) ?? 0) + 1);
      return new Map<string, number>();
    },
  };
  const options = {
    store,
    tools: { tools: () => [], settled: async () => {} },
    registry: { loaded: async () => {}, directory: new Map() },
    saver: { observe: () => Promise.reject(new Error("not here")) },
    hash: async (text: string) => text,
    log: silentLog,
  };
  await new PlainCalls(options as unknown as PlainCallsOptions).learnFrom(sessions, ME);
  return { batches, times };
}

describe("[LC-1] what was seen is told to the store", () => {
  it("in batches, each time once", async () => {
    const sessions = Array.from({ length: 2_500 }, (_, i) => {
      const key = `key_${i}_71`;
      const calls = [
        { tool: "a:make", arguments: { name: `name ${i}` }, result: { key } },
        { tool: "a:use", arguments: { key }, result: true },
      ];
      return { id: `s${i}`, calls };
    });
    const { batches, times } = await told(sessions);
    expect(batches).toEqual([2_000, 500]);
    expect([times.size, ...new Set(times.values())]).toEqual([2_500, 1]);
  });
});
