import { expect, it } from "vitest";
import { sketched } from "../../test/support/sketched-structure.js";
import { place } from "./dag-layout.js";
import { dagOfAllRuns } from "./dag-model.js";

const NOTHING = { paths: [], decisionStats: [] };

it("[DA-2] puts the sides of a fork side by side, and the body of a loop into its box", () => {
  const structure = sketched({
    nodes: ["f1", "n1 in f1", "n2 in f1", "j1", "l1: for-of items", "n3 in l1"],
    edges: ["f1 > n1", "f1 > n2", "n1 > j1", "n2 > j1", "j1 > l1", "l1 => n3"],
  });
  const { nodes, boxes } = place(dagOfAllRuns(structure, NOTHING));
  const at = (id: string) => {
    const found = nodes.find(({ of }) => of.id === id);
    if (found === undefined) throw new Error(`no ${id}`);
    return found;
  };
  expect(at("n1").y).toBe(at("n2").y);
  expect(Math.abs(at("n1").x - at("n2").x)).toBeGreaterThan(at("n1").width);
  const [box] = boxes;
  if (box === undefined) throw new Error("no box");
  for (const id of ["l1", "n3"]) {
    expect(Math.abs(at(id).y - box.y)).toBeLessThan(box.height / 2);
    expect(Math.abs(at(id).x - box.x)).toBeLessThan(box.width / 2);
  }
  expect(Math.abs(at("j1").y - box.y)).toBeGreaterThan(box.height / 2);
});

it("[DA-2] writes what a decision was at the decision, however far the line goes", () => {
  const structure = sketched({
    nodes: ["d1: a", "n1", "n2", "n3", "n4"],
    edges: ["d1 -true> n1", "n1 > n2", "n2 > n3", "n3 > n4", "d1 -false> n4"],
  });
  const { nodes, edges } = place(dagOfAllRuns(structure, NOTHING));
  const decision = nodes.find(({ of }) => of.id === "d1");
  for (const { of, label } of edges)
    if (of.from === "d1") expect((label?.y ?? 0) - (decision?.y ?? 0)).toBeLessThan(80);
  expect(edges.filter(({ label }) => label !== undefined)).toHaveLength(2);
});
