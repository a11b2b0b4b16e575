import type { Log, LogFields, LogLevel } from "../base/log.js";

const ORDER: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 };

/** Structured log on stderr, one JSON object a line; stdout belongs to the protocol. */
export function stderrLog(level: LogLevel): Log {
  const at =
    (line: Exclude<LogLevel, "silent">) =>
    (event: string, fields: LogFields = {}) => {
      if (ORDER[line] < ORDER[level]) return;
      process.stderr.write(
        `${JSON.stringify({ time: new Date().toISOString(), level: line, event, ...fields })}\n`,
      );
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
