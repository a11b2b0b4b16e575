import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { mutations, problemOf } from "./mutations.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ALL = mutations(ROOT);

describe("the list of mutations", () => {
  it("can be made: each text is found once in its file, and the tests that find the mutation exist", () => {
    expect(ALL.length).toBeGreaterThan(50);
    expect(ALL.flatMap((mutation) => problemOf(ROOT, mutation) ?? [])).toEqual([]);
  });

  it("says what each breaks, and changes one line", () => {
    for (const { id, find, breaks } of ALL) {
      expect(find, id).not.toContain("\n");
      expect(breaks, id).toMatch(/^["A-Za-z@].{20,}\.$/);
    }
  });

  it("is told what does not fit", () => {
    const [one] = ALL;
    if (one === undefined) throw new Error("there are no mutations");
    expect(problemOf(ROOT, { ...one, file: "src/none.ts" })).toContain("there is no src/none.ts");
    expect(problemOf(ROOT, { ...one, find: "no such text" })).toContain("occurs 0 times");
    expect(problemOf(ROOT, { ...one, find: "e" })).toMatch(/occurs \d\d+ times/);
    expect(problemOf(ROOT, { ...one, replace: one.find })).toContain("changes nothing");
    expect(problemOf(ROOT, { ...one, foundBy: [] })).toContain("names no test");
    expect(problemOf(ROOT, { ...one, foundBy: ["test/none.test.ts"] })).toContain("there is no test");
  });
});
