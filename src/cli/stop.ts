import { readDataDirectory } from "../app/settings.js";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { reachGateway } from "../daemon/join.js";
import { readOwner } from "../daemon/owner-file.js";
import type { Command } from "./command.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, refuseArguments } from "./options.js";
import { printJson, printLine } from "./output.js";

const WAIT_MS = 15_000;
const EXIT_MS = 2_000;

export const stop: Command = {
  help: `Usage: pml stop [OPTIONS]

Stops the gateway that owns the data directory, also one in the foreground. It saves its counters first.

${COMMON_HELP}  --json               for scripts

Example:
  pml stop --config pml.json
`,
  async run(argv) {
    const { values, positionals } = parseOptions("stop", argv, COMMON_OPTIONS);
    refuseArguments("stop", positionals);
    const dataDir = readDataDirectory({ config: values.config, dataDir: values["data-dir"] }, process.env);
    const reached = await reachGateway(dataDir, { op: "stop", version: VERSION });
    const pid = reached?.reply.pid;
    reached?.socket.destroy();
    if (pid !== undefined) await gone(dataDir, pid);
    if (values.json === true)
      printJson({ stopped: pid !== undefined, ...(pid === undefined ? {} : { pid }) });
    else
      printLine(
        pid === undefined ? `No gateway runs on ${dataDir}` : `Stopped the gateway of process ${pid}`,
      );
    return 0;
  },
};

/** The owner file is the last thing that a gateway removes; its process ends a moment later. */
async function gone(dataDir: string, pid: number): Promise<void> {
  if (!(await happens(WAIT_MS, () => readOwner(dataDir)?.pid !== pid)))
    throw new PmlError(
      "GATEWAY_UNREACHABLE",
      `Cannot stop the gateway of process ${pid}: it is still running after ${WAIT_MS} ms`,
    );
  // Where nobody reaps it, a process that has ended is still to be seen; the directory is free all the same.
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
