import { describe, expect, it } from "vitest";
import type { StaticStructure } from "../../analysis/static-structure.js";
import type { ToolId } from "../../registry/tool-id.js";
import { OpenCalls } from "../run/task-log.js";

const task = (id: string, within?: string) => ({
  id,
  type: "task" as const,
  tool: "t:a" as ToolId,
  ...(within === undefined ? {} : { within }),
});
const STRUCTURE: StaticStructure = {
  nodes: [
    { id: "f1", type: "fork", kind: "race" },
    { id: "f2", type: "fork", kind: "all", within: "f1" },
    task("n1", "f2"),
    task("n2"),
  ],
  edges: [],
};
const CODE = "await Promise.race([Promise.all([mcp.t.a()])]); mcp.t.a();";

/** What is not awaited of calls at these nodes. */
function unawaited(nodes: readonly (string | undefined)[], code = CODE): string | undefined {
  const calls = new OpenCalls<string>();
  for (const [id, node] of nodes.entries())
    calls.started("tool", id, { node, parent: undefined, unit: undefined });
  return calls.unawaited(() => ({ structure: STRUCTURE, code }));
}

describe("[SW-4] calls that are not awaited", () => {
  it("are those that are open at the end, but for the losers of a race", () => {
    expect(unawaited(["n2"])).toBe("1 tool call was");
    expect(unawaited(["n2", undefined])).toBe("2 tool calls were");
    expect(unawaited(["n1"])).toBeUndefined();
    expect(unawaited(["n1", "n2"])).toBe("1 tool call was");
  });

  it("are none where the code has a race that the structure does not have", () => {
    expect(unawaited(["n2"], `${CODE} Promise.any([f()]);`)).toBeUndefined();
  });

  it("are none inside of a capability that lost a race", () => {
    const calls = new OpenCalls<string>();
    const main = { parent: undefined, unit: undefined };
    calls.started("capability", 1, { node: "n1", ...main });
    calls.started("tool", 2, { node: "n2", parent: 1, unit: "c" });
    expect(calls.unawaited(() => ({ structure: STRUCTURE, code: CODE }))).toBeUndefined();
    calls.started("capability", 1, { node: "n2", ...main });
    expect(calls.unawaited(() => ({ structure: STRUCTURE, code: CODE }))).toBe("1 tool call was");
    calls.ended("tool", 2);
    expect(calls.unawaited(() => ({ structure: STRUCTURE, code: CODE }))).toBe("1 capability call was");
  });
});
