import { describe, expect, it } from "vitest";
import type { StaticStructure, StructureNode } from "../../analysis/static-structure.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { ToolId } from "../../registry/tool-id.js";
import { RunPath } from "./run-path.js";

/**
 * `"n1 d1:switch l1 n2@l1"`: nodes in order, `:kind` of a decision, `@` what a node is in, and `=a|b` the
 * outcomes of a switch beside `default`.
 */
function structure(text: string): StaticStructure {
  const nodes = text.split(" ").map((word): StructureNode => {
    const [, id = "", kind, within, outcomes] = /^(\w+)(?::(\w+))?(?:@(\w+))?(?:=(.*))?$/.exec(word) ?? [];
    return {
      ...bare(id, kind),
      ...(within === undefined ? {} : { within }),
      ...(outcomes === undefined ? {} : { outcomes: [...outcomes.split("|"), "default"] }),
    };
  });
  return { nodes, edges: [] };
}

function bare(id: string, kind = "if"): StructureNode {
  switch (id[0]) {
    case "d":
      return { id, type: "decision", kind: kind as "if", condition: "x" };
    case "f":
      return { id, type: "fork", kind: "all" };
    case "j":
      return { id, type: "join" };
    case "l":
      return { id, type: "loop", kind: "for-of" };
    case "c":
      return { id, type: "capability", name: "a:b", fqdn: "o.p.a.b.c" as Fqdn };
    default:
      return { id, type: "task", tool: "fs:read" as ToolId };
  }
}

/** `"n1 d1=true l1 l1=again*3"`: calls and marks as they happen. */
function walk(nodes: string, steps: string): RunPath {
  const path = new RunPath(structure(nodes));
  for (const step of steps.split(" ").filter((word) => word !== "")) {
    const [, id = "", outcome = "", count = "1"] = /^(\w+)(?:=(.*?))?(?:\*(\d+))?$/.exec(step) ?? [];
    if (/^[nc]/.test(id)) path.call(id);
    else path.passed([{ id, outcome, count: Number(count) }]);
  }
  return path;
}

describe("[EX-11, FP-22] the path of a run", () => {
  it.each([
    ["in a row", "n1 d1 n2 c3", "n1 d1=true n2 c3", "n1 d1 n2 c3"],
    ["each node once", "n1 d1 n2", "n1 d1=true n1 n2 d1=false n1", "n1 d1 n2"],
    ["a branch that was not taken is not there", "n1 d1 n2 n3", "n1 d1=false n3", "n1 d1 n3"],
    ["in the order in which a helper function is called", "n1 n2", "n2 n1", "n2 n1"],
    [
      "a fork in the order of ids, whatever came first",
      "f1 n1@f1 n2@f1 n3@f1 j1",
      "f1 n3 n1 n2 j1",
      "f1 n1 n2 n3 j1",
    ],
    [
      "a fork that is told after its calls",
      "n1 f1 n2@f1 n3@f1 j1 n4",
      "n1 n3 f1 n2 j1 n4",
      "n1 f1 n2 n3 j1 n4",
    ],
    ["a fork that never joins", "f1 n1@f1 n2@f1 j1 n3", "f1 n2 n1 n3", "f1 n1 n2 n3"],
    [
      "what starts in a fork and goes on after it",
      "f1 n1@f1 n2@f1 j1 n3",
      "f1 n2 j1 n3 n1",
      "f1 n1 n2 j1 n3",
    ],
    [
      "a loop's body once",
      "n1 l1 n2@l1 n3@l1 n4",
      "n1 l1 l1=again n2 n3 l1=again n2 n3 n4",
      "n1 l1 n2 n3 n4",
    ],
    [
      "iterations that take different branches",
      "l1 d1@l1 n1@l1 n2@l1 n3",
      "l1 l1=again d1=false n2 l1=again d1=true n1 n3",
      "l1 d1 n1 n2 n3",
    ],
    ["a loop without iterations", "l1 n1@l1 n2", "l1 n2", "l1 n2"],
    [
      "a fork in a loop",
      "l1 n1@l1 f1@l1 n2@f1 n3@f1 j1@l1 n4@l1 n5",
      "l1 l1=again f1 n3 n2 j1 l1=again n1 f1 n2 j1 n4 n5",
      "l1 n1 f1 n2 n3 j1 n4 n5",
    ],
    ["a loop in a fork", "f1 l1@f1 n1@l1 n2@f1 j1", "f1 n2 l1 l1=again n1 j1", "f1 l1 n1 n2 j1"],
    ["two forks beside one another", "f1 n1@f1 f2 n2@f2 j1 j2", "f1 f2 n2 n1 j2 j1", "f1 n1 f2 n2 j2 j1"],
    ["a call in a loop that was not told", "l1 n1@l1 n2@l1 n3", "n2 n1 n3", "n1 n2 n3"],
    ["nothing", "n1 d1", "", ""],
  ])("%s", (_what, nodes, steps, expected) => {
    expect(walk(nodes, steps).path().join(" ")).toBe(expected);
  });
});

describe("[AN-11, EX-11] decisions and loops of a run", () => {
  it("are counted, in the order of first occurrence", () => {
    const path = walk(
      "d1 l1 d2:nullish@l1 d3:try l2@l1",
      "d2=value l1 l1=again*2 d2=nullish d2=value*3 d1=true l2 d3=error",
    );
    expect(path.decisions()).toEqual([
      { nodeId: "d2", outcome: "value", count: 4 },
      { nodeId: "d2", outcome: "nullish" },
      { nodeId: "d1", outcome: "true" },
      { nodeId: "d3", outcome: "error" },
    ]);
    expect(path.loops()).toEqual([
      { nodeId: "l1", iterations: 2 },
      { nodeId: "l2", iterations: 0 },
    ]);
  });

  it.each([
    ["if", "true false"],
    ["ternary", "true false"],
    ["and", "true false"],
    ["or", "true false"],
    ["nullish", "nullish value"],
    ["try", "ok error"],
    ["switch", "default 'a' 5"],
  ])("of the kind %s come to %s, and to nothing else", (kind, expected) => {
    const outcomes = "true false nullish value ok error default 'a' 5 'b' again".split(" ");
    const path = walk(`d1:${kind}='a'|5`, ["d1", ...outcomes.map((outcome) => `d1=${outcome}`)].join(" "));
    expect(
      path
        .decisions()
        .map(({ outcome }) => outcome)
        .join(" "),
    ).toBe(expected);
  });

  it.each([
    ["a node that there is not", "d7=true f7 j7 l7 l7=again d__proto__=true dconstructor=true"],
    ["a fork, join or loop that decides", "f1=true j1=again l1=true"],
    ["a decision that is entered", "d1 d1=again"],
    ["an outcome of another kind", "d1=nullish d1=default d2=true"],
  ])("ignores %s", (_what, steps) => {
    const path = walk("n1 d1 d2:nullish f1 n2@f1 j1 l1", steps);
    expect([path.path(), path.decisions(), path.loops()]).toEqual([[], [], []]);
  });

  it("is not deceived by calls that come as marks", () => {
    const path = new RunPath(structure("n1 c2"));
    path.passed(["n1", "c2"].map((id) => ({ id, outcome: "", count: 1 })));
    expect(path.path()).toEqual([]);
  });
});
