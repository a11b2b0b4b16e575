import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { analyse } from "../../src/analysis/analyse.js";
import { mismatches } from "./check-case.js";
import { type LabelledCase, readCases, vocabularyOf } from "./labelled-case.js";

function check(each: LabelledCase): void {
  expect(mismatches(each.expect, analyse(each.code, vocabularyOf(each)))).toEqual([]);
}

describe("[AN-2, AN-3, AN-4, AN-5, AN-6, AN-7, AN-8] the labelled cases", () => {
  const cases = readCases(new URL("analysis.jsonl", import.meta.url));
  it("are there", () => expect(cases.length).toBeGreaterThan(40));
  it.each(cases)("$id: $why", check);
});

describe("[AN-1, AN-2, AN-3, AN-4, AN-5, AN-6, AN-7, AN-8, FP-6, FP-22] our own labelled cases", () => {
  const cases = readCases(new URL("structure.jsonl", import.meta.url));
  it("are there, each with an id of its own", () => {
    expect(cases.length).toBeGreaterThanOrEqual(120);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });
  it.each(cases)("$id: $why", check);
});

const directory = process.env.PML_EVAL_DIR;
const file = directory === undefined ? undefined : join(directory, "analysis.jsonl");

describe.runIf(file !== undefined && existsSync(file))("labelled cases from elsewhere", () => {
  it.each(file === undefined || !existsSync(file) ? [] : readCases(file))("$id: $why", check);
});
