/** The logging interface of the core: an event name and plain fields, never argument values or secrets. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
