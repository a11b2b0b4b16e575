import { describe, expect, it } from "vitest";
import { firstCharacters, TaskLog } from "./task-log.js";

describe("[FP-17] TaskLog", () => {
  it("numbers occurrences of a node from the second on", () => {
    const log = new TaskLog(() => 0);
    const ids = [
      log.start("n1", undefined, "a"),
      log.start("n2", undefined, "b"),
      log.start("n1", undefined, "a"),
    ];
    expect(ids.map(({ taskId }) => taskId)).toEqual(["n1", "n2", "n1#2"]);
  });

  it("puts calls inside of a capability behind it", () => {
    const log = new TaskLog(() => 0);
    const outer = log.start("n1", undefined, "num:inc");
    const again = log.start("n1", undefined, "num:inc");
    expect(log.start("n1", outer.taskId, "t:echo").taskId).toBe("n1.n1");
    expect(log.start("n1", again.taskId, "t:echo").taskId).toBe("n1#2.n1");
  });

  it("names calls that no node is known of", () => {
    const log = new TaskLog(() => 0);
    expect([
      log.start(undefined, undefined, "a").taskId,
      log.start(undefined, undefined, "a").taskId,
    ]).toEqual(["call_1", "call_2"]);
  });

  it("reports in the order of starting, and what never ended as failed", () => {
    let now = 0;
    const log = new TaskLog(() => now);
    const first = log.start("n1", undefined, "a");
    const second = log.start("n2", undefined, "b");
    now = 5;
    log.end(second, true, '"x"');
    expect(log.reports()).toEqual([
      { taskId: "n1", tool: "a", success: false, durationMs: 5, resultPreview: "not finished" },
      { taskId: "n2", tool: "b", success: true, durationMs: 5, resultPreview: '"x"' },
    ]);
    expect(first.taskId).toBe("n1");
  });

  it("[EX-10] cuts a preview at 240 characters, never inside of one", () => {
    const log = new TaskLog(() => 0);
    const task = log.start("n1", undefined, "a");
    const { resultPreview } = log.end(task, true, "🦊".repeat(300));
    expect(resultPreview).toBe("🦊".repeat(240));
  });
});

describe("firstCharacters", () => {
  it("leaves short text alone", () => expect(firstCharacters("abc", 3)).toBe("abc"));
  it("cuts long text", () => expect(firstCharacters("abcd", 3)).toBe("abc"));
  it("keeps a pair together", () => expect(firstCharacters("ab🦊c", 3)).toBe("ab🦊"));
});
