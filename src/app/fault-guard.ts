import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";

/**
 * The last line of defence of a process that many clients share. An unhandled rejection affects one request: it is
 * logged, and the process continues. An uncaught exception may have left anything half done: the process shuts down
 * cleanly, and clients start it again.
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

/** Libraries repeat a warning for every call; each one is logged once. */
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
 * Ends the process at once when another gateway has taken its data directory: late writes to counters and pages of an
 * embedded store would damage files of that gateway. Servers see the end of their input.
 */
export function exitWhenLost(lost: Promise<void>, log: Log): void {
  void lost.then(() => {
    log.error("directory.lost", {
      hint: "The data directory was removed or taken over; start the gateway again.",
    });
    process.exit(1);
  });
}

/** Calls `end` on the signals that ask a process to end; a second signal ends it at once. */
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
