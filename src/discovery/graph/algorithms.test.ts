import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fqdn } from "../../registry/fqdn.js";
import type { GraphNode } from "../../registry/tool-graph.js";
import type { ToolId } from "../../registry/tool-id.js";
import { analyseGraph, analyseInTurns } from "./analyse-graph.js";
import { kMeans, leadingVectors } from "./capability-clusters.js";
import { contextBonuses } from "./context-bonus.js";
import { GraphInsights } from "./graph-insights.js";
import { takeSnapshot } from "./graph-snapshot.js";
import { adamicAdar } from "./graph-suggester.js";
import { shortestPath } from "./shortest-path.js";
import { ToolGraph } from "./tool-graph.js";

const NOW = 700;
const now = () => NOW * 28 * 86_400_000;
const tool = (name: string) => `t:${name}` as ToolId;
const cap = (name: string) => `local.default.x.${name}.0000` as Fqdn;

/** `a>b` was seen once, `a>b*9` nine times. */
function graphOf(...pairs: readonly string[]): ToolGraph {
  const graph = new ToolGraph();
  for (const pair of pairs) {
    const [, from = "", to = "", uses = "1"] = /^(\w+)>(\w+)(?:\*(\d+))?$/.exec(pair) ?? [];
    for (const name of [from, to]) graph.putTool(tool(name));
    graph.see({ from: tool(from), to: tool(to), uses: Number(uses), period: NOW });
  }
  return graph;
}

/** Capabilities by the tools that they use, one letter each. */
function withCapabilities(graph: ToolGraph, tools: Readonly<Record<string, string>>): ToolGraph {
  for (const [name, letters] of Object.entries(tools))
    graph.putCapability(cap(name), {
      tools: [...letters].map(tool),
      calls: [],
      uses: { uses: 0, period: 0 },
    });
  return graph;
}

const insightOf = async (graph: ToolGraph) => {
  const insight = await new GraphInsights(graph, { now }).fresh();
  if (insight === undefined) throw new Error("Nothing was worked out");
  return insight;
};

const clique = (letters: string, uses = 1) =>
  [...letters].flatMap((a) => [...letters].filter((b) => a < b).map((b) => `${a}>${b}*${uses}`));

describe("[DI-5] PageRank", () => {
  it("is the same for all in a circle, and more for what is led to", async () => {
    const circle = await insightOf(graphOf("a>b", "b>c", "c>a"));
    expect(["a", "b", "c"].map((name) => circle.rankOf(tool(name)).toFixed(3))).toEqual(
      Array(3).fill("1.000"),
    );
    const pair = await insightOf(graphOf("a>b"));
    // x = 0.075 + 0.425 (1 - x), as what leads nowhere leads everywhere.
    expect(pair.rankOf(tool("a")) / 2).toBeCloseTo(0.350877, 4);
    expect(pair.rankOf(tool("b")) / 2).toBeCloseTo(0.649123, 4);
    expect(pair.rankOf(tool("nobody"))).toBe(0);
  });

  it("follows strong edges more than weak ones", async () => {
    const insight = await insightOf(graphOf("a>b*100", "a>c", "b>a", "c>a"));
    expect(insight.rankOf(tool("b"))).toBeGreaterThan(2 * insight.rankOf(tool("c")));
  });
});

describe("[DI-5] Louvain communities", () => {
  it("are two for two groups with one edge between them", async () => {
    const insight = await insightOf(graphOf(...clique("abcd"), ...clique("efgh"), "d>e", "z>y"));
    const groups = [..."abcdefghyz"].map((name) => insight.communityOf(tool(name)));
    expect(new Set(groups.slice(0, 4)).size).toBe(1);
    expect(new Set(groups.slice(4, 8)).size).toBe(1);
    expect(groups[8]).toBe(groups[9]);
    expect(new Set(groups).size).toBe(3);
    expect(insight.communityOf(tool("nobody"))).toBeUndefined();
  });

  it("name their capabilities, the most central first", async () => {
    const graph = withCapabilities(graphOf(...clique("abcd", 99), ...clique("efgh", 99)), {
      one: "abcd",
      two: "abcd",
      three: "efgh",
    });
    graph.putCapability(cap("main"), {
      tools: [tool("a"), tool("b")],
      calls: [cap("two")],
      uses: { uses: 0, period: 0 },
    });
    const insight = await insightOf(graph);
    const community = insight.communityOf(tool("a")) ?? -1;
    expect(insight.capabilitiesOf(community)).toEqual([cap("two"), cap("main"), cap("one")]);
  });
});

describe("[DI-5] Adamic–Adar", () => {
  it("counts what two have in common, less where many have it", () => {
    const graph = graphOf("x>z", "y>z", "x>w", "y>w", "v>w");
    const scores = adamicAdar(graph, tool("x"));
    expect(scores.get(tool("y"))).toBeCloseTo(1 / Math.log(2) + 1 / Math.log(3), 10);
    expect(scores.get(tool("v"))).toBeCloseTo(1 / Math.log(3), 10);
    expect(scores.has(tool("z"))).toBe(false);
    expect(scores.has(tool("x"))).toBe(false);
    expect(adamicAdar(graph, tool("nobody")).size).toBe(0);
  });

  it("counts no neighbour twice that edges lead to and from", () => {
    const scores = adamicAdar(graphOf("x>z", "z>x", "y>z", "z>y"), tool("x"));
    expect(scores.get(tool("y"))).toBeCloseTo(1 / Math.log(2), 10);
  });

  it("counts what was used, not what schemas say could be", () => {
    const graph = graphOf("x>w", "y>w");
    for (const from of ["x", "y", "v"].map(tool))
      graph.setProvided(from, [{ from, to: tool("z"), coverage: "strict", fieldMapping: [] }]);
    expect([...adamicAdar(graph, tool("x"))]).toEqual([[tool("y"), 1 / Math.log(2)]]);
    expect(adamicAdar(graph, tool("v")).size).toBe(0);
  });

  it("does not look through what everything leads to", () => {
    const graph = graphOf("x>y");
    for (let index = 0; index < 1_001; index += 1) withCapabilities(graph, { [`c${index}`]: "h" });
    withCapabilities(graph, { mine: "hx" });
    expect(adamicAdar(graph, cap("mine")).has(cap("c0"))).toBe(false);
    expect(adamicAdar(graph, tool("h")).size).toBe(0);
  });
});

describe("[DI-5] the shortest path between tools", () => {
  const path = (graph: ToolGraph, from: string, to: string) =>
    shortestPath(graph, tool(from), tool(to), NOW)
      ?.map((node) => node.slice(2))
      .join(">");

  it("goes where most have gone, though that be more steps", () => {
    const graph = graphOf("a>b*99", "b>c*99", "a>c", "c>d");
    expect(path(graph, "a", "c")).toBe("a>b>c");
    expect(path(graph, "a", "d")).toBe("a>b>c>d");
    expect(path(graph, "a", "a")).toBe("a");
    expect(path(graph, "d", "a")).toBeUndefined();
    expect(path(graph, "a", "nobody")).toBeUndefined();
  });

  it("passes nothing that is not there, and gives up where it is far", () => {
    const graph = graphOf("a>b", "b>c", "c>d", "d>e", "e>f", "f>g");
    expect(path(graph, "a", "f")).toBe("a>b>c>d>e>f");
    expect(path(graph, "a", "g")).toBeUndefined();
    graph.removeTool(tool("c"));
    expect(path(graph, "a", "f")).toBeUndefined();
  });

  it("is as short as the best of all ways, tried one by one", () => {
    const pair = fc.tuple(
      fc.constantFrom(..."abcde"),
      fc.constantFrom(..."abcde"),
      fc.integer({ min: 1, max: 9 }),
    );
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 12 }), (pairs) => {
        const graph = graphOf(...pairs.map(([a, b, uses]) => `${a}>${b}*${uses}`), "a>a", "e>e");
        const length = (nodes: readonly GraphNode[]) =>
          nodes.slice(1).reduce((sum, to, index) => {
            const [edge] = graph.edgesBetween(nodes[index] ?? to, to, NOW);
            return sum + 1 / (edge?.weight ?? 0);
          }, 0);
        const all = (way: readonly GraphNode[]): readonly (readonly GraphNode[])[] => {
          if (way.at(-1) === tool("e")) return [way];
          return [..."abcde"]
            .map(tool)
            .filter((to) => !way.includes(to) && graph.edgesBetween(way.at(-1) ?? to, to, NOW).length > 0)
            .flatMap((to) => all([...way, to]));
        };
        const best = Math.min(...all([tool("a")]).map(length));
        const found = shortestPath(graph, tool("a"), tool("e"), NOW);
        expect(found === undefined ? Number.POSITIVE_INFINITY : length(found)).toBeCloseTo(best, 8);
      }),
    );
  });
});

describe("[DI-5] spectral clusters of capabilities", () => {
  it("part what uses other tools, also where something joins them", async () => {
    const graph = withCapabilities(new ToolGraph(), {
      a1: "abc",
      a2: "abc",
      a3: "ab",
      a4: "bc",
      b1: "def",
      b2: "def",
      b3: "de",
      b4: "ef",
      joins: "cd",
      alone: "z",
    });
    const insight = await insightOf(graph);
    const clusters = ["a1", "a2", "a3", "a4"].map((name) => insight.clusterOf(cap(name)));
    expect(new Set(clusters).size).toBe(1);
    const others = ["b1", "b2", "b3", "b4"].map((name) => insight.clusterOf(cap(name)));
    expect(new Set(others).size).toBe(1);
    expect(others[0]).not.toBe(clusters[0]);
    expect([...clusters, ...others]).not.toContain(insight.clusterOf(cap("alone")));
  });

  it("leave together what does the same", async () => {
    const names = Array.from({ length: 20 }, (_, index) => `c${index}`);
    const insight = await insightOf(
      withCapabilities(new ToolGraph(), Object.fromEntries(names.map((name) => [name, "ab"]))),
    );
    expect(new Set(names.map((name) => insight.clusterOf(cap(name)))).size).toBe(1);
  });

  it("rest on eigenvectors that are right", () => {
    // A path of n nodes, a quarter of its adjacency and twice itself: (2 + 2 cos(k π / (n + 1))) / 4.
    const size = 12;
    const { values, vectors } = leadingVectors(size, 4, (x) =>
      x.map((value, at) => (2 * value + (x[at - 1] ?? 0) + (x[at + 1] ?? 0)) / 4),
    );
    expect(values).toHaveLength(4);
    for (const [index, value] of values.entries())
      expect(value).toBeCloseTo((1 + Math.cos(((index + 1) * Math.PI) / (size + 1))) / 2, 4);
    const [one = new Float64Array(), two = new Float64Array()] = vectors;
    expect(one.reduce((sum, value, at) => sum + value * (two[at] ?? 0), 0)).toBeCloseTo(0, 8);
    expect(leadingVectors(0, 3, (x) => x).vectors).toEqual([]);
  });

  it("rest on means that are right", () => {
    const points = [0, 0.1, 10, 10.1, -5].map((at) => Float64Array.of(at));
    expect([...kMeans(points, 3)]).toEqual([0, 0, 1, 1, 2]);
    expect([
      ...kMeans(
        [points[0], points[0]].flatMap((one) => one ?? []),
        2,
      ),
    ]).toEqual([0, 0]);
    expect([...kMeans([], 2)]).toEqual([]);
  });
});

describe("[DI-5] what is worked out of the whole graph", () => {
  const pairs = [...clique("abcd"), ...clique("efgh"), "d>e"];

  it("is the same, whoever came first", async () => {
    const forwards = withCapabilities(graphOf(...pairs), { one: "ab", two: "ef" });
    const backwards = graphOf(...[...pairs].reverse());
    withCapabilities(backwards, { two: "ef", one: "ab" });
    const [one, other] = [await takeSnapshot(forwards, NOW), await takeSnapshot(backwards, NOW)];
    expect(other).toEqual(one);
    expect(analyseGraph(other.snapshot)).toEqual(analyseGraph(one.snapshot));
    expect(await analyseInTurns(other.snapshot)).toEqual(analyseGraph(one.snapshot));
  });

  it("is worked out when it is asked for, and again when the graph is another", async () => {
    const graph = graphOf(...pairs);
    let times = 0;
    const insights = new GraphInsights(graph, {
      now,
      changedShare: 0.2,
      analyse: async (snapshot) => {
        times += 1;
        return analyseGraph(snapshot);
      },
    });
    expect(insights.latest()).toBeUndefined();
    const [first, second] = await Promise.all([insights.fresh(), insights.fresh()]);
    expect(second).toBe(first);
    expect(insights.latest()).toBe(first);
    expect(times).toBe(1);
    graph.see({ from: tool("a"), to: tool("b"), uses: 1, period: NOW });
    expect(await insights.fresh()).toBe(first);
    for (const name of ["p", "q", "r"]) graph.see({ from: tool(name), to: tool("a"), uses: 1, period: NOW });
    // What is old is better than nothing, and does not stay.
    expect(insights.latest()).toBe(first);
    expect((await insights.fresh())?.communityOf(tool("p"))).toBeDefined();
    expect(times).toBe(2);
  });

  it("is nothing of nothing", async () => {
    const insight = await insightOf(new ToolGraph());
    expect(insight.capabilitiesOf(0)).toEqual([]);
  });

  it("stays as it was where it fails, and is not tried again with every question", async () => {
    let times = 0;
    const insights = new GraphInsights(graphOf("a>b"), {
      now,
      analyse: () => {
        times += 1;
        return Promise.reject(new Error("no"));
      },
    });
    await expect(insights.fresh()).rejects.toThrow("no");
    expect(insights.latest()).toBeUndefined();
    expect(await insights.fresh()).toBeUndefined();
    expect(times).toBe(1);
  });
});

describe("[DI-3] what the graph adds to ranking", () => {
  const graph = graphOf("a>b*9", "a>c", "d>c*9", "x>y");

  it("is the chance to come next after what was used, and nothing without context", () => {
    const bonuses = contextBonuses(graph, [tool("a")], NOW);
    expect(new Set(bonuses.keys())).toEqual(new Set(["t:b", "t:c"]));
    expect(bonuses.get(tool("b"))).toBeCloseTo(9 / 13);
    expect(contextBonuses(graph, [], NOW).size).toBe(0);
    expect(contextBonuses(graph, [tool("nobody")], NOW).size).toBe(0);
  });

  it("is the best of all that was used", () => {
    const bonuses = contextBonuses(graph, [tool("d"), tool("a")], NOW);
    expect(bonuses.get(tool("c"))).toBeCloseTo(9 / 12);
    for (const bonus of bonuses.values()) expect(bonus).toBeLessThanOrEqual(1);
  });
});
