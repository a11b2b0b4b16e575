import { describe, expect, it } from "vitest";
import type { Json } from "../base/canonical-json.js";
import { CapabilityDirectory } from "../registry/capability-directory.js";
import { observe } from "../registry/observed-schema.js";
import { parseServerName, toolId } from "../registry/tool-id.js";
import { currentVocabulary, savedVocabulary } from "./code-vocabulary.js";
import type { KnownTool } from "./tool-box.js";
import { ToolIndex } from "./tool-index.js";

const server = parseServerName("fs");
const scope = { org: "local", project: "default", user: "me" };
const observed = observe({ content: "x" }) as unknown as Json;

/** What code that is written now, and code that was saved, know of the results of a tool. */
function outputs(more: Partial<KnownTool>): readonly unknown[] {
  const id = toolId(server, "read");
  const tool = { id, server, name: "read", inputSchema: {}, ...more } as KnownTool;
  const saved = { toolsUsed: [id], dependencies: [] };
  return [
    currentVocabulary(new ToolIndex([tool]), new CapabilityDirectory(), scope),
    savedVocabulary(
      saved,
      () => undefined,
      () => tool,
    ),
  ].map((vocabulary) => {
    const meaning = vocabulary.resolve({ object: "mcp", path: ["fs", "read"] });
    return meaning?.kind === "tool" ? meaning.outputSchema : meaning;
  });
}

describe("[AN-5] what is known of the results of a tool", () => {
  it("is what its server declares, also where results were seen", () => {
    const outputSchema = { type: "object" };
    expect(outputs({ outputSchema, observedOutput: () => observed })).toEqual([outputSchema, outputSchema]);
  });

  it("is what its results looked like, where it declares nothing", () =>
    expect(outputs({ observedOutput: () => observed })).toEqual([observed, observed]));

  it("is nothing where none was seen yet", () => {
    expect(outputs({ observedOutput: () => undefined })).toEqual([undefined, undefined]);
    expect(outputs({})).toEqual([undefined, undefined]);
  });
});
