import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import type { LogMessage } from "../mcp/real-servers.js";
import { parseServerName } from "../registry/tool-id.js";
import { LogRelay } from "./log-relay.js";

const NOTICE = (count: number) =>
  `${count} log messages of server "mail" were dropped: more than 100 a second, the limit of logLinesPerSecond`;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function relay() {
  const got: LogMessage[] = [];
  const logs = new LogRelay(parseServerName("mail"));
  const say = (client: string, message: Partial<LogMessage>) =>
    logs.relay(client, { level: "info", data: "x", ...message }, (shown) => got.push(shown));
  return { say, got };
}

describe("[TB-9] LogRelay", () => {
  it("names the server, whatever the logger calls itself", () => {
    const { say, got } = relay();
    say("a", { logger: "pml" });
    say("a", {});
    say("a", { logger: "x\u200b".repeat(500) });
    expect(got.map(({ logger }) => logger)).toEqual(["mail/pml", "mail", `mail/${"x".repeat(100)}`]);
  });

  it("removes what is invisible from data of any shape", () => {
    const { say, got } = relay();
    say("a", { data: { "k\u200b": ["v\u202e", 1, null] } });
    expect(got[0]?.data).toEqual({ k: ["v", 1, null] });
  });

  it("cuts what is too long, and shows nothing of what is nested without end", () => {
    const { say, got } = relay();
    say("a", { data: "x".repeat(LIMITS.logDataChars + 5) });
    say("a", { data: ["x".repeat(LIMITS.logDataChars)] });
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level += 1) deep = [deep];
    say("a", { data: deep });
    expect(got.map(({ data }) => String(data).slice(-22))).toEqual([
      "x… (5 more characters)",
      "x… (4 more characters)",
      expect.stringMatching(/^ +… \(1 more characters\)$/),
    ]);
  });

  it("[TB-8] passes on 100 a second to each client, and says how many it dropped", () => {
    const { say, got } = relay();
    for (let i = 0; i < 250; i += 1) say("a", { data: i });
    for (let i = 0; i < 10; i += 1) say("b", { data: "b" });
    expect(got.filter(({ data }) => data !== "b")).toHaveLength(100);
    expect(got.filter(({ data }) => data === "b")).toHaveLength(10);
    vi.advanceTimersByTime(500);
    say("a", { data: "later" });
    expect(got.slice(-2)).toEqual([
      { level: "warning", logger: "pml", data: NOTICE(150) },
      { level: "info", logger: "mail", data: "later" },
    ]);
  });

  it("[TB-8] says so also where the server falls silent", () => {
    const { say, got } = relay();
    for (let i = 0; i < 101; i += 1) say("a", {});
    vi.advanceTimersByTime(1_000);
    expect(got.at(-1)?.data).toBe(NOTICE(1));
    vi.advanceTimersByTime(10_000);
    expect(got).toHaveLength(101);
  });
});
