import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What `make` answers, and how many bytes of the heap that holds on to. */
export async function measuredHeap(make) {
  collect();
  const before = process.memoryUsage().heapUsed;
  const value = await make();
  collect();
  return { value, bytes: process.memoryUsage().heapUsed - before };
}

function collect() {
  setFlagsFromString("--expose_gc");
  runInNewContext("gc")();
}
