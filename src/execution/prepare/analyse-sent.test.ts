import { describe, expect, it } from "vitest";
import type { CodeProblem } from "../../analysis/analysis.js";
import { problemsError } from "./analyse-sent.js";

function problem(line: number, more: Partial<CodeProblem> = {}): CodeProblem {
  return {
    code: "TOOL_NOT_FOUND",
    message: `Unknown tool ${line}`,
    line,
    column: 7,
    text: "  x();",
    ...more,
  };
}

describe("[AN-1] problemsError", () => {
  it("is nothing where nothing is wrong", () => expect(problemsError([])).toBeUndefined());
  it("has place and line, and the code of the first", () => {
    const error = problemsError([
      problem(3, { hint: "Did you mean y?" }),
      problem(5, { code: "CODE_REFUSED", hint: "Leave it." }),
    ]);
    expect(error).toMatchObject({ code: "TOOL_NOT_FOUND", hint: "Did you mean y?" });
    expect(error?.message).toBe(
      "Unknown tool 3 (line 3, column 7)\n    x();\nUnknown tool 5 (line 5, column 7) Leave it.\n    x();",
    );
    expect(error?.data).toMatchObject({ line: 3, column: 7, problems: [{ line: 3 }, { line: 5 }] });
  });
  it("shows no empty line", () =>
    expect(problemsError([problem(1, { text: " " })])?.message).toBe("Unknown tool 1 (line 1, column 7)"));
  it("shows some of very many, and of a very long line its beginning", () => {
    const error = problemsError(
      Array.from({ length: 30 }, (_, at) => problem(at + 1, { text: "y".repeat(9_999) })),
    );
    expect(error?.message).toMatch(/… and 10 more$/);
    expect(error?.message.length).toBeLessThan(10_000);
  });
});
