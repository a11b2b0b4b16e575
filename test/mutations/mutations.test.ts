import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chooseFrom, mutations, problemOf, tableOf } from "./mutations.mjs";

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

  it("is the table of README.md, which `npm run mutations -- --table` prints", () => {
    expect(readFileSync(new URL("README.md", import.meta.url), "utf8")).toContain(tableOf(ALL));
  });

  it("is chosen from by id, area and range", () => {
    const ids = (...wanted: string[]) => chooseFrom(ALL, wanted).map(({ id }) => id);
    expect(ids()).toHaveLength(ALL.length);
    expect(ids("registry-3..registry-5", "app-1")).toEqual([
      "app-1",
      "registry-3",
      "registry-4",
      "registry-5",
    ]);
    expect(ids("curation")).toEqual(["curation-1", "curation-2"]);
    expect(() => ids("nothing-1")).toThrow('There is no mutation or area "nothing-1"');
  });

  it("is told what does not fit", () => {
    const [one] = ALL;
    if (one === undefined) throw new Error("there are no mutations");
    expect(problemOf(ROOT, { ...one, find: "no such text" })).toBe(
      `${one.id}: its text is not in ${one.file}`,
    );
    expect(problemOf(ROOT, { ...one, find: "e" })).toMatch(/occurs \d\d+ times/);
    expect(problemOf(ROOT, { ...one, replace: one.find })).toContain("changes nothing");
    expect(problemOf(ROOT, { ...one, foundBy: [] })).toContain("names no test");
    expect(problemOf(ROOT, { ...one, foundBy: ["test/none.test.ts"] })).toContain("there is no test");
    const moved = { ...one, file: "src/none.ts" };
    expect(problemOf(ROOT, moved)).toBe(`${one.id}: there is no src/none.ts; it is in ${one.file}`);
    expect(problemOf(ROOT, { ...one, foundBy: ["src/errors/pml-error.test.ts"] })).toBe(
      `${one.id}: there is no test src/errors/pml-error.test.ts; there is src/base/pml-error.test.ts`,
    );
  });
});
