import { readDataDirectory } from "../app/settings.js";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { reachGateway } from "../daemon/join.js";
import { isAlive, readOwner } from "../daemon/owner-file.js";
import { ownAction, single } from "./command.js";
import { printJson, printLine } from "./output.js";

const WAIT_MS = 15_000;
const EXIT_MS = 2_000;

export const stop = single(
  "stop",
  ownAction({
    about: `Stops the gateway that owns the data directory, also one in the foreground. It saves its counters first.`,
    examples: ["pml stop --config pml.json"],
    async session({ config, "data-dir": named, json }) {
      const dataDir = readDataDirectory({ config, dataDir: named }, process.env);
      const reached = await reachGateway(dataDir, { op: "stop", version: VERSION });
      const pid = reached?.reply.pid;
      reached?.socket.destroy();
      if (pid !== undefined) await gone(dataDir, pid);
      if (json === true) printJson({ stopped: pid !== undefined, ...(pid === undefined ? {} : { pid }) });
      else
        printLine(
          pid === undefined ? `No gateway runs on ${dataDir}` : `Stopped the gateway of process ${pid}`,
        );
      return 0;
    },
  }),
);

/** Resolves when the gateway is gone. It removes the owner file last; its process ends a moment later. */
async function gone(dataDir: string, pid: number): Promise<void> {
  if (!(await happens(WAIT_MS, () => readOwner(dataDir)?.pid !== pid)))
    throw new PmlError(
      "GATEWAY_UNREACHABLE",
      `Cannot stop the gateway of process ${pid}: it is still running after ${WAIT_MS} ms`,
    );
  // An ended process that its parent has not reaped is still listed, but its directory is free.
  await happens(EXIT_MS, () => !isAlive(pid));
}

async function happens(withinMs: number, condition: () => boolean): Promise<boolean> {
  const until = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}
