/**
 * The thread in which the whole graph is looked at: PageRank, communities and a drawing take seconds of a large one, and are not
 * to be stopped half way.
 *
 * @module
 */
import { parentPort, workerData } from "node:worker_threads";
import { analyseGraph } from "../discovery/graph/analyse-graph.js";
import { drawGraph } from "../discovery/graph/draw-graph.js";
import type { GraphWork } from "./threads.js";

const { snapshot, isDrawn } = workerData as GraphWork;
parentPort?.postMessage(isDrawn ? drawGraph(snapshot) : analyseGraph(snapshot));
