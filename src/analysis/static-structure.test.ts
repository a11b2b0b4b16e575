import { describe, expect, it } from "vitest";
import { sketched } from "../../test/support/sketched-structure.js";
import { certainPath } from "./static-structure.js";

const certain = (...nodes: readonly string[]) => certainPath(sketched({ nodes, edges: [] })).join(" ");

describe("[EX-12] how far every run goes", () => {
  it.each([
    [[], ""],
    [["n1", "n2"], "n1 n2"],
    [["n1", "d1: a", "n2"], "n1 d1"],
    [["n1", "l1: for-of list", "n2 in l1", "n3"], "n1 l1"],
    [["f1", "n1 in f1", "n2 in f1", "j1", "n3"], "f1 n1 n2 j1 n3"],
  ])("through %j is %s", (nodes, path) => expect(certain(...nodes)).toBe(path));
});
