import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { chooseFrom, movesOf, mutations, problemOf, tableOf } from "./mutations.mjs";

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

  it("is the table of README.md, which `npm run mutations -- --moved` writes", () => {
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

  it("tells what does not fit, and where it has gone", () => {
    const [one] = ALL;
    if (one === undefined) throw new Error("there are no mutations");
    const problem = (changes: Partial<typeof one>) => problemOf(ROOT, { ...one, ...changes });
    expect(problem({ find: "e" })).toMatch(/occurs \d\d+ times/);
    expect(problem({ replace: one.find })).toContain("changes nothing");
    expect(problem({ foundBy: [] })).toContain("names no test");
    const moved = { file: "src/none.ts", foundBy: ["src/errors/pml-error.test.ts", "test/none.test.ts"] };
    expect(problem(moved)).toBe(`${one.id}: ${[moved.file, ...moved.foundBy].join(", ")} has gone`);
    expect([...movesOf(ROOT, { ...one, ...moved }).values()]).toEqual([
      one.file,
      "src/base/pml-error.test.ts",
      undefined,
    ]);
  });
});
