/**
 * Gives memory of the JavaScript heap back while the process has nothing to do. V8 collects when something is allocated:
 * a gateway that has started and waits would keep what its start has left behind, about half of its heap.
 *
 * @module
 */
import { performance } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Heap {
  /** Of the time since the last call, what the thread was busy: 0 to 1. */
  busyShare(): number;
  bytes(): number;
  collect(): void;
}

const CHECK_MS = 10_000;
const IDLE_SHARE = 0.1;
/** A heap that has grown by less since the last time is left alone: collecting holds up the thread for some 50 ms. */
const GROWN_BYTES = 8 * 1024 * 1024;

/** For a process that is PML's own. No process stays for it. */
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
