import type { Graph } from "../answers.js";

/** The graph as the gateway returns it, with coordinates. */
export type GraphData = Graph;
export type GraphNode = Graph["nodes"][number];

/** A drawing that is on the page. */
export interface GraphHandle {
  /** Shows the neighbourhood of a node, or the whole graph again. */
  focus(id: string | undefined): void;
  stop(): void;
}
