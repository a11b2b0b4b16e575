import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";

/**
 * The last line of defence of a process that many clients share. A promise that nobody waited for failed: one
 * request is hurt, so it is logged and the rest goes on. An exception that nobody caught may have left anything
 * half done: the process ends in order, and clients start it anew.
 */
export function guardFaults(log: Log, end: (why: string) => void): void {
  const fields = (error: unknown) => ({
    message: messageOf(error),
    stack: error instanceof Error ? (error.stack ?? "") : "",
  });
  logWarningsOnce(log);
  process.on("unhandledRejection", (error) => log.error("fault.rejection", fields(error)));
  process.on("uncaughtException", (error) => {
    log.error("fault.exception", fields(error));
    process.exitCode = 1;
    end("fault");
  });
}

/** Libraries repeat a warning for every call; each is told once, and as a line of the log. */
function logWarningsOnce(log: Log): void {
  const told = new Set<string>();
  process.removeAllListeners("warning");
  process.on("warning", ({ name, message }) => {
    const kind = `${name} ${message.replace(/\d+/g, "#")}`;
    if (told.has(kind)) return;
    told.add(kind);
    log.warn("process.warning", { name, message });
  });
}

/**
 * Ends the process at once when its data directory has become another's: whatever it would still write, counters and
 * the pages of an embedded store, would land in files that are not its own. Servers see the end of their input.
 */
export function exitWhenLost(lost: Promise<void>, log: Log): void {
  void lost.then(() => {
    log.error("directory.lost", {
      hint: "The data directory was removed or taken over; start the gateway again.",
    });
    process.exit(1);
  });
}

/** Calls `end` on the signals that ask a process to end; a second one ends it at once. */
export function onEndSignal(end: (why: string) => void): void {
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (asked) process.exit(130);
      asked = true;
      end(signal);
    });
  }
}
