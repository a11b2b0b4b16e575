import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { GraphAnalysis } from "../discovery/graph/analyse-graph.js";
import type { GraphSnapshot } from "../discovery/graph/graph-snapshot.js";

/** Beside this file when it is built; tests run the sources, and a thread needs the built file. */
const BUILT = import.meta.url.endsWith(".ts") ? "../../dist/app/" : "./";
const WORKER = fileURLToPath(new URL(`${BUILT}graph-worker.js`, import.meta.url));

/** In a thread of its own, which ends with it; nobody stays running for it. */
export function analyseInThread(snapshot: GraphSnapshot): Promise<GraphAnalysis> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: snapshot });
    worker.unref();
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("The thread has ended without an answer")));
  });
}
