/**
 * Work in a separate thread, which ends with its answer: for work that takes seconds, or memory that should be
 * released.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { analyseInTurns, type GraphAnalysis } from "../discovery/graph/analyse-graph.js";
import type { GraphDrawing } from "../discovery/graph/draw-graph.js";
import type { GraphSnapshot } from "../discovery/graph/graph-snapshot.js";
import type { CountTokens } from "../gateway/token-count.js";

/** Beside this file in a build; tests run the sources, but a thread needs the built file. */
const BUILT = import.meta.url.endsWith(".ts") ? "../../dist/app/" : "./";

/** A request to the graph thread. */
export interface GraphWork {
  readonly snapshot: GraphSnapshot;
  /** Whether the positions of nodes are requested too. */
  readonly isDrawn: boolean;
}

/** The graph of a new installation changes with every run, and is analysed faster than a thread starts. */
const NODES_HERE = 50;

export function analyseInThread(snapshot: GraphSnapshot): Promise<GraphAnalysis> {
  if (snapshot.isCapability.length <= NODES_HERE) return analyseInTurns(snapshot);
  return inThread("graph-worker.js", { snapshot, isDrawn: false } satisfies GraphWork);
}

export function drawInThread(snapshot: GraphSnapshot): Promise<GraphDrawing> {
  return inThread("graph-worker.js", { snapshot, isDrawn: true } satisfies GraphWork);
}

export const countTokensInThread: CountTokens = (texts) => inThread("token-worker.js", texts);

/** Does not keep the process alive. */
function inThread<T>(file: string, workerData: unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(new URL(BUILT + file, import.meta.url)), { workerData });
    worker.unref();
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("The thread has ended without an answer")));
  });
}
