/** A thread that runs `pglite-worker.js` once for each store that it receives, one after the other. */
import { syncBuiltinESMExports } from "node:module";
import threads from "node:worker_threads";

const owner = threads.parentPort;
let count = 0;

owner.on("message", async ({ file, workerData, port }) => {
  count += 1;
  // The file reads these when it is loaded; its own imports are loaded already.
  Object.assign(threads, { parentPort: port, workerData });
  syncBuiltinESMExports();
  try {
    await import(`${file}?${count}`);
  } catch (error) {
    port.close();
    throw error;
  }
});
