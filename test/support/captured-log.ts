import type { Log } from "../../src/base/log.js";

export interface CapturedLog extends Log {
  /** All log lines, as text. */
  readonly lines: string[];
}

export function capturedLog(): CapturedLog {
  const lines: string[] = [];
  const write = (...said: readonly unknown[]): void => void lines.push(JSON.stringify(said));
  return { lines, debug: write, info: write, warn: write, error: write };
}
