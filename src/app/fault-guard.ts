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
  process.on("unhandledRejection", (error) => log.error("fault.rejection", fields(error)));
  process.on("uncaughtException", (error) => {
    log.error("fault.exception", fields(error));
    process.exitCode = 1;
    end("fault");
  });
}
