import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { citationsOf, readTestFiles } from "./citations.mjs";
import { FAMILIES, REQUIREMENTS } from "./requirements.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const known = new Set(REQUIREMENTS.map(({ id }) => id));
const seedRows = readSeedRows(
  readFileSync(new URL("../../docs/internal/seed-map.md", import.meta.url), "utf8"),
);

const seedIds = seedRows.map(({ id }) => id);

interface SeedRow {
  readonly id: string;
  readonly governedBy: readonly string[];
}

/** Rows of the map proper have six cells; those of its legend have two. */
function readSeedRows(markdown: string): readonly SeedRow[] {
  return markdown.split("\n").flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    const [, id = "", , governedBy = ""] = cells;
    if (cells.length !== 8 || id === "id" || /^-+$/.test(id)) return [];
    return [{ id, governedBy: governedBy.split(", ") }];
  });
}

describe("the requirements", () => {
  it("have well-formed ids, each once, numbered without a gap", () => {
    const expected = FAMILIES.flatMap((family) => {
      const count = REQUIREMENTS.filter(({ id }) => id.startsWith(`${family}-`)).length;
      return Array.from({ length: count }, (_, index) => `${family}-${index + 1}`);
    });
    expect(REQUIREMENTS.map(({ id }) => id)).toEqual(expected);
  });

  it("say what they ask in one sentence, no two alike", () => {
    const vague = REQUIREMENTS.filter(
      ({ section, text }) => section === "" || !/^[A-Z`].{20,}[^.]\.$/.test(text),
    );
    expect(vague).toEqual([]);
    expect(new Set(REQUIREMENTS.map(({ text }) => text)).size).toBe(REQUIREMENTS.length);
  });

  // A family that goes missing would make its citations unknown, and its ids no longer reported.
  it("cover every section", () => {
    const counts = FAMILIES.map(
      (family) => `${family} ${REQUIREMENTS.filter(({ id }) => id.startsWith(`${family}-`)).length}`,
    );
    expect(counts).toEqual([
      "WIRE 6",
      "ID 15",
      "AN 14",
      "EX 15",
      "DI 6",
      "GW 5",
      "CU 5",
      "ST 5",
      "UX 4",
      "FP 28",
      "LP 7",
      "FH 8",
      "DO 6",
      "DA 5",
      "LC 5",
      "SW 4",
      "SC 6",
      "TB 9",
    ]);
  });
});

describe("the tests", () => {
  const files = readTestFiles(ROOT).map((file) => citationsOf(file, FAMILIES));
  const citations = files.flatMap((file) => file.citations);

  it("cite in a form that can be read", () => {
    expect(files.flatMap(({ problems }) => problems)).toEqual([]);
  });

  it("cite only requirements that exist", () => {
    const unknown = citations.filter(({ id }) => !known.has(id) && !seedIds.includes(id));
    expect(unknown.map(({ id, place }) => `${place} cites ${id}`)).toEqual([]);
  });

  it("sanity: the walk found citations to judge", () => {
    expect(citations.length).toBeGreaterThan(0);
  });
});

describe("the seed map", () => {
  it("is governed by requirements that exist", () => {
    const lost = seedRows.filter(({ governedBy }) => !governedBy.every((id) => known.has(id)));
    expect(lost).toEqual([]);
  });

  it("has each id once", () => {
    expect(seedIds.filter((id, index) => seedIds.indexOf(id) !== index)).toEqual([]);
  });

  it("sanity: the rows were found", () => {
    expect(seedIds).toEqual(expect.arrayContaining(["FR001", "NFR007", "13.4 AC8", "10.1 AC5", "028 M1"]));
  });
});
