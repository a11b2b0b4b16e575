import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Provision } from "../../registry/provides.js";
import type { GraphNode, ProvidesLink } from "../../registry/tool-graph.js";
import type { ToolId } from "../../registry/tool-id.js";
import { addUses, baseOf, chanceOf, periodOf, usesIn, weightOf } from "./edge-weights.js";
import { type CapabilityFacts, ToolGraph } from "./tool-graph.js";

const NOW = 700;
const tool = (name: string) => `t:${name}` as ToolId;
const cap = (name: string) => `local.default.x.${name}.0000` as Fqdn;
const STRICT: Provision = {
  coverage: "strict",
  fieldMapping: [{ fromField: "content", toField: "json", typeCompatible: true }],
};
const link = (from: GraphNode, to: GraphNode, provision = STRICT): ProvidesLink => ({
  from,
  to,
  ...provision,
});
const facts = (more: Partial<CapabilityFacts> = {}): CapabilityFacts => ({
  tools: [],
  calls: [],
  uses: { uses: 0, period: 0 },
  ...more,
});
const seen = (from: GraphNode, to: GraphNode, uses = 1, period = NOW) => ({ from, to, uses, period });

/** `sequence t:a>t:b 0.50`, one line each. */
function drawn(graph: ToolGraph, period = NOW): readonly string[] {
  return graph
    .nodes()
    .flatMap((node) => [
      `${graph.isPresent(node) ? "" : "("}${node}`,
      ...graph
        .edgesFrom(node, period)
        .map(({ kind, from, to, weight }) => `${kind} ${from}>${to} ${weight.toFixed(2)}`),
    ]);
}

describe("[DI-5] what an edge weighs", () => {
  it("is what its kind is worth, where nobody has used it", () => {
    expect(baseOf("provides", "strict")).toBeCloseTo(0.7);
    expect(baseOf("provides", "partial")).toBeCloseTo(0.35);
    expect(baseOf("provides", "optional")).toBeCloseTo(0.175);
    expect(["dependency", "contains", "sequence"].map((kind) => baseOf(kind as "sequence"))).toEqual([
      1, 0.8, 0.5,
    ]);
  });

  it("grows with use, never beyond 1, and never falls below what is stated", () => {
    expect(weightOf(0.7, 0)).toBe(0.7);
    expect(weightOf(0, 0)).toBe(0);
    expect(weightOf(0, 3)).toBe(0.5);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(1_000_000), (base, uses) => {
        const [less, more] = [weightOf(base, uses), weightOf(base, uses + 1)];
        expect(less).toBeGreaterThanOrEqual(base);
        expect(more).toBeGreaterThanOrEqual(less);
        expect(more).toBeLessThanOrEqual(1);
      }),
    );
  });

  it("falls by half with every four weeks that nobody uses it", () => {
    const day = 86_400_000;
    expect(periodOf(28 * day)).toBe(periodOf(0) + 1);
    expect(usesIn(702, 8, 700)).toBe(2);
    expect(usesIn(699, 8, 700)).toBe(8);
    expect(addUses({ uses: 4, period: 700 }, { uses: 1, period: 702 })).toEqual({ uses: 2, period: 702 });
  });

  it("few uses make nothing likely", () => {
    expect(chanceOf(1, 1)).toBeLessThan(0.3);
    expect(chanceOf(90, 100)).toBeGreaterThan(0.8);
  });
});

describe("[DI-5] the graph", () => {
  it("has tools and capabilities, and what code, schemas and runs say of them", () => {
    const graph = new ToolGraph();
    for (const name of ["read", "parse", "post"]) graph.putTool(tool(name));
    graph.setProvided(tool("read"), [link(tool("read"), tool("parse"))]);
    graph.putCapability(cap("main"), {
      ...facts({
        tools: [tool("read"), tool("parse")],
        calls: [cap("inner")],
        uses: { uses: 3, period: NOW },
      }),
      code: { sequences: [[tool("read"), tool("parse")]], provides: [] },
    });
    graph.putCapability(cap("inner"), facts({ tools: [tool("post")] }));
    graph.see(seen(tool("parse"), tool("post"), 3));
    graph.see(seen(tool("read"), tool("parse"), 3));
    expect(drawn(graph)).toEqual([
      cap("inner"),
      `contains ${cap("inner")}>t:post 0.80`,
      cap("main"),
      `dependency ${cap("main")}>${cap("inner")} 1.00`,
      `contains ${cap("main")}>t:parse 0.90`,
      `contains ${cap("main")}>t:read 0.90`,
      "t:parse",
      "sequence t:parse>t:post 0.50",
      "t:post",
      "t:read",
      "sequence t:read>t:parse 0.75",
      "provides t:read>t:parse 0.85",
    ]);
    expect(drawn(graph, NOW + 30).slice(-3)).toEqual([
      "t:read",
      "sequence t:read>t:parse 0.50",
      "provides t:read>t:parse 0.70",
    ]);
  });

  it("says of `provides` how much, from which schema into which, and which field goes where", () => {
    const graph = new ToolGraph();
    const [given, taken] = [
      { type: "object", title: "given" },
      { type: "object", title: "taken" },
    ];
    graph.putTool(tool("read"), { outputSchema: given });
    graph.putTool(tool("parse"), { inputSchema: taken });
    graph.setProvided(tool("read"), [link(tool("read"), tool("parse"))]);
    expect(graph.edgesFrom(tool("read"), NOW)).toEqual([
      {
        from: "t:read",
        to: "t:parse",
        kind: "provides",
        weight: 0.7,
        provision: STRICT,
        providerOutputSchema: given,
        consumerInputSchema: taken,
      },
    ]);
  });

  it("loses what a capability said when it goes or says something else, and not what another says too", () => {
    const graph = new ToolGraph();
    const code = { sequences: [[tool("a"), tool("b")]], provides: [link(tool("a"), tool("b"))] } as const;
    graph.putTool(tool("a"));
    graph.putTool(tool("b"));
    const empty = drawn(graph);
    graph.putCapability(cap("one"), facts({ tools: [tool("a")], code }));
    graph.putCapability(cap("two"), facts({ tools: [tool("a")], code }));
    graph.removeCapability(cap("one"));
    expect(drawn(graph)).toContain("sequence t:a>t:b 0.50");
    expect(drawn(graph)).toContain("provides t:a>t:b 0.70");
    graph.putCapability(cap("two"), facts({ tools: [tool("b")] }));
    expect(drawn(graph)).toEqual([cap("two"), `contains ${cap("two")}>t:b 0.80`, "t:a", "t:b"]);
    graph.removeCapability(cap("two"));
    expect(drawn(graph)).toEqual(empty);
  });

  it("keeps what is known of a tool that is gone for when it comes back, and does not show it", () => {
    const graph = new ToolGraph();
    graph.putTool(tool("a"));
    graph.putTool(tool("b"));
    graph.setProvided(tool("b"), [link(tool("b"), tool("a"))]);
    graph.see(seen(tool("a"), tool("b")));
    graph.removeTool(tool("b"));
    expect(graph.isPresent(tool("b"))).toBe(false);
    expect(drawn(graph)).toEqual(["t:a", "sequence t:a>t:b 0.25", "(t:b"]);
    graph.putTool(tool("b"));
    expect(drawn(graph)).toEqual(["t:a", "sequence t:a>t:b 0.25", "t:b"]);
    graph.forget(NOW + 6);
    expect(drawn(graph, NOW + 6)).toContain("sequence t:a>t:b 0.01");
    graph.forget(NOW + 7);
    expect(drawn(graph)).toEqual(["t:a", "t:b"]);
  });

  it("keeps the strongest where there are too many", () => {
    const graph = new ToolGraph({ pairsOfNode: 8, nodes: 30 });
    for (let index = 0; index < 40; index += 1)
      graph.see(seen(tool("hub"), tool(String(index).padStart(2, "0")), 1 + index));
    const kept = graph.edgesFrom(tool("hub"), NOW).map(({ to }) => to);
    expect(kept.length).toBeLessThanOrEqual(10);
    expect(kept).toContain("t:39");
    expect(kept).not.toContain("t:00");
    for (let index = 0; index < 100; index += 1)
      graph.putCapability(cap(`c${index}`), facts({ uses: { uses: index, period: NOW } }));
    expect(graph.nodeCount).toBeLessThanOrEqual(30);
    expect(graph.isPresent(cap("c99"))).toBe(true);
    expect(graph.isPresent(cap("c0"))).toBe(false);
  });
});

const NAMES = ["a", "b", "c", "d"];
const anyTool = fc.constantFrom(...NAMES.map(tool));
const anyCap = fc.constantFrom(...NAMES.map(cap));
const anyNode = fc.oneof(anyTool, anyCap);
const anyProvision = fc.constantFrom<Provision>(STRICT, { ...STRICT, coverage: "partial" });
const anyLinks = fc.array(
  fc
    .record({ from: anyNode, to: anyNode, provision: anyProvision })
    .map(({ from, to, provision }) => link(from, to, provision)),
  { maxLength: 3 },
);
const anyFacts = fc.record({
  tools: fc.uniqueArray(anyTool, { maxLength: 3 }),
  calls: fc.uniqueArray(anyCap, { maxLength: 2 }),
  uses: fc.record({ uses: fc.nat(9), period: fc.constantFrom(NOW - 1, NOW) }),
  code: fc.option(
    fc.record({ sequences: fc.array(fc.tuple(anyNode, anyNode), { maxLength: 3 }), provides: anyLinks }),
    {
      nil: undefined,
    },
  ),
});

type Event = (graph: ToolGraph) => void;

/** What a graph was told last of each thing, and uses, which add up. */
const anyEvents = fc.record({
  tools: fc.array(fc.record({ id: anyTool, isGone: fc.boolean(), links: anyLinks }), { maxLength: 6 }),
  capabilities: fc.array(fc.record({ id: anyCap, facts: fc.option(anyFacts) }), { maxLength: 6 }),
  uses: fc.array(
    fc.record({
      from: anyNode,
      to: anyNode,
      uses: fc.integer({ min: 1, max: 5 }),
      period: fc.constantFrom(NOW - 2, NOW),
    }),
    {
      maxLength: 12,
    },
  ),
});

describe("[DI-5] the graph is the same, in whatever order and grouping things come in", () => {
  it("as one built of the last state of each thing and the sum of uses", () => {
    fc.assert(
      fc.property(anyEvents, fc.infiniteStream(fc.nat(1_000)), ({ tools, capabilities, uses }, random) => {
        const told = new ToolGraph();
        const streams: Event[][] = [
          tools.map(({ id, isGone, links }) => (graph) => {
            if (isGone) graph.removeTool(id);
            else {
              graph.putTool(id);
              graph.setProvided(
                id,
                links.map((one) => ({ ...one, from: id })),
              );
            }
          }),
          capabilities.map(({ id, facts: known }) => (graph) => {
            if (known === null) graph.removeCapability(id);
            else graph.putCapability(id, known);
          }),
          uses.map((one) => (graph) => graph.see(one)),
        ];
        // Each stream in its order, between one another in any.
        while (streams.some((stream) => stream.length > 0)) {
          const full = streams.filter((stream) => stream.length > 0);
          full[(random.next().value ?? 0) % full.length]?.shift()?.(told);
        }
        const fresh = new ToolGraph();
        const sums = new Map<string, (typeof uses)[number]>();
        for (const one of [...uses].reverse()) {
          const key = `${one.from} ${one.to}`;
          const known = sums.get(key);
          sums.set(key, known === undefined ? one : { ...one, ...addUses(known, one) });
        }
        for (const one of sums.values()) fresh.setUses(one);
        const last = new Map(capabilities.map((one) => [one.id, one.facts]));
        for (const [id, known] of last) if (known !== null) fresh.putCapability(id, known);
        const lastTools = new Map(tools.map((one) => [one.id, one]));
        for (const [id, { isGone, links }] of lastTools)
          if (!isGone) {
            fresh.putTool(id);
            fresh.setProvided(
              id,
              links.map((one) => ({ ...one, from: id })),
            );
          }
        expect(exact(told)).toEqual(exact(fresh));
      }),
      { numRuns: 300 },
    );
  });
});

/** To the last bit. */
function exact(graph: ToolGraph) {
  return graph.nodes().map((node) => ({
    node,
    isPresent: graph.isPresent(node),
    edges: graph.edgesFrom(node, NOW),
    degree: graph.degree(node),
  }));
}
