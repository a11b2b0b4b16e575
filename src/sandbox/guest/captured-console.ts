/**
 * The `console` of a run: its output becomes log frames, up to a number of bytes for the whole run.
 *
 * @module
 */
import { LOG_BYTES_MOST, type LogFrameLevel } from "../protocol/frames.js";
import { inspectAll } from "./inspect.js";
import { charCodeAt, create, defineProperty, descriptor, freeze, textSlice } from "./primordials.js";

const NOTE = `[the log is truncated at ${LOG_BYTES_MOST / 1024} KiB]`;
/** The methods for code, and their log levels. */
const METHODS: readonly (readonly [string, LogFrameLevel])[] = [
  ["log", "info"],
  ["info", "info"],
  ["warn", "warn"],
  ["error", "error"],
  ["debug", "debug"],
  ["trace", "debug"],
  ["dir", "info"],
  ["table", "info"],
];

export type Log = (level: LogFrameLevel, values: readonly unknown[]) => void;

export function createConsole(log: Log): object {
  const console: object = create(null);
  for (let index = 0; index < METHODS.length; index += 1) {
    const method = METHODS[index] as readonly [string, LogFrameLevel];
    const level = method[1];
    const logs = freeze((...values: unknown[]): void => log(level, values));
    defineProperty(console, method[0], descriptor(logs, true));
  }
  return freeze(console);
}

/** A log that passes each line to `write` until it is full, and then one note. */
export function createLog(write: (level: LogFrameLevel, text: string) => void): Log {
  let left = LOG_BYTES_MOST;
  let isFull = false;
  return (level, values) => {
    if (isFull) return;
    const whole = inspectAll(values);
    const text = utf8Start(whole, left);
    left -= text.bytes;
    if (text.part.length > 0 || whole.length === 0) write(level, text.part);
    // Even an empty line counts, otherwise there could be any number of them.
    left -= 1;
    if (text.part.length === whole.length && left > 0) return;
    isFull = true;
    write("warn", NOTE);
  };
}

/** The longest prefix of `text` with at most `most` bytes in UTF-8. */
function utf8Start(text: string, most: number): { readonly part: string; readonly bytes: number } {
  let bytes = 0;
  let index = 0;
  while (index < text.length) {
    const code = charCodeAt(text, index);
    const isPair = code >= 0xd800 && code <= 0xdbff && index + 1 < text.length;
    const width = code < 0x80 ? 1 : code < 0x800 ? 2 : isPair ? 4 : 3;
    if (bytes + width > most) break;
    bytes += width;
    index += isPair ? 2 : 1;
  }
  return { part: index >= text.length ? text : textSlice(text, 0, index), bytes };
}
