import { describe, expect, it } from "vitest";
import { codeDiff, cutDiff } from "./code-diff.js";

const ENOUGH = { timeMs: 10_000 };

const diffOf = (before: string | undefined, after: string, bounds = ENOUGH) =>
  codeDiff(
    before === undefined ? undefined : { label: "x@1", code: before },
    { label: "x@2", code: after },
    bounds,
  );

const lines = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at));

describe("[ID-11] what has changed in code", () => {
  it("is a unified diff with three lines of context", () =>
    expect(
      diffOf("a;\nb;\nc;\nd;\nconst e = 1;\nf;\ng;\nh;\ni;", "a;\nb;\nc;\nd;\nconst e = 2;\nf;\ng;\nh;\ni;"),
    ).toEqual({
      diff: [
        "--- x@1",
        "+++ x@2",
        "@@ -2,7 +2,7 @@",
        " b;",
        " c;",
        " d;",
        "-const e = 1;",
        "+const e = 2;",
        " f;",
        " g;",
        " h;",
        "",
      ].join("\n"),
    }));

  it("is all of it where there was nothing before", () =>
    expect(diffOf(undefined, "const a = 1;\nreturn a;")).toEqual({
      diff: "--- /dev/null\n+++ x@2\n@@ -0,0 +1,2 @@\n+const a = 1;\n+return a;\n",
    }));

  it("says nothing of how lines end", () =>
    expect(diffOf("a;\r\nb;", "a;\nc;\n")).toEqual({
      diff: "--- x@1\n+++ x@2\n@@ -1,2 +1,2 @@\n a;\n-b;\n+c;\n",
    }));

  it("is told where the code is the same, and only what it calls is another version", () =>
    expect(diffOf("return 1;", "return 1;\n")).toEqual({
      note: "The code is the same; its calls were resolved again.",
    }));

  it("is a diff where hundreds of lines are others", () => {
    const made = diffOf(lines(400, (at) => `a${at}`).join("\n"), lines(400, (at) => `b${at}`).join("\n"));
    expect("diff" in made ? made.diff.match(/^[-+][ab]\d+$/gm) : made).toHaveLength(800);
  });

  it("is counted where a diff would take for ever", () => {
    const before = lines(40_000, (at) => `a${at % 7}`).join("\n");
    const after = ["one line", ...lines(40_000, (at) => `b${at % 5}`)].join("\n");
    expect(diffOf(before, after)).toEqual({
      note: "Too much has changed for a diff: at least 40000 lines removed, 40001 lines added.",
    });
  });

  it("is counted where there is no time left", () =>
    expect(diffOf("a;\nb;", "a;\nc;\nd;", { timeMs: 0 })).toEqual({
      note: "Too much has changed for a diff: at least 1 line removed, 2 lines added.",
    }));

  it("is cut at the end of a line", () => {
    expect(cutDiff("+a\n+bc\n+d\n", 8)).toEqual({ text: "+a\n+bc\n", isCut: true });
    expect(cutDiff("+a\n+bc\n+d\n", 10)).toEqual({ text: "+a\n+bc\n+d\n", isCut: false });
    expect(cutDiff("+abcdef\n", 3)).toEqual({ text: "", isCut: true });
  });
});
