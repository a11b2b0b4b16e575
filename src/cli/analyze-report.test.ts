import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import { sketched } from "../../test/support/sketched-structure.js";
import * as report from "./analyze-report.js";

const analyzeReport = loosely(report.analyzeReport);
const diagramOf = loosely(report.diagramOf);
const { problemText } = report;

const NOTHING = {
  status: "dry_run",
  dag: { nodes: [], edges: [] },
  parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
  permissions: { tools: [], routing: "cloud", computedCalls: false, missing: [] },
  problems: [],
  predictedPath: [],
  predictedBy: "structure",
};

const DRAWN = sketched({
  nodes: ["n1: fs:stat", "d1: file.exists", "n2: fs:read"],
  edges: ["n1 > d1", "d1 -true> n2"],
});

describe("[UX-1] what pml analyze prints", () => {
  it("[EX-12] has a section for everything that is known", () =>
    expect(
      analyzeReport({
        ...NOTHING,
        capabilityName: "fs:show",
        capabilityVersion: 2,
        dag: {
          nodes: DRAWN.nodes,
          edges: [
            ...DRAWN.edges,
            {
              from: "n1",
              to: "n2",
              type: "provides",
              coverage: "partial",
              fieldMapping: [
                { fromField: "name", toField: "path", typeCompatible: true },
                { fromField: "$", toField: "size", typeCompatible: false },
              ],
            },
          ],
        },
        parameters: {
          type: "object",
          properties: {
            path: { type: "string" },
            depth: { type: ["integer", "null"], default: 2 },
            mode: { type: "string", default: "text" },
            any: true,
          },
          required: ["path"],
          additionalProperties: true,
        },
        liftedParameters: ["mode"],
        permissions: {
          tools: [
            { tool: "fs:stat", approvalMode: "auto", routing: "local", reason: "it only reads" },
            { tool: "fs:read", approvalMode: "hil", routing: "local", reason: "who knows", via: "fs:json" },
            { tool: "fs:rm", approvalMode: "deny", routing: "cloud", reason: "no" },
          ],
          routing: "local",
          computedCalls: true,
          note: "Some are not listed",
          missing: ["fs:gone"],
        },
        predictedPath: ["n1", "d1"],
      }),
    ).toBe(`fs:show, version 2

Structure
  n1  fs:stat
  d1  if file.exists
      true  → n2  fs:read
      false → end

Data
  n1 ⇒ n2  partial  name → path, result → size (types differ)

Parameters
  path   string          required
  depth  integer | null  optional  = 2
  mode   string          optional  = "text"  lifted
  any    any             optional
  and any other

Permissions
  fs:stat  allowed         local  it only reads
  fs:read  needs approval  local  who knows; called by fs:json
  fs:rm    denied          cloud  no
  fs:gone  gone                   no server offers it
  runs on this machine
  Some are not listed

Predicted path
  n1 → d1 → …
  the path of every run up to the first branch`));

  it("leaves out what there is nothing to say about", () =>
    expect(analyzeReport(NOTHING)).toBe("Structure\n  no calls"));

  it.each([
    ["runs", ["n1", "d1"], "n1 → d1\n  the most frequent path of earlier runs"],
    ["structure", ["n1", "d1", "n2"], "n1 → d1 → n2\n  the path of every run"],
  ])("[EX-12] tells a path that %s show from one that is a guess", (predictedBy, predictedPath, text) =>
    expect(analyzeReport({ ...NOTHING, dag: DRAWN, predictedBy, predictedPath })).toContain(
      `Predicted path\n  ${text}`,
    ),
  );

  it("[AN-13] lists problems last, each with its line and a mark under its place", () =>
    expect(
      analyzeReport({
        ...NOTHING,
        problems: [
          {
            code: "TOOL_NOT_FOUND",
            message: "Unknown tool",
            line: 2,
            column: 14,
            text: "const a = b; mcp.fs.raed();",
            hint: "Did you mean mcp.fs.read?",
          },
          { code: "NAME_TAKEN", message: "Taken" },
        ],
      }),
    ).toBe(`Structure
  no calls

2 problems
  2:14  Unknown tool [TOOL_NOT_FOUND]
    | const a = b; mcp.fs.raed();
    |              ^
    Did you mean mcp.fs.read?
  Taken [NAME_TAKEN]`));

  it("spells out what a terminal would obey", () => {
    const nodes = sketched({ nodes: ["d1: a === '\u001b[31m'"], edges: [] }).nodes;
    expect(analyzeReport({ ...NOTHING, dag: { nodes, edges: [] } })).toContain("a === '\\u{1b}[31m'");
    expect(problemText({ code: "X", message: "\u001b[2J", line: 1, column: 1, text: "\u202ea" })).toBe(
      "1:1  \\u{1b}[2J [X]\n  | \\u{202e}a\n  | ^",
    );
  });

  it("draws whatever the gateway answers", () => {
    expect(analyzeReport({ status: "dry_run" })).toBe("Structure\n  no calls");
    expect(diagramOf({ ...NOTHING, dag: DRAWN, predictedPath: ["n1"] })).toMatch(
      /^flowchart TD\n[\s\S]*class n1 predicted$/,
    );
  });
});

describe("[AN-1] the mark under a place", () => {
  const marked = (text: string, column: number) =>
    problemText({ code: "X", message: "m", line: 1, column, text }).split("\n").slice(1);

  it.each([
    ["the start", "abc", 1, ["  | abc", "  | ^"]],
    ["past the end", "abc", 4, ["  | abc", "  |    ^"]],
    ["after tabs", "\t\tabc", 4, ["  | \t\tabc", "  | \t\t ^"]],
    ["after signs that are spelt out", "\u0007abc", 3, ["  | \\u{7}abc", "  |       ^"]],
    ["nowhere in a line without text", "  ", 1, []],
  ])("stands at %s", (_where, text, column, lines) => expect(marked(text, column)).toEqual(lines));

  it("stands under its place in a long line too", () => {
    const [line = "", mark = ""] = marked(`${"x".repeat(300)}!${"y".repeat(300)}`, 301);
    expect(line.indexOf("!")).toBe(mark.indexOf("^"));
    expect(line.length).toBeLessThan(120);
    expect(line).toMatch(/^ {2}\| …x+!y+…$/);
  });
});
