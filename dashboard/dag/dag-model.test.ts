import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Sketch, sketched } from "../../test/support/sketched-structure.js";
import { type Dag, dagOfAllRuns, dagOfRun } from "./dag-model.js";
import { type Learning, percent, type RunFlow } from "./run-facts.js";

/** One line per edge: `*` on the marked path, `-` never taken, and its share of the runs. */
function drawn({ edges }: Dag): string {
  const lines = edges.map(({ from, to, label, share, isDominant, isTaken }) => {
    const mark = isDominant ? "*" : isTaken ? " " : "-";
    const many = share === undefined ? "" : ` ${Math.round(share * 100)}`;
    return `${mark} ${from} > ${to}${label === "" ? "" : ` [${label}]`}${many}`;
  });
  return `\n${lines.join("\n")}\n`;
}

const NOTHING: Learning = { paths: [], decisionStats: [] };
/** `n1 d1 n2 ×9` is a path that nine runs took. */
function learnt(
  paths: readonly string[],
  decisions: Readonly<Record<string, Record<string, number>>> = {},
): Learning {
  const all = paths.map((text) => {
    const [path = "", count = "1"] = text.split(" ×");
    return { path: path.split(" "), count: Number(count) };
  });
  return {
    paths: all,
    dominantPath: all[0]?.path ?? [],
    decisionStats: Object.entries(decisions).map(([nodeId, outcomes]) => ({
      nodeId,
      outcomes: Object.fromEntries(Object.entries(outcomes).map(([key, count]) => [key, { count }])),
    })),
  };
}

function ran(path: string, more: Partial<RunFlow> = {}): RunFlow {
  return { executedPath: path.split(" "), success: true, decisions: [], loops: [], tasks: [], ...more };
}

const BRANCHES: Sketch = {
  nodes: ["n1", "d1: a", "n2", "n3", "n4"],
  edges: ["n1 > d1", "d1 -true> n2", "d1 -false> n3", "n2 > n4", "n3 > n4"],
};
const LOOP: Sketch = {
  nodes: ["l1: for-of items", "n1 in l1", "d1 in l1: a", "n2 in l1", "n3"],
  edges: ["l1 => n1", "l1 > n3", "n1 > d1", "d1 -true> n2", "d1 -false> n3", "n2 > n3"],
};

describe("[DA-2] the picture of all runs", () => {
  it("has percentages at decisions, thickness by frequency, and the dominant path", () =>
    expect(
      drawn(
        dagOfAllRuns(
          sketched(BRANCHES),
          learnt(["n1 d1 n2 n4 ×9", "n1 d1 n3 n4 ×1"], { d1: { true: 9, false: 1 } }),
        ),
      ),
    ).toBe(`
* start > n1 100
* n1 > d1 100
* d1 > n2 [true 90%] 90
  d1 > n3 [false 10%] 10
* n2 > n4 90
  n3 > n4 10
* n4 > end 100
`));

  it("dims what no run has taken", () =>
    expect(drawn(dagOfAllRuns(sketched(BRANCHES), learnt(["n1 d1 n2 n4 ×3"], { d1: { true: 3 } })))).toBe(`
* start > n1 100
* n1 > d1 100
* d1 > n2 [true 100%] 100
- d1 > n3 [false 0%] 0
* n2 > n4 100
- n3 > n4 0
* n4 > end 100
`));

  it("draws every branch alike before anything has run", () =>
    expect(drawn(dagOfAllRuns(sketched(BRANCHES), NOTHING))).toBe(`
  start > n1
  n1 > d1
  d1 > n2 [true]
  d1 > n3 [false]
  n2 > n4
  n3 > n4
  n4 > end
`));

  it("shows an outcome that ends the code, though nothing follows it", () =>
    expect(
      drawn(
        dagOfAllRuns(
          sketched({ nodes: ["d1: a", "n1"], edges: ["d1 -false> n1"] }),
          learnt(["d1 n1 ×1", "d1 ×1"], { d1: { true: 1, false: 1 } }),
        ),
      ),
    ).toBe(`
* start > d1 100
* d1 > n1 [false 50%] 50
  d1 > end [true 50%] 50
* n1 > end 50
`));

  it("lets the body of a loop end in a node of its own, with rounds and not runs as thickness", () =>
    expect(
      drawn(dagOfAllRuns(sketched(LOOP), learnt(["l1 n1 d1 n2 n3 ×2"], { d1: { true: 1, false: 3 } }))),
    ).toBe(`
* start > l1 100
* l1 > n1 100
* l1 end > n3 100
* n1 > d1 100
  d1 > n2 [true 25%] 25
* d1 > l1 end [false 75%] 75
  n2 > l1 end 25
* n3 > end 100
`));

  it("says how often a loop goes round", () => {
    const loopStats = [{ nodeId: "l1", min: 1, max: 9, average: 2.5 }];
    const { nodes, boxes } = dagOfAllRuns(sketched(LOOP), { ...learnt(["l1 n1 d1 n3"]), loopStats });
    expect(nodes.find(({ id }) => id === "l1")?.note).toBe("1 to 9 rounds, 2.5 on average");
    expect(boxes).toEqual([{ id: "l1" }]);
  });

  it("puts both sides of a fork between it and its join", () =>
    expect(
      drawn(
        dagOfAllRuns(
          sketched({
            nodes: ["f1", "n1 in f1", "n2 in f1", "j1"],
            edges: ["f1 > n1", "f1 > n2", "n1 > j1", "n2 > j1"],
          }),
          learnt(["f1 n1 n2 j1 ×4"]),
        ),
      ),
    ).toBe(`
* start > f1 100
* f1 > n1 100
* f1 > n2 100
* n1 > j1 100
* n2 > j1 100
* j1 > end 100
`));
});

describe("[DA-2] the picture of one run", () => {
  it("marks the path that it took, and counts in loops", () =>
    expect(
      drawn(
        dagOfRun(
          sketched(LOOP),
          ran("l1 n1 d1 n3", { decisions: [{ nodeId: "d1", outcome: "false", count: 3 }] }),
        ),
      ),
    ).toBe(`
* start > l1 100
* l1 > n1 100
* l1 end > n3 100
* n1 > d1 100
- d1 > n2 [true] 0
* d1 > l1 end [false 3 of 3] 100
- n2 > l1 end 0
* n3 > end 100
`));

  it("ends where it failed, with calls and their time at their node", () => {
    const tasks = [
      { taskId: "n1", tool: "t:n1", success: true, durationMs: 2 },
      { taskId: "n1#2", tool: "t:n1", success: false, durationMs: 40 },
    ];
    const { nodes, edges } = dagOfRun(
      sketched({ nodes: ["n1", "n2"], edges: ["n1 > n2"] }),
      ran("n1", { success: false, tasks }),
    );
    expect(nodes.find(({ failed }) => failed)).toMatchObject({ id: "n1", note: "t · 2× 42 ms" });
    expect(edges.find(({ from }) => from === "n1")).toMatchObject({ to: "n2", isTaken: false });
  });
});

it("[DA-2] percentages of what has happened, and has not always happened, are never 0 or 100", () => {
  expect([0, 0.004, 0.5, 0.996, 1].map(percent)).toEqual(["0%", "<1%", "50%", ">99%", "100%"]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (a, b) => {
      expect(["0%", "100%"]).not.toContain(percent(a / (a + b)));
    }),
  );
});

it("[DA-2] draws no line to a try past what follows, and asks there whether there was an error", () => {
  const structure = sketched({
    nodes: ["n1", "n2", "d1: try try", "n3"],
    edges: ["n1 > n2", "n1 > d1", "n2 > d1", "d1 -error> n3"],
  });
  const dag = dagOfAllRuns(structure, NOTHING);
  expect(drawn(dag)).toBe(`
  start > n1
  n1 > n2
  n2 > d1
  d1 > n3 [error]
  n3 > end
`);
  expect(dag.nodes.find(({ id }) => id === "d1")).toMatchObject({ title: "an error?", note: "try" });
});
