import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Returns the result of `make`, and how many bytes of the heap it occupies. */
export async function measuredHeap(make) {
  collect();
  const before = process.memoryUsage().heapUsed;
  const value = await make();
  collect();
  return { value, bytes: process.memoryUsage().heapUsed - before };
}

/** The same, including the memory of typed arrays, which is not on the heap. */
export async function measuredMemory(make) {
  const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  await collectArrays();
  const before = used();
  const value = await make();
  await collectArrays();
  return { value, bytes: used() - before };
}

/** Their memory is freed gradually after the garbage collection. */
async function collectArrays() {
  for (let time = 0; time < 3; time += 1) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function collect() {
  setFlagsFromString("--expose_gc");
  runInNewContext("gc")();
}
