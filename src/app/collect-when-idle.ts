/**
 * Releases memory of the JavaScript heap while the process is idle. V8 collects only on allocation: a gateway that has
 * started and waits would keep the garbage of its start, about half of its heap.
 *
 * @module
 */
import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Heap {
  /** The share of time in which the thread was busy since the last call: 0 to 1. */
  busyShare(): number;
  bytes(): number;
  collect(): void;
}

const CHECK_MS = 10_000;
const IDLE_SHARE = 0.1;
/** No collection if the heap has grown by less since the last one: it blocks the thread for about 50 ms. */
const GROWN_BYTES = 8 * 1024 * 1024;

/** For PML's own processes. Does not keep the process alive. */
export function collectWhenIdle(): void {
  setInterval(idleCheck(ownHeap()), CHECK_MS).unref();
}

export function idleCheck(heap: Heap): () => void {
  let left = 0;
  return () => {
    const isIdle = heap.busyShare() < IDLE_SHARE;
    if (!isIdle || heap.bytes() - left < GROWN_BYTES) return;
    heap.collect();
    left = heap.bytes();
  };
}

function ownHeap(): Heap {
  setFlagsFromString("--expose-gc");
  let last = performance.eventLoopUtilization();
  return {
    busyShare() {
      const { utilization } = performance.eventLoopUtilization(last);
      last = performance.eventLoopUtilization();
      return utilization;
    },
    bytes: () => getHeapStatistics().total_heap_size,
    collect: runInNewContext("gc") as () => void,
  };
}
