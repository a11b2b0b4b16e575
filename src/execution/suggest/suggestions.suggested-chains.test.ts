import { describe, expect, it } from "vitest";
import type { StaticStructure } from "../../analysis/static-structure.js";
import type { Json } from "../../base/canonical-json.js";
import type { ToolId } from "../../registry/tool-id.js";
import { type ChainLink, suggestedChains } from "./suggestions.js";

const object = (fields: Readonly<Record<string, string>>, required = Object.keys(fields)): Json => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
  required,
});
const link = (id: string, inputSchema: Json, outputSchema?: Json): ChainLink => ({
  id,
  inputSchema,
  outputSchema,
});

const read = link("files:read", object({ path: "string" }), object({ content: "string" }));
const parse = link("json:parse", object({ content: "string" }));

describe("how suggestions go together", () => {
  it("[DI-5] one gives what another needs, by name and type", () => {
    expect(suggestedChains([parse, read], [], 5)).toEqual([
      { from: "files:read", to: "json:parse", fields: ["content → content"] },
    ]);
  });

  it.each([
    ["a type that cannot agree", link("n:add", object({ content: "number" }))],
    ["a field that is merely optional", link("n:show", object({ content: "string", id: "string" }, ["id"]))],
    ["another name", link("n:show", object({ text: "string" }))],
  ])("[DI-5] no chain is made of %s", (_what, other) => {
    expect(suggestedChains([read, other], [], 5)).toEqual([]);
  });

  it("[DI-5] what a capability does already comes first, where both are suggested", () => {
    const structure: StaticStructure = {
      nodes: [
        { id: "n1", type: "task", tool: "files:read" as ToolId },
        { id: "n2", type: "task", tool: "mail:send" as ToolId },
        { id: "n3", type: "task", tool: "log:add" as ToolId },
      ],
      edges: ["n2", "n3"].map((to) => ({
        from: "n1",
        to,
        type: "provides",
        coverage: "strict",
        fieldMapping: [{ fromField: "content", toField: "body", typeCompatible: true }],
      })),
    };
    const send = link("mail:send", object({ body: "string" }));
    expect(suggestedChains([parse, read, send], [structure], 5)).toEqual([
      { from: "files:read", to: "mail:send", fields: ["content → body"] },
      { from: "files:read", to: "json:parse", fields: ["content → content"] },
    ]);
    expect(suggestedChains([parse, read, send], [structure], 1)).toHaveLength(1);
  });
});
