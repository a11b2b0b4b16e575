import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { type Capability, reliabilityOf } from "../../registry/capability.js";
import { CapabilityDirectory } from "../../registry/capability-directory.js";
import type { DecisionKind, DecisionOutcome } from "../../registry/thresholds.js";
import type { GraphNode, GraphSuggestion, SuggestOptions } from "../../registry/tool-graph.js";
import { type ServerName, type ToolId, toolId } from "../../registry/tool-id.js";
import type { RelatedItem, TaskReport } from "../ports/execute-answer.js";
import type { KnownTool } from "../ports/tool-box.js";
import { ToolIndex } from "../prepare/tool-index.js";
import { type OffersFor, Related, usedIn } from "./related.js";
import { SuggestionStats } from "./suggestion-stats.js";

const ADA = { org: "local", project: "default", user: "ada" };
const caller = { scope: ADA, connection: "c" };

const tool = (name: string, changes: Partial<KnownTool> = {}): KnownTool => ({
  id: toolId("fs" as ServerName, name),
  server: "fs" as ServerName,
  name,
  inputSchema: {},
  hash: name,
  transport: "stdio",
  trusted: true,
  ...changes,
});

const READ = "fs:read" as ToolId;
const next = (node: GraphNode, confidence = 0.9): GraphSuggestion => ({
  why: "next",
  node,
  with: READ,
  confidence,
});

/** Everything that the graph finds and the filter accepts. */
function related(
  found: readonly GraphSuggestion[],
  capabilities: readonly Capability[] = [],
  stats = new SuggestionStats(),
  offers?: OffersFor,
) {
  const learnt: string[] = [];
  let asked: SuggestOptions | undefined;
  const tools = [
    tool("read"),
    tool("write"),
    tool("changed", { quarantined: "its description" }),
    tool("denied"),
    tool("wipe", { trusted: false, annotations: { destructiveHint: true } }),
    tool("harmless", { annotations: { readOnlyHint: true, destructiveHint: true } }),
  ];
  const one = new Related({
    suggester: {
      suggest: async (_context, options) => {
        asked = options;
        return found.filter(({ node }) => options.accepts(node));
      },
    },
    directory: new CapabilityDirectory(capabilities),
    tools: () => new ToolIndex(tools),
    approvalOf: ({ name }) => ({
      mode: name === "denied" ? "deny" : "auto",
      routing: "local",
      source: "annotations",
      reason: "",
    }),
    thresholds: {
      of: (kind: DecisionKind) => (kind === "suggestion" ? 0.4 : 1),
      learn: (kind: DecisionKind, { project }, outcome: DecisionOutcome) =>
        void learnt.push(`${kind} ${project} ${outcome}`),
    },
    wireNameOf: async () => undefined,
    stats,
    offers,
  });
  return {
    to: (context: readonly GraphNode[] = [READ], but?: GraphNode) => one.to(context, caller, but),
    learnt,
    asked: () => asked,
  };
}

describe("[DI-6] what is shown beside a result", () => {
  it("says what it is, why, how sure, and what of the result it takes", async () => {
    const json = sampleCapability("json:parse", { usageCount: 10, successCount: 10 });
    const provision = {
      coverage: "strict",
      fieldMapping: [
        { fromField: "content", toField: "text", typeCompatible: true },
        { fromField: "size", toField: "path", typeCompatible: false },
        { fromField: "$", toField: "all", typeCompatible: true },
        { fromField: "$", toField: "$", typeCompatible: true },
        { fromField: "content type", toField: "content-type", typeCompatible: true },
        { fromField: "<IMPORTANT>", toField: "b", typeCompatible: true },
        { fromField: "a", toField: "b\u200b", typeCompatible: true },
        { fromField: "a", toField: "\u3164", typeCompatible: true },
        { fromField: "a".repeat(61), toField: "c", typeCompatible: true },
      ],
    } as const;
    const found: readonly GraphSuggestion[] = [
      { why: "takes", node: "fs:write" as ToolId, with: READ, confidence: 0.7123, provision },
      { why: "group", node: json.fqdn, with: READ, confidence: 0.5 },
      { why: "related", node: READ, with: json.fqdn, confidence: 0.45 },
    ];
    expect(await related(found, [json]).to()).toEqual([
      {
        type: "next_tool",
        id: "fs:write",
        name: "mcp__fs__write",
        reason: "uses the result of fs:read: content → text, result → all, content type → content-type",
        confidence: 0.71,
        arguments: {
          text: { type: "reference", expression: "result.content", producer: "fs:read" },
          all: { type: "reference", expression: "result", producer: "fs:read" },
          "content-type": { type: "reference", expression: 'result["content type"]', producer: "fs:read" },
        },
      },
      {
        type: "capability",
        id: json.fqdn,
        name: "json:parse",
        reason: "related in purpose to fs:read",
        confidence: 0.5,
      },
      {
        type: "tool",
        id: "fs:read",
        name: "mcp__fs__read",
        reason: "used in the same contexts as json:parse",
        confidence: 0.45,
      },
    ]);
  });

  it("[ID-9] is nothing that the asker may not see, that is suspect, gone, quarantined or denied", async () => {
    const seen = sampleCapability("x:seen");
    const capabilities = [
      seen,
      sampleCapability("x:private", { visibility: "private", creators: ["bob@local"] }),
      sampleCapability("x:elsewhere", { project: "other" }),
      sampleCapability("x:suspect", { trust: "suspect" }),
      sampleCapability("x:degraded", { trust: "degraded" }),
      sampleCapability("x:deleted", { deletedAt: new Date(0), reservedUntil: new Date(8e12) }),
    ];
    const nodes = ["fs:write", "fs:changed", "fs:denied", "fs:gone", "FS:WRITE"] as ToolId[];
    const found = [...capabilities.map(({ fqdn }) => fqdn), ...nodes].map((node) => next(node));
    const items = await related(found, capabilities).to();
    expect(items.map(({ id }) => id)).toEqual([seen.fqdn, "fs:write"]);
  });

  it("says which tools are declared destructive, also by untrusted servers", async () => {
    const { to, asked } = related([]);
    await to();
    const destroys = (name: string) => asked()?.isDestructive?.(`fs:${name}` as ToolId);
    expect(["read", "wipe", "harmless", "gone"].map(destroys)).toEqual([false, true, false, false]);
    expect(asked()?.isDestructive?.(sampleCapability("x:y").fqdn)).toBe(false);
  });

  it("is not what the answer itself has just named", async () => {
    const found = [next("fs:write" as ToolId), next(READ)];
    const items = await related(found).to([READ], "fs:write" as ToolId);
    expect(items.map(({ id }) => id)).toEqual([READ]);
  });

  it("[DI-4] is as sure as the threshold of the project asks for, which learns from what is used", async () => {
    const stats = new SuggestionStats(() => 0);
    const { to, learnt, asked } = related([next("fs:write" as ToolId)], [], stats);
    expect(await to([])).toEqual([]);
    expect(learnt).toEqual([]);
    await to();
    expect(asked()).toMatchObject({ threshold: 0.4, most: 3 });
    stats.used("c", "fs:write");
    stats.used("c", "fs:write");
    expect(learnt).toEqual(["suggestion default failure", "suggestion default success"]);
    expect(stats.stats()).toMatchObject({ suggested: 1, accepted: 1 });
  });

  it("[DI-4] learns nothing from what is offered in its place", async () => {
    const stats = new SuggestionStats(() => 0);
    const programs = ["a", "b", "c"].map((id) => ({
      ...{ type: "capability", id, name: id, reason: "", confidence: 1 },
    })) as readonly RelatedItem[];
    const { to, learnt } = related([next("fs:write" as ToolId)], [], stats, () => programs);
    expect((await to()).map(({ id }) => id)).toEqual(["a", "b", "c"]);
    expect(learnt).toEqual([]);
    expect(stats.stats()).toMatchObject({ suggested: 0 });
  });

  it("knows how well capabilities have done", async () => {
    const good = sampleCapability("x:good", { usageCount: 20, successCount: 20 });
    const bad = sampleCapability("x:bad", { usageCount: 20, successCount: 5 });
    const { to, asked } = related([], [good, bad]);
    await to();
    const of = (node: GraphNode) => asked()?.reliability(node) ?? -1;
    expect(of(good.fqdn)).toBeCloseTo(0.6 + 0.4 * 0.8);
    expect(of(bad.fqdn)).toBeCloseTo(0.15 + 0.4 * 0.8);
    expect(of("fs:read" as ToolId)).toBe(0);
    expect(reliabilityOf({ usageCount: 0, successCount: 0 })).toBe(0);
  });
});

describe("[DI-6] what an answer has used", () => {
  const cap = sampleCapability("json:parse");
  const hidden = sampleCapability("x:hidden", { visibility: "private", creators: ["bob@local"] });
  const task = (name: string, success = true): TaskReport => ({
    taskId: name,
    tool: name,
    success,
    durationMs: 1,
    resultPreview: "",
  });
  const used = (mode: "direct" | "call_by_name", ...tasks: readonly TaskReport[]) =>
    usedIn(
      { tasks, mode, capabilityFqdn: cap.fqdn },
      new ToolIndex([tool("read"), tool("write")]),
      new CapabilityDirectory([cap, hidden]),
      ADA,
    );

  it("is what succeeded, in order, and the capability that was called last of all", () => {
    const tasks = [
      task("fs:read"),
      task("fs:write", false),
      task("json:parse"),
      task("x:hidden"),
      task("no:such"),
    ];
    expect(used("direct", ...tasks)).toEqual(["fs:read", cap.fqdn]);
    expect(used("call_by_name", task("fs:write"))).toEqual(["fs:write", cap.fqdn]);
    expect(used("direct")).toEqual([]);
  });
});
