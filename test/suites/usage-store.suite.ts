import { beforeEach, describe, expect, it } from "vitest";
import type { UsageRow, UsageStore } from "../../src/registry/usage.js";

const noon = new Date("2026-11-15T12:00:00.000Z");

function call(serverId: string, toolName: string, more: Partial<UsageRow> = {}): UsageRow {
  const scope = { org: "local", project: "default", user: "someone" };
  return { serverId, toolName, ...scope, calledAt: noon, durationMs: 10, success: true, ...more };
}

export function describeUsageStore(name: string, open: () => Promise<UsageStore>): void {
  describe(`UsageStore: ${name}`, () => {
    let store: UsageStore;
    beforeEach(async () => {
      store = await open();
    });

    it("[EX-13] totals calls, successes and time per tool", async () => {
      const later = new Date("2026-11-15T13:00:00.001Z");
      await store.add([
        call("fs", "read", { durationMs: 1.5 }),
        call("fs", "read", { durationMs: 2, calledAt: later, success: false, errorCode: "TOOL_FAILED" }),
      ]);
      expect(await store.totals()).toEqual([
        {
          serverId: "fs",
          toolName: "read",
          calls: 2,
          successes: 1,
          totalDurationMs: 3.5,
          lastCalledAt: later,
        },
      ]);
    });

    it("[EX-13] totals of one project, where one is asked for", async () => {
      await store.add([
        call("fs", "read"),
        call("fs", "read", { project: "other" }),
        call("fs", "x", { org: "o" }),
      ]);
      const of = await store.totals({ org: "local", project: "default" });
      expect(of.map(({ toolName, calls }) => [toolName, calls])).toEqual([["read", 1]]);
      expect(await store.totals()).toHaveLength(2);
    });

    it("[EX-13] counts capabilities and management tools like any other", async () => {
      await store.add([call("pml-capabilities", "fs:read_json"), call("pml-std", "cap:list")]);
      expect((await store.totals()).map(({ serverId }) => serverId)).toEqual(["pml-capabilities", "pml-std"]);
    });

    it("shows the most called first, then goes by name", async () => {
      await store.add([call("b", "x"), call("a", "z"), call("a", "y"), call("c", "c"), call("c", "c")]);
      const order = (await store.totals()).map(({ serverId, toolName }) => `${serverId}:${toolName}`);
      expect(order).toEqual(["c:c", "a:y", "a:z", "b:x"]);
    });

    it("adds all rows or none", async () => {
      // The earliest date of JavaScript is before the earliest of PostgreSQL.
      const bad = call("fs", "read", { calledAt: new Date(-8.64e15) });
      const many = Array.from({ length: 6_000 }, () => call("fs", "read"));
      await expect(store.add([...many, bad])).rejects.toMatchObject({ code: "STORE_FAILED" });
      expect(await store.totals()).toEqual([]);
    });

    it("takes more rows than fit one statement, and none", async () => {
      await store.add([]);
      await store.add(Array.from({ length: 12_001 }, () => call("fs", "read")));
      expect(await store.totals()).toMatchObject([{ calls: 12_001 }]);
    });

    it("takes names with any character", async () => {
      const toolName = 'we"ird\\ \0 \ud800';
      await store.add([call("fs", toolName)]);
      expect(await store.totals()).toMatchObject([{ toolName }]);
    });

    it("prunes what is older, keeps what is not, and says how many went", async () => {
      const old = new Date(noon.getTime() - 1);
      await store.add([
        call("fs", "old", { calledAt: old }),
        call("fs", "old", { calledAt: old }),
        call("fs", "new"),
      ]);
      expect(await store.prune(noon)).toBe(2);
      expect((await store.totals()).map(({ toolName }) => toolName)).toEqual(["new"]);
      expect(await store.prune(noon)).toBe(0);
    });
  });
}
