import { closeSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import type { Log, LogLevel } from "../base/log.js";
import { jsonLog } from "./json-log.js";

/** A log file that is put aside when it has grown to this, and one that was put aside before goes. */
const FILE_BYTES = 5 * 1024 * 1024;

/** Structured log in a file of bounded size, for a gateway that runs for weeks with nobody watching. */
export function fileLog(file: string, level: LogLevel): Log {
  let fd = openSync(file, "a", 0o600);
  let bytes = fstatSync(fd).size;
  return jsonLog(level, (line) => {
    try {
      if (bytes > FILE_BYTES) {
        closeSync(fd);
        renameSync(file, `${file}.1`);
        fd = openSync(file, "a", 0o600);
        bytes = 0;
      }
      bytes += writeSync(fd, line);
    } catch {
      // A full disk must not stop the gateway; there is nowhere left to say so.
    }
  });
}
