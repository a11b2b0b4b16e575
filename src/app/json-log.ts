import type { Log, LogFields, LogLevel } from "../base/log.js";

const ORDER: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** A log with one JSON object per line; lines below `level` are not written. */
export function jsonLog(level: LogLevel, write: (line: string) => void): Log {
  const at =
    (line: Exclude<LogLevel, "silent">) =>
    (event: string, fields: LogFields = {}) => {
      if (ORDER[line] < ORDER[level]) return;
      write(`${JSON.stringify({ time: new Date().toISOString(), level: line, event, ...fields })}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/**
 * The log of a gateway in the foreground: on stderr, since stdout belongs to the protocol. If the reader of stderr has
 * ended, the gateway goes on without a log. Unhandled, each line would be a fault, and the fault another line.
 */
export function stderrLog(level: LogLevel): Log {
  let isRead = true;
  process.stderr.on("error", () => {
    isRead = false;
  });
  return jsonLog(level, (line) => {
    if (isRead) process.stderr.write(line);
  });
}
