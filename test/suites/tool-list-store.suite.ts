import { describe, expect, it } from "vitest";
import type { ToolListState, ToolListStore } from "../../src/registry/tool-list.js";

const STATE: ToolListState = {
  mode: "lean",
  ranked: ["a", "b"],
  fresh: ["c"],
  rankedAt: new Date("2026-11-17T12:00:00Z"),
};

export function describeToolListStore(name: string, open: () => Promise<ToolListStore>): void {
  describe(`ToolListStore: ${name}`, () => {
    it("[LP-1] keeps the list of each scope, the newest state of it", async () => {
      const store = await open();
      expect([...(await store.load())]).toEqual([]);
      await store.save("acme/web/ada", { ...STATE, mode: "all", fresh: [] });
      await store.save("acme/web/ada", STATE);
      await store.save("acme/api/\u0000é", { ...STATE, ranked: [] });
      expect(await store.load()).toEqual(
        new Map([
          ["acme/web/ada", STATE],
          ["acme/api/\u0000é", { ...STATE, ranked: [] }],
        ]),
      );
    });
  });
}
