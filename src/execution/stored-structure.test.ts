import { describe, expect, it } from "vitest";
import type { StaticStructure } from "../analysis/static-structure.js";
import type { ToolId } from "../registry/tool-id.js";
import { storedStructure } from "./stored-structure.js";

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
