/**
 * The thread that analyses the whole graph: PageRank, communities and a layout take seconds for a large one, and cannot
 * be interrupted.
 *
 * @module
 */
import { parentPort, workerData } from "node:worker_threads";
import { analyseGraph } from "../discovery/graph/analyse-graph.js";
import { drawGraph } from "../discovery/graph/draw-graph.js";
import type { GraphWork } from "./threads.js";

const { snapshot, isDrawn } = workerData as GraphWork;
parentPort?.postMessage(isDrawn ? drawGraph(snapshot) : analyseGraph(snapshot));
