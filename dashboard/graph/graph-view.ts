/**
 * Draws the graph with WebGL. Only the graph page loads this.
 *
 * @module
 */
import { MultiDirectedGraph } from "graphology";
import Sigma from "sigma";
import type { GraphData, GraphHandle } from "./graph-data.js";

const LIGHT = [
  "#3a5bc7",
  "#0f7b6c",
  "#a8479c",
  "#b25a00",
  "#3f7d20",
  "#8a4fd3",
  "#c0392b",
  "#20709a",
  "#7a6a00",
  "#5c6b7a",
];
const DARK = [
  "#8fa8ff",
  "#4fd1b5",
  "#ee8fe0",
  "#ffb067",
  "#98d36b",
  "#c3a0ff",
  "#ff9187",
  "#6cc7f2",
  "#e0cf55",
  "#a9b8c7",
];
const SMALLEST = 3;
const LARGEST = 16;
const ALL_NAMED_MOST = 80;

export interface GraphOptions {
  readonly isDark: boolean;
  readonly onPick: (id: string | undefined) => void;
}

export function mountGraph(
  into: HTMLElement,
  data: GraphData,
  { isDark, onPick }: GraphOptions,
): GraphHandle {
  const colours = isDark ? DARK : LIGHT;
  const [faded, line] = isDark ? ["#2a333f", "#2f3a47"] : ["#e3e7ec", "#d5dbe3"];
  const graph = new MultiDirectedGraph();
  const largest = Math.max(...data.nodes.map(({ rank }) => rank), Number.MIN_VALUE);
  for (const { id, name, x, y, rank, community } of data.nodes)
    graph.mergeNode(id, {
      label: name,
      x,
      y,
      // The area of a node shows how much depends on it.
      size: SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(Math.max(0, rank) / largest),
      color: colours[Math.abs(community) % colours.length] ?? colours[0],
      forceLabel: false,
    });
  for (const { from, to, weight } of data.edges) {
    const [one, other] = [data.nodes[from]?.id, data.nodes[to]?.id];
    if (one === undefined || other === undefined || one === other) continue;
    graph.addEdge(one, other, {
      size: Math.min(3, 0.6 + Math.log1p(Math.max(0, weight)) * 0.4),
      color: line,
    });
  }
  // Shows the names of all nodes that do not overlap.
  const isSmall = data.nodes.length <= ALL_NAMED_MOST;
  let focused: string | undefined;
  let near = new Set<string>();
  const sigma = new Sigma(graph, into, {
    labelColor: { color: isDark ? "#e6eaf0" : "#1b2430" },
    labelFont: "system-ui, sans-serif",
    labelSize: 12,
    labelDensity: isSmall ? 1.5 : 0.6,
    labelRenderedSizeThreshold: isSmall ? 0 : 6,
    zIndex: true,
    allowInvalidContainer: true,
    defaultDrawNodeHover: (context, node) => {
      if (typeof node.label !== "string") return;
      context.font = "600 12px system-ui, sans-serif";
      const width = context.measureText(node.label).width + 12;
      context.fillStyle = isDark ? "#232c37" : "#ffffff";
      context.strokeStyle = isDark ? "#3a4653" : "#c9d1db";
      context.beginPath();
      context.roundRect(node.x + node.size + 2, node.y - 11, width, 22, 6);
      context.fill();
      context.stroke();
      context.fillStyle = isDark ? "#e6eaf0" : "#1b2430";
      context.fillText(node.label, node.x + node.size + 8, node.y + 4);
    },
    nodeReducer: (id, node) => {
      if (focused === undefined) return node;
      if (near.has(id)) return { ...node, forceLabel: true, zIndex: 1 };
      return { ...node, color: faded, label: null, zIndex: 0 };
    },
    edgeReducer: (id, edge) => {
      if (focused === undefined) return edge;
      return graph.hasExtremity(id, focused)
        ? { ...edge, color: isDark ? "#8fa8ff" : "#3a5bc7" }
        : { ...edge, hidden: true };
    },
  });
  const focus = (id: string | undefined) => {
    focused = id !== undefined && graph.hasNode(id) ? id : undefined;
    near = focused === undefined ? new Set() : new Set([focused, ...graph.neighbors(focused)]);
    sigma.refresh({ skipIndexation: true });
    const place = focused === undefined ? undefined : sigma.getNodeDisplayData(focused);
    void sigma
      .getCamera()
      .animate(place === undefined ? { x: 0.5, y: 0.5, ratio: 1 } : { x: place.x, y: place.y, ratio: 0.45 }, {
        duration: 250,
      });
  };
  sigma.on("clickNode", ({ node }) => {
    focus(node);
    onPick(node);
  });
  sigma.on("clickStage", () => {
    focus(undefined);
    onPick(undefined);
  });
  return { focus, stop: () => sigma.kill() };
}
