import { describe, expect, it } from "vitest";
import { SeenLines } from "./seen-lines.js";

/** What becomes of `second`, read after a person has agreed to `first`. */
function readAgain(first: readonly string[], second: readonly string[]): string {
  const seen = new SeenLines();
  for (const [index, text] of first.entries()) seen.see(index + 1, text);
  seen.confirm();
  let read = 0;
  try {
    for (const [index, text] of second.entries()) {
      seen.see(index + 1, text);
      read += 1;
    }
    return `${read} read`;
  } catch (error) {
    return `${read} read, then ${(error as { code: string }).code}`;
  }
}

describe("[TB-4] lines that a person has agreed to", () => {
  it.each([
    ["the same", ["h", "a", "b"], ["h", "a", "b"], "3 read"],
    ["fewer", ["h", "a", "b"], ["h", "a"], "2 read"],
    ["another", ["h", "a", "b"], ["h", "c", "b"], "1 read, then IMPORT_INVALID"],
    ["more", ["h", "a"], ["h", "a", "b"], "2 read, then IMPORT_INVALID"],
    ["in another order", ["h", "a", "b"], ["h", "b", "a"], "1 read, then IMPORT_INVALID"],
    ["another header", ["h", "a"], ["i", "a"], "0 read, then IMPORT_INVALID"],
  ])("are those that are imported: %s", (_, first, second, outcome) => {
    expect(readAgain(first, second)).toBe(outcome);
  });
});
