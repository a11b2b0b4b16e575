import type { Graph } from "../answers.js";

/** The graph as the gateway answers it, with coordinates. */
export type GraphData = Graph;
export type GraphNode = Graph["nodes"][number];

/** A drawing that is in the page. */
export interface GraphHandle {
  /** Shows what is around a node, or all again. */
  focus(id: string | undefined): void;
  stop(): void;
}
