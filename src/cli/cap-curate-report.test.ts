import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import { PmlError } from "../base/pml-error.js";
import { renamesOf } from "./cap-curate.js";
import * as report from "./cap-curate-report.js";

const appliedText = loosely(report.appliedText);
const autoText = loosely(report.autoText);
const reviewText = loosely(report.reviewText);
const suggestionsText = loosely(report.suggestionsText);

const ROW = {
  id: "1",
  currentName: "unnamed_1a2b3c4d",
  suggestedName: "fs:read_json",
  confidence: 0.91,
  reasoning: "it calls filesystem; the intent says read",
  description: "Reads a JSON file.",
  tags: ["json", "files"],
};

describe("[CU-1, UX-1] suggestions as people read them", () => {
  it("are a table, and what can be done about them", () => {
    const unsure = { ...ROW, currentName: "unnamed_5e6f7a8b", suggestedName: "util:do", confidence: 0.5 };
    expect(suggestionsText({ suggestions: [ROW, unsure], total: 7 }, 2, 200)).toBe(
      `NAME NOW          SUGGESTED     SURE  WHY
unnamed_1a2b3c4d  fs:read_json  0.91  it calls filesystem; the intent says read
unnamed_5e6f7a8b  util:do       0.50  it calls filesystem; the intent says read

3 to 4 of 7; next: --offset 4
\`pml cap curate --auto\` applies those with confidence over 0.8; in a terminal \`pml cap curate\` asks about each.`,
    );
    expect(suggestionsText({ suggestions: [], total: 0 }, 0)).toBe("There are no unnamed capabilities");
    expect(suggestionsText({ suggestions: [], total: 3 }, 9)).toBe("No entry at offset 9: 3 wait for a name");
  });

  it("are shown one by one with code, what is near and who thought of it, and nothing that a terminal obeys", () => {
    const code = `${Array.from({ length: 20 }, (_, at) => `line(${at});`).join("\n")}`;
    const more = {
      intent: "read \u001b[2Jit",
      tools: ["a:b", "c:d"],
      near: ["unnamed_9"],
      by: "haiku",
      usageCount: 3,
    };
    const text = reviewText({ ...ROW, ...more, code });
    expect(text).not.toContain("\u001b");
    expect(text.split("\n")[0]).toBe("unnamed_1a2b3c4d  used 3×");
    expect(text).toContain("  calls     a:b, c:d\n");
    expect(text).toContain("  code      line(0);\n            line(1);\n");
    expect(text).toContain("            … (6 lines more)\n");
    expect(text).toContain("  name      fs:read_json  0.91\n");
    expect(text).toContain("  near      unnamed_9\n  by        haiku");
  });

  it("that were applied say so, and those that were left why", () => {
    const applied = [{ id: "1", from: "unnamed_1", name: "fs:read", confidence: 0.9 }];
    const left = [
      { currentName: "unnamed_2", suggestedName: "a:b", confidence: 0.5, why: "confidence 0.50" },
    ];
    expect(autoText({ applied, left, left_total: 3, others: 4 }, 200)).toBe(
      `NAME BEFORE  NAME NOW  SURE
unnamed_1    fs:read   0.90

NOT RENAMED  SUGGESTED  WHY
unnamed_2    a:b        confidence 0.50

and 2 more that were not renamed

4 more were not processed: run the command again`,
    );
    expect(autoText({ applied: [], left: [], left_total: 0 })).toBe("No name was applied");
    const error = { code: "NAME_TAKEN", message: "fs:x is taken", hint: "Choose another name." };
    expect(
      appliedText({
        results: [
          { ok: true, from: "a", name: "b" },
          { id: "c", ok: false, error },
        ],
      }),
    ).toBe("a is now called b\nc was not renamed: fs:x is taken [NAME_TAKEN]\n  Choose another name.");
  });
});

describe("[CU-1] names of a file", () => {
  it.each([
    ["a list", [{ id: "1", name: "a:b" }]],
    ["an object with renames", { renames: [{ id: "1", name: "a:b" }] }],
    [
      "what --json printed",
      { mode: "suggest", suggestions: [{ id: "1", suggestedName: "a:b", confidence: 1 }] },
    ],
  ])("are read from %s", (_what, value) =>
    expect(renamesOf(JSON.stringify(value), "f")).toEqual([{ id: "1", name: "a:b" }]),
  );

  it.each([
    ["nothing", "[]", 'Nothing to apply: "f" holds no names'],
    ["no JSON", "{", 'Cannot read "f": '],
    ["something else", "7", 'Cannot read "f": expected [{ "id": …, "name": … }], or what --json printed'],
    ["no objects", "[1]", 'Cannot read "f": entry 1 is not an object'],
  ])("are refused where there is %s", (_what, text, message) => {
    expect(() => renamesOf(text, "f")).toThrow(PmlError);
    expect(() => renamesOf(text, "f")).toThrow(message);
  });
});
