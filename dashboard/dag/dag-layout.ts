/**
 * Computes the positions of the nodes, edges and boxes of a picture.
 *
 * @module
 */
import { Graph, layout } from "@dagrejs/dagre";
import type { Dag, DagEdge, DagNode } from "./dag-model.js";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Positioned by its centre. */
export interface Placed<T> extends Point {
  readonly width: number;
  readonly height: number;
  readonly of: T;
}

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Placed<DagNode>[];
  readonly edges: readonly {
    readonly of: DagEdge;
    readonly points: readonly Point[];
    readonly label?: Point;
  }[];
  readonly boxes: readonly Placed<string>[];
}

const CHAR = 7.9;
const SMALL_CHAR = 6.5;
const PADDING = 28;
const LONG = 60;
const NEAR = 0.6;

function sizeOf({ kind, title, note }: Pick<DagNode, "kind" | "title" | "note">): {
  readonly width: number;
  readonly height: number;
} {
  switch (kind) {
    case "start":
    case "end":
      return { width: 52, height: 24 };
    case "fork":
    case "join":
    case "loop-end":
      return { width: Math.max(90, title.length * SMALL_CHAR + 24), height: 24 };
    default:
      return {
        width: Math.max(96, Math.max(title.length * CHAR, note.length * SMALL_CHAR) + PADDING),
        height: 46,
      };
  }
}

export function place(dag: Dag): Picture {
  const graph = new Graph({ compound: true, multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 34, edgesep: 14, marginx: 14, marginy: 14 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of dag.boxes) graph.setNode(boxName(id), {});
  for (const { id, box } of dag.boxes) if (box !== undefined) graph.setParent(boxName(id), boxName(box));
  for (const node of dag.nodes) {
    graph.setNode(node.id, { ...sizeOf(node) });
    if (node.box !== undefined) graph.setParent(node.id, boxName(node.box));
  }
  dag.edges.forEach((edge, at) => {
    const label =
      edge.label === "" ? {} : { width: edge.label.length * SMALL_CHAR + 8, height: 16, labelpos: "c" };
    // The dominant path goes straight down.
    graph.setEdge(edge.from, edge.to, { ...label, weight: edge.isDominant ? 4 : 1 }, String(at));
  });
  layout(graph);
  const size = graph.graph();
  return {
    width: Math.ceil(size.width ?? 0),
    height: Math.ceil(size.height ?? 0),
    nodes: dag.nodes.map((of) => ({ of, ...rectangle(graph.node(of.id)) })),
    boxes: dag.boxes.map(({ id }) => ({ of: id, ...rectangle(graph.node(boxName(id))) })),
    edges: dag.edges.map((of, at) => {
      const {
        points = [],
        x,
        y,
      } = graph.edge({ v: of.from, w: of.to, name: String(at) }) as {
        points?: readonly Point[];
        x?: number;
        y?: number;
      };
      return {
        of,
        points,
        ...(x === undefined || y === undefined ? {} : { label: labelAt(points, { x, y }) }),
      };
    }),
  };
}

/**
 * A line over several rows has its label at its start: further down, readers cannot tell which decision it belongs to.
 */
function labelAt(points: readonly Point[], middle: Point): Point {
  const [first, bend] = points;
  if (first === undefined || bend === undefined || middle.y - first.y < LONG) return middle;
  return { x: first.x + (bend.x - first.x) * NEAR, y: first.y + (bend.y - first.y) * NEAR };
}

function boxName(loop: string): string {
  return `box ${loop}`;
}

function rectangle(node: unknown): { x: number; y: number; width: number; height: number } {
  const { x = 0, y = 0, width = 0, height = 0 } = node as Partial<Placed<unknown>>;
  return { x, y, width, height };
}

/** An SVG path through the points, with rounded corners. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let path = `M${round(first.x)},${round(first.y)}`;
  rest.forEach((point, at) => {
    const next = rest[at + 1];
    if (next === undefined) path += `L${round(point.x)},${round(point.y)}`;
    else
      path += `Q${round(point.x)},${round(point.y)} ${round((point.x + next.x) / 2)},${round((point.y + next.y) / 2)}`;
  });
  return path;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
