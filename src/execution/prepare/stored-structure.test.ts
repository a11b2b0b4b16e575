import { describe, expect, it } from "vitest";
import type { StaticStructure } from "../../analysis/static-structure.js";
import type { ToolId } from "../../registry/tool-id.js";
import { storedLinks, storedStructure } from "./stored-structure.js";

const structure = (chars: number, condition = "args.x"): StaticStructure => ({
  nodes: [
    {
      id: "n1",
      type: "task",
      tool: "fs:read" as ToolId,
      arguments: { path: { type: "literal", value: "x".repeat(chars) } },
    },
    { id: "d1", type: "decision", kind: "if", condition },
  ],
  edges: [{ from: "n1", to: "d1", type: "sequence" }],
});

describe("[AN-3] the structure that is stored", () => {
  it("is the whole structure", () =>
    expect(storedStructure(structure(10))).toEqual({ static_structure: structure(10) }));

  it("is without arguments where those make it too large", () => {
    const { nodes, edges } = structure(1);
    const { arguments: _, ...bare } = nodes[0] as Extract<(typeof nodes)[number], { type: "task" }>;
    expect(storedStructure(structure(1_048_576))).toEqual({
      static_structure: { nodes: [bare, nodes[1]], edges },
    });
  });

  it("is nothing where all of it is too large", () =>
    expect(storedStructure(structure(1, "x".repeat(1_048_576)))).toEqual({}));
});

describe("[DI-5] what a structure that is stored says", () => {
  it("is what its code says", () => {
    const nodes = ["n1", "n2"].map((id) => ({ id, type: "task", tool: `t:${id}` as ToolId }) as const);
    const edges = [{ from: "n1", to: "n2", type: "sequence" }] as const;
    const links = { sequences: [["t:n1", "t:n2"]], provides: [] };
    expect(storedLinks(storedStructure({ nodes, edges }))).toEqual(links);
  });

  it.each([
    [undefined],
    [null],
    [{}],
    [{ static_structure: { nodes: [1], edges: [] } }],
    [{ static_structure: [] }],
  ])("is nothing where it is none: %j", (kept) => expect(storedLinks(kept)).toBeUndefined());
});
