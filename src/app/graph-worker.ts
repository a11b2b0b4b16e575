/**
 * The thread in which the whole graph is looked at: PageRank and communities take seconds of a large one, and are not
 * to be stopped half way.
 *
 * @module
 */
import { parentPort, workerData } from "node:worker_threads";
import { analyseGraph } from "../discovery/graph/analyse-graph.js";
import type { GraphSnapshot } from "../discovery/graph/graph-snapshot.js";

parentPort?.postMessage(analyseGraph(workerData as GraphSnapshot));
