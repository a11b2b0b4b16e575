import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../test/support/sample-capability.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import { HybridMatcher, steadyList } from "./hybrid-matcher.js";

const ADA = { org: "local", project: "default", user: "ada" };

describe("[DI-1, 10.6 AC5] pages of what was found", () => {
  const capabilities = Array.from({ length: 400 }, (_, at) =>
    sampleCapability(`n:c${at}`, {
      intent: `plant tree ${"and water roses ".repeat(at % 7)}${at}`,
      usageCount: 50,
      successCount: (at * 37) % 51,
    }),
  );
  const matcher = new HybridMatcher({
    directory: new CapabilityDirectory(capabilities),
    tools: () => [],
  });
  const page = (offset: number, limit: number) => matcher.match("plant a tree", ADA, { offset, limit });

  it("are the list when they are put together, whatever their size", async () => {
    const all = await page(0, 1_000);
    expect(new Set(all.map(({ id }) => id)).size).toBe(400);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 12 }), async (sizes) => {
        const found = [];
        for (const size of [...sizes, 400]) found.push(...(await page(found.length, size)));
        expect(found).toEqual(all);
      }),
      { numRuns: 15 },
    );
  });

  it("go on behind what was shown, though something better is found later", async () => {
    const names = Array.from({ length: 100 }, (_, at) => ({ key: `k${at}`, score: 0.5 - at / 1_000 }));
    const late = { key: "late", score: 0.9 };
    const ranked = async (room: number) => (room < 128 ? names.slice(0, room) : [late, ...names]);
    const list = await steadyList(200, ranked);
    expect(list.map(({ key }) => key).slice(32, 37)).toEqual(["k32", "k33", "late", "k34", "k35"]);
    expect(list[34]?.score).toBe(list[33]?.score);
    expect(list).toHaveLength(101);
  });
});
