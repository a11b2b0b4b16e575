import { expect, it } from "vitest";
import { statsReport } from "./stats-report.js";
import { localTime } from "./when.js";

const none = { runs: 0, tokens: 0, tokens_measured: 0, tokens_estimated: 0, ms: 0 };
const nothing = {
  project: "local/default",
  capabilities: {
    total: 0,
    named: 0,
    by_trust: {},
    most_used: [],
    learnt: { total: 0, newest: [] },
    failing: [],
  },
  runs: { today: { total: 0, failed: 0 }, week: { total: 0, failed: 0 }, running: 0, waiting: 0 },
  approvals: { waiting: 0, decided: { once: 0, always: 0 } },
  cache: { hits: { execution: 0, capability: 0, intent: 0 } },
  search: { searched: 0, matched: 0, suggested: 0, accepted: 0 },
  saved: {
    ...none,
    by_day: [],
    by_capability: [],
    week: { since: "2026-11-10", ...none, by_capability: [] },
    measured: ["runs", "tokens_measured", "ms"],
    estimated: ["tokens_estimated"],
  },
  tools: [],
  since: "2026-11-16T12:00:00.000Z",
};

it("[UX-1] pml stats says so where there is nothing yet", () => {
  expect(statsReport(nothing)).toBe(`project       local/default
capabilities  0, 0 named
success rate  nothing was used yet
runs today    0, 0 failed
runs now      0 running, 0 in line
approvals     0 waiting
cache         0 hits
intents       0 searched, 0 matched
suggestions   0 made, 0 used

Nothing saved yet. Run a capability by its name instead of sending its code again: \`pml cap list\` shows what there is.

Caches, intents, suggestions and decisions are counted since ${localTime("2026-11-16T12:00:00.000Z")}.`);
});

it("[UX-1] pml stats shows what there is, and nothing that a terminal would obey", () => {
  expect(
    statsReport({
      ...nothing,
      capabilities: {
        total: 3,
        named: 2,
        by_trust: { provisional: 1, verified: 2 },
        success_rate: 0.875,
        most_used: [{ name: "fs:read", uses: 7, success_rate: 1 }],
        learnt: { total: 0, newest: [] },
        failing: [],
      },
      approvals: { waiting: 1, decided: { once: 2, reject: 0 } },
      cache: { hits: { execution: 3, capability: 1, intent: 0 }, misses: 4, hit_rate: 0.5 },
      tools: [{ id: "fs:re\u001bad", calls: 9, failed: 1, average_ms: 2.5 }],
    }),
  ).toBe(`project       local/default
capabilities  3, 2 named, 1 provisional, 2 verified
success rate  87.5 %
runs today    0, 0 failed
runs now      0 running, 0 in line
approvals     1 waiting, 2 once
cache         4 hits (3 execution, 1 capability), 4 misses, 50 %
intents       0 searched, 0 matched
suggestions   0 made, 0 used

Nothing saved yet. Run a capability by its name instead of sending its code again: \`pml cap list\` shows what there is.

CAPABILITY  USES  SUCCESS
fs:read     7     100 %

TOOL           CALLS  FAILED  AVERAGE
fs:re\\u{1b}ad  9      1       2.5 ms

Caches, intents, suggestions and decisions are counted since ${localTime("2026-11-16T12:00:00.000Z")}.`);
});
