import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import { runsText, traceText } from "./trace-report.js";
import { localTime } from "./when.js";
import * as report from "./whois-report.js";

beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-11-16T01:05:30.000Z") }));
afterEach(() => void vi.useRealTimers());

const whoisText = loosely(report.whoisText);

const run = {
  workflowId: "w1",
  traceId: "t1",
  capability: "fs:copy",
  version: 2,
  intent: "copy\nfiles",
  by: "ada@acme",
  at: "2026-11-16T01:02:03.456Z",
  success: true,
  durationMs: 1234.5,
  executedPath: ["n1", "d1", "c1"],
};

describe("[FP-5] pml trace", () => {
  it("shows one run, with its calls as a tree", () => {
    const text = traceText({
      ...run,
      success: false,
      error: { code: "TOOL_FAILED", message: "no such\u001b file" },
      decisions: [{ nodeId: "d1", outcome: "true", count: 3 }],
      loops: [{ nodeId: "l1", iterations: 4 }],
      tasks: [
        { taskId: "n1", tool: "fs:read", success: true, durationMs: 1.26 },
        {
          taskId: "c1",
          tool: "fs:keep",
          version: 1,
          success: false,
          durationMs: 20,
          executedPath: ["n1"],
          tasks: [{ taskId: "c1.n1", tool: "fs:write", success: false, status: "skipped", durationMs: 0 }],
        },
      ],
    });
    expect(text).toBe(
      [
        "run        w1",
        "what       fs:copy, version 2",
        "intent     copy\\u{a}files",
        "by         ada@acme",
        `when       ${localTime(run.at)} (3 min ago)`,
        "took       1235 ms",
        "result     TOOL_FAILED",
        "error      no such\\u{1b} file",
        "path       n1 → d1 → c1",
        "decisions  d1=true ×3",
        "loops      l1 ×4",
        "",
        "calls",
        "  n1       fs:read              1.3 ms  ok",
        "  c1       fs:keep (version 1)  20 ms   failed   path n1",
        "    c1.n1  fs:write             0 ms    skipped",
      ].join("\n"),
    );
  });

  it("lists the last runs, code that is not a capability too", () => {
    const { capability: _, version: __, ...code } = run;
    expect(runsText({ runs: [run, { ...code, success: false, error: {} }] }, 200)).toBe(
      [
        "WORKFLOW  WHEN       TOOK     RESULT   WHAT                           INTENT",
        "w1        3 min ago  1235 ms  success  fs:copy, version 2             copy files",
        "w1        3 min ago  1235 ms  failed   code that is not a capability  copy files",
      ].join("\n"),
    );
    expect(runsText({ runs: [] })).toBe("No runs");
  });
});

describe("[FP-5] pml cap whois", () => {
  it("shows what was learnt from runs, and the last of them", () => {
    const learning = {
      paths: [
        { path: ["n1", "d1", "n2"], count: 2, successRate: 1 },
        { path: ["n1", "d1", "n3"], count: 1, successRate: 0 },
      ],
      otherPaths: { count: 4, successRate: 0.5 },
      dominantPath: ["n1", "d1", "n2"],
      decisionStats: [
        { nodeId: "d1", condition: "file.exists", outcomes: { true: { count: 2 }, false: { count: 1 } } },
      ],
      loopStats: [{ nodeId: "l1", runs: 3, min: 0, max: 5, average: 2.33 }],
    };
    expect(whoisText({ display_name: "fs:copy", version: 2, learning, traces: [run] })).toBe(
      [
        "fs:copy, version 2",
        "",
        "used  never",
        "",
        "paths",
        "  ×2*  100 %  n1 → d1 → n2",
        "  ×1   0 %    n1 → d1 → n3",
        "  ×4   50 %   other paths",
        "",
        "decisions",
        "  d1  file.exists  true ×2, false ×1",
        "",
        "loops",
        "  l1  0 to 5, 2.33 on average in 3 runs",
        "",
        "last runs",
        "  WORKFLOW  WHEN       TOOK     RESULT   WHAT                INTENT",
        "  w1        3 min ago  1235 ms  success  fs:copy, version 2  copy files",
      ].join("\n"),
    );
  });

  it("shows nothing of runs where there were none", () => {
    const learning = { paths: [], decisionStats: [] };
    expect(whoisText({ display_name: "fs:copy", version: 2, learning, traces: [] })).toBe(
      "fs:copy, version 2\n\nused  never",
    );
  });
});
