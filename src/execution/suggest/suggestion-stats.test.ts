import { describe, expect, it } from "vitest";
import { SuggestionStats } from "./suggestion-stats.js";

describe("what comes of suggestions", () => {
  it("[UX-3] counts what was searched, matched, suggested, and used soon after by the same connection", () => {
    let now = 0;
    const stats = new SuggestionStats(() => now);
    stats.searched(false);
    stats.searched(true);
    for (const id of ["files:read", "files:write", "files:stat"]) stats.suggested("one", id);
    stats.used("two", "files:read");
    stats.used("one", "mail:send");
    expect(stats.stats()).toEqual({ searched: 2, matched: 1, suggested: 3, accepted: 0 });
    stats.used("one", "files:read");
    stats.used("one", "files:read");
    now = 600_000;
    stats.used("one", "files:write");
    now = 600_001;
    stats.used("one", "files:stat");
    expect(stats.stats()).toEqual({ searched: 2, matched: 1, suggested: 3, accepted: 2 });
  });

  it("[UX-3] remembers no more than there is room for", () => {
    const stats = new SuggestionStats(() => 0);
    for (let i = 0; i < 150; i += 1) stats.suggested("one", `t:${i}`);
    stats.used("one", "t:0");
    stats.used("one", "t:149");
    for (let i = 0; i < 1_000; i += 1) stats.suggested(`c${i}`, "t:1");
    stats.used("one", "t:148");
    expect(stats.stats().accepted).toBe(1);
  });
});
