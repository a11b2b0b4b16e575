import { describe, expect, it } from "vitest";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Provision } from "../../registry/provides.js";
import type { GraphNode, SuggestOptions } from "../../registry/tool-graph.js";
import type { ToolId } from "../../registry/tool-id.js";
import { GraphInsights } from "./graph-insights.js";
import { GraphSuggester } from "./graph-suggester.js";
import { ToolGraph } from "./tool-graph.js";

const NOW = 700;
const now = () => NOW * 28 * 86_400_000;
const tool = (name: string) => `t:${name}` as ToolId;
const cap = (name: string) => `local.default.x.${name}.0000` as Fqdn;
const PROVISION: Provision = {
  coverage: "strict",
  fieldMapping: [{ fromField: "content", toField: "json", typeCompatible: true }],
};

function graphOf(names: string): ToolGraph {
  const graph = new ToolGraph();
  for (const name of names) graph.putTool(tool(name));
  return graph;
}

const follow = (graph: ToolGraph, from: GraphNode, to: GraphNode, uses: number) =>
  graph.see({ from, to, uses, period: NOW });
const putCap = (graph: ToolGraph, name: string, letters: string) =>
  graph.putCapability(cap(name), { tools: [...letters].map(tool), calls: [], uses: { uses: 0, period: 0 } });

/** `next t:b 0.75`, one line each. */
async function suggested(
  graph: ToolGraph,
  context: readonly GraphNode[],
  options: Partial<SuggestOptions> = {},
): Promise<readonly string[]> {
  const insights = new GraphInsights(graph, { now });
  await insights.fresh();
  const found = await new GraphSuggester({ graph, insights, now }).suggest(context, {
    accepts: () => true,
    reliability: () => 0.9,
    threshold: 0.3,
    most: 5,
    ...options,
  });
  return found.map(({ why, node, confidence }) => `${why} ${node} ${confidence.toFixed(2)}`);
}

describe("[DI-6] what is suggested", () => {
  it("is what usually comes next, surest first", async () => {
    const graph = graphOf("abcd");
    follow(graph, tool("a"), tool("b"), 20);
    follow(graph, tool("a"), tool("c"), 12);
    follow(graph, tool("a"), tool("d"), 1);
    expect(await suggested(graph, [tool("a")])).toEqual(["next t:b 0.56", "next t:c 0.33"]);
    expect(await suggested(graph, [tool("a")], { threshold: 0.5 })).toEqual(["next t:b 0.56"]);
    expect(await suggested(graph, [])).toEqual([]);
    expect(await suggested(graph, [tool("nobody")])).toEqual([]);
  });

  it("is what can take what was just given, and says how", async () => {
    const graph = graphOf("ab");
    graph.setProvided(tool("a"), [{ from: tool("a"), to: tool("b"), ...PROVISION }]);
    const insights = new GraphInsights(graph, { now });
    const options = { accepts: () => true, reliability: () => 1, threshold: 0.3, most: 5 };
    expect(await new GraphSuggester({ graph, insights, now }).suggest([tool("a")], options)).toEqual([
      { why: "takes", node: "t:b", with: "t:a", confidence: 0.7, provision: PROVISION },
    ]);
    follow(graph, tool("a"), tool("b"), 90);
    const [first] = await new GraphSuggester({ graph, insights, now }).suggest([tool("a")], options);
    expect(first).toMatchObject({ why: "takes", provision: PROVISION });
    graph.setProvided(tool("a"), []);
    expect(await suggested(graph, [tool("a")])).toEqual(["next t:b 0.97"]);
  });

  it("is what is used together with the same things", async () => {
    const graph = graphOf("abz");
    putCap(graph, "one", "ab");
    expect(await suggested(graph, [tool("a")], { accepts: (node) => node.startsWith("t:") })).toEqual([
      "related t:b 0.72",
    ]);
  });

  it("is capabilities of the community, by how well they have done", async () => {
    const graph = graphOf("abcdefgh");
    for (const name of ["one", "two", "three"]) putCap(graph, name, "abcd");
    for (const name of ["four", "five"]) putCap(graph, name, "efgh");
    const reliability = (node: GraphNode) => (node === cap("two") ? 0.5 : 1);
    const accepts = (node: GraphNode) => !node.startsWith("t:");
    const options = { reliability, accepts, most: 10 };
    const inGroup = (await suggested(graph, [tool("a"), tool("b")], options)).filter((one) =>
      one.startsWith("group"),
    );
    expect(inGroup).toEqual([
      `group ${cap("one")} 0.80`,
      `group ${cap("three")} 0.80`,
      `group ${cap("two")} 0.40`,
    ]);
    // What does the very same is nearer.
    expect((await suggested(graph, [cap("one")], options))[0]).toBe(`group ${cap("three")} 1.00`);
  });

  it("is nothing that was just used, unless this is how it usually goes on", async () => {
    const graph = graphOf("ab");
    follow(graph, tool("a"), tool("b"), 9);
    follow(graph, tool("b"), tool("a"), 1);
    expect(await suggested(graph, [tool("a"), tool("b")], { threshold: 0 })).toEqual([]);
    follow(graph, tool("b"), tool("b"), 40);
    expect(await suggested(graph, [tool("a"), tool("b")])).toEqual(["next t:b 0.91"]);
  });

  it("is nothing that may not be shown or is not there, and others take its place", async () => {
    const graph = graphOf("abcdefg");
    for (const [index, name] of [..."bcdefg"].entries()) follow(graph, tool("a"), tool(name), 60 - index);
    graph.removeTool(tool("c"));
    const accepts = (node: GraphNode) => node !== tool("b");
    const found = await suggested(graph, [tool("a")], { accepts, threshold: 0.1, most: 3 });
    expect(found.map((one) => one.split(" ")[1])).toEqual(["t:d", "t:e", "t:f"]);
  });

  it("says what follows rather than what belongs together, as sure as the surest sign", async () => {
    const graph = graphOf("abc");
    putCap(graph, "one", "ab");
    const accepts = (node: GraphNode) => node === tool("b");
    for (const [uses, told] of [
      [1, "related t:b 0.72"],
      [3, "next t:b 0.72"],
      [90, "next t:b 0.97"],
    ] as const) {
      follow(graph, tool("a"), tool("b"), uses);
      expect(await suggested(graph, [tool("a")], { accepts, threshold: 0.35 })).toEqual([told]);
    }
  });

  it("is nothing that destroys, unless it was really used after it", async () => {
    const graph = graphOf("abc");
    putCap(graph, "one", "ab");
    graph.setProvided(tool("a"), [{ from: tool("a"), to: tool("b"), ...PROVISION }]);
    const options = { accepts: (node: GraphNode) => node.startsWith("t:"), threshold: 0.1 };
    const isDestructive = (node: GraphNode) => node === tool("b");
    expect(await suggested(graph, [tool("a")], options)).toEqual(["takes t:b 0.72"]);
    expect(await suggested(graph, [tool("a")], { ...options, isDestructive })).toEqual([]);
    follow(graph, tool("a"), tool("b"), 9);
    expect(await suggested(graph, [tool("a")], { ...options, isDestructive })).toEqual(["takes t:b 0.93"]);
  });

  it("is each thing once, five at most", async () => {
    const graph = graphOf("abcdefgh");
    graph.setProvided(
      tool("a"),
      [..."bcdefgh"].map((name) => ({ from: tool("a"), to: tool(name), ...PROVISION })),
    );
    for (const name of "bcdefgh") follow(graph, tool("a"), tool(name), 1);
    const found = await suggested(graph, [tool("a")]);
    expect(found).toHaveLength(5);
    expect(new Set(found.map((one) => one.split(" ")[1])).size).toBe(5);
  });
});
