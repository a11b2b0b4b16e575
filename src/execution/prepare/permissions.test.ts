import { describe, expect, it } from "vitest";
import { parseServerName, type ToolId, toolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { Approval, ApprovalMode } from "./approval-policy.js";
import { permissionsOf, type ReachedCapability } from "./permissions.js";
import { ToolIndex } from "./tool-index.js";

const MODES: Readonly<Record<string, ApprovalMode>> = {
  "fs:read": "auto",
  "fs:write": "hil",
  "fs:wipe": "deny",
  "web:fetch": "auto",
};

function known(id: string): KnownTool {
  const [server = "", name = ""] = id.split(":");
  const named = parseServerName(server);
  const transport = server === "web" ? "http" : "stdio";
  return {
    id: toolId(named, name),
    server: named,
    name,
    inputSchema: {},
    hash: "",
    transport,
    trusted: true,
  };
}

const index = new ToolIndex(Object.keys(MODES).map(known));

const approvalOf = ({ id, transport }: KnownTool): Approval => ({
  mode: MODES[id] ?? "hil",
  routing: transport === "http" ? "cloud" : "local",
  source: "tool",
  reason: `somebody says so for ${id}`,
});

interface Given {
  readonly tools?: readonly string[];
  readonly computed?: boolean;
  readonly closure?: Readonly<Record<string, readonly string[]>>;
  readonly computedIn?: string;
}

function permissions({ tools = [], computed = false, closure = {}, computedIn }: Given) {
  return permissionsOf({
    analysis: { toolsUsed: tools as readonly ToolId[], hasComputedCalls: computed },
    closure: Object.entries(closure).map(
      ([name, used]): ReachedCapability => ({
        name,
        toolsUsed: used as readonly ToolId[],
        hasComputedCalls: name === computedIn,
      }),
    ),
    index,
    approvalOf,
  });
}

describe("[AN-12] what code can reach", () => {
  it("is nothing for code that calls nothing, which may run anywhere", () =>
    expect(permissions({})).toEqual({
      tools: [],
      servers: [],
      routing: "cloud",
      computedCalls: false,
      needsApproval: [],
      denied: [],
      missing: [],
    }));

  it("is its tools, with what each needs and who says so", () =>
    expect(permissions({ tools: ["web:fetch", "fs:write"] })).toMatchObject({
      tools: [
        {
          tool: "web:fetch",
          server: "web",
          approvalMode: "auto",
          routing: "cloud",
          reason: "somebody says so for web:fetch",
        },
        { tool: "fs:write", server: "fs", approvalMode: "hil", routing: "local" },
      ],
      servers: ["web", "fs"],
      needsApproval: ["fs:write"],
      denied: [],
    }));

  it("is also what the capabilities that it calls can reach, each tool once", () => {
    const { tools, servers, denied } = permissions({
      tools: ["fs:read"],
      closure: { inner: ["fs:wipe", "fs:read"], outer: ["web:fetch", "fs:wipe"] },
    });
    expect(tools.map(({ tool, via }) => `${tool} ${via}`)).toEqual([
      "fs:read undefined",
      "fs:wipe inner",
      "web:fetch outer",
    ]);
    expect(servers).toEqual(["fs", "web"]);
    expect(denied).toEqual(["fs:wipe"]);
  });

  it.each([
    [["web:fetch"], "cloud"],
    [["web:fetch", "fs:read"], "local"],
    [["web:gone"], "local"],
  ])("runs %j %s", (tools, routing) => expect(permissions({ tools }).routing).toBe(routing));

  it("names tools that are gone, whose needs are unknown", () => {
    const { tools, missing, needsApproval } = permissions({ closure: { old: ["fs:gone", "fs:read"] } });
    expect(missing).toEqual(["fs:gone"]);
    expect(tools.map(({ tool }) => tool)).toEqual(["fs:read"]);
    expect(needsApproval).toEqual([]);
  });

  it.each<Given>([{ computed: true }, { closure: { other: [] }, computedIn: "other" }])(
    "says what a computed name may reach: %j",
    (given) =>
      expect(permissions(given)).toMatchObject({
        computedCalls: true,
        note: expect.stringContaining("only tools that need no approval") as unknown,
      }),
  );
});
