import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import * as report from "./cache-report.js";
import { localTime } from "./when.js";

const cacheText = loosely(report.cacheText);

describe("[EX-14, UX-1] what pml cache prints", () => {
  it("of the figures", () => {
    const text = cacheText({
      enabled: true,
      hits: { execution: 12, capability: 3, intent: 0 },
      misses: 9,
      memory: { entries: 4, bytes: 9312 },
      store: { entries: 2, bytes: 1180, hits: 3 },
    });
    expect(text.split("\n").map((line) => line.split(/ +/).join(" "))).toEqual([
      " HITS KEPT BYTES",
      "execution 12 4 9312",
      "capability 3 2 1180",
      "intent 0",
      "misses 9",
    ]);
    expect(cacheText({ enabled: false })).toContain("cache.enabled is false");
  });

  it("of what was dropped", () => {
    expect(cacheText({ dropped: 1, of: "fs:read" })).toBe("Dropped 1 result of fs:read");
    expect(cacheText({ dropped: 0, of: "a\u001b" })).toBe("Dropped 0 results of a\\u{1b}");
  });

  it("of the log", () => {
    const at = "2026-11-16T04:05:06.789Z";
    const text = cacheText({
      invalidations: [
        { at, trigger: "tool_removed", entries: 3, tool: "fs:read" },
        { at, trigger: "tool_called", entries: 2, tool: "fs:write" },
        { at, trigger: "manual", entries: 0, by: "ada@local" },
        { at, trigger: "some_day", entries: 1, capability: "fs:one" },
      ],
    });
    expect(text.split("\n").map((line) => line.split(/ {2,}/).join(" | "))).toEqual([
      "WHEN | RESULTS | OF | WHY | BY",
      `${localTime(at)} | 3 | fs:read | a tool no longer exists`,
      `${localTime(at)} | 2 | fs:write | it may have changed the data that was read`,
      `${localTime(at)} | 0 | everything | cleared by a person | ada@local`,
      `${localTime(at)} | 1 | fs:one | some_day`,
    ]);
    expect(cacheText({ invalidations: [] })).toBe("No results were dropped so far");
  });
});
