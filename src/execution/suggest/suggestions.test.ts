import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import type { Json } from "../../base/canonical-json.js";
import { type ServerName, toolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import { suggestionsOf } from "./suggestions.js";

function known(name: string, inputSchema: Json, description: string): KnownTool {
  const server = "big" as ServerName;
  return {
    id: toolId(server, name),
    server,
    name,
    description,
    inputSchema,
    outputSchema: inputSchema,
    hash: name,
    transport: "stdio",
    trusted: true,
  };
}

/** As many servers have it: twelve fields, each with a sentence. */
const wordy = {
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: 12 }, (_, i) => [
      `field_${i}`,
      {
        type: "string",
        description: "Says what this field is for, in a sentence that somebody has written with care.",
      },
    ]),
  ),
  required: ["field_11"],
} as unknown as Json;

const HERE = { org: "local", project: "default", user: "ada" };

describe("what an agent is shown", () => {
  it("[DI-1] ten wordy tools and five capabilities cost less than 2,500 tokens", async () => {
    const tools = Array.from({ length: 10 }, (_, i) => ({
      tool: known(`tool_number_${i}`, wordy, "A long description. ".repeat(40)),
      score: 0.5,
    }));
    const capabilities = Array.from({ length: 5 }, (_, i) => ({
      capability: sampleCapability(`x:capability_number_${i}`, {
        description: "It does something. ".repeat(40),
        parameters: wordy as never,
      }),
      score: 0.4,
    }));
    const shown = await suggestionsOf(tools, capabilities, undefined, HERE);
    const text = JSON.stringify(shown);
    expect(text.length / 3.5).toBeLessThan(2_500);
    for (const { inputSchema } of shown.tools) expect(JSON.stringify(inputSchema)).toContain("field_11");
    for (const { parameters } of shown.capabilities) expect(parameters.required).toEqual(["field_11"]);
  });

  it("[DI-1] small tools are shown as they are, by the names that clients know", async () => {
    const schema = {
      type: "object",
      properties: { path: { type: "string", description: "Where" } },
      required: ["path"],
    };
    const tool = known("read", schema, "Reads a file");
    const { tools } = await suggestionsOf([{ tool, score: 0.123_456 }], [], async (id) => `wire_${id}`, HERE);
    expect(tools).toEqual([
      {
        id: "big:read",
        name: "wire_big:read",
        score: 0.12,
        description: "Reads a file",
        inputSchema: schema,
        outputSchema: schema,
      },
    ]);
    const [unnamed] = (await suggestionsOf([{ tool, score: 1 }], [], async () => undefined, HERE)).tools;
    expect(unnamed?.name).toBe("mcp__big__read");
  });

  it("[ID-10] a capability says why it was not run, and what is missing", async () => {
    const capability = sampleCapability("fs:read", { intent: "read a file" });
    const found = { capability, score: 0.9, notRun: 'it needs "path"', missing: ["path"] };
    expect((await suggestionsOf([], [found], undefined, HERE)).capabilities).toMatchObject([
      {
        name: "fs:read",
        description: "read a file",
        trust: "provisional",
        notRun: 'it needs "path"',
        missing: ["path"],
      },
    ]);
  });
});
