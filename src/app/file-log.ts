import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Log, LogLevel } from "../base/log.js";
import type { ServerName } from "../registry/tool-id.js";
import { jsonLog } from "./json-log.js";

const GATEWAY_BYTES = 5 * 1024 * 1024;
const SERVER_BYTES = 1024 * 1024;

/** Structured log in a file of limited size, for a background gateway. */
export function fileLog(file: string, level: LogLevel): Log {
  return jsonLog(level, boundedFile(file, GATEWAY_BYTES));
}

/** The stderr of servers: one file per server, created with its first line. */
export function serverLogs(dataDir: string): (server: ServerName, lines: readonly string[]) => void {
  const files = new Map<string, (text: string) => void>();
  return (server, lines) => {
    try {
      mkdirSync(serverLogDirectory(dataDir), { recursive: true, mode: 0o700 });
      const write = files.get(server) ?? boundedFile(serverLogFile(dataDir, server), SERVER_BYTES);
      files.set(server, write);
      const time = new Date().toISOString();
      write(lines.map((line) => `${JSON.stringify({ time, server, line })}\n`).join(""));
    } catch {
      // As below.
    }
  };
}

export function serverLogDirectory(dataDir: string): string {
  return join(dataDir, "logs");
}

export function serverLogFile(dataDir: string, server: string): string {
  return join(serverLogDirectory(dataDir), `${server}.log`);
}

/** The name of a rotated log file. */
export function olderLogFile(file: string): string {
  return `${file}.1`;
}

/**
 * Appends to a file. A file that has reached `bytesMost` is renamed, and replaces the one that was renamed
 * before.
 */
function boundedFile(file: string, bytesMost: number): (text: string) => void {
  let fd = openSync(file, "a", 0o600);
  let bytes = fstatSync(fd).size;
  return (text) => {
    try {
      if (bytes > bytesMost) {
        closeSync(fd);
        renameSync(file, olderLogFile(file));
        fd = openSync(file, "a", 0o600);
        bytes = 0;
      }
      bytes += writeSync(fd, text);
    } catch {
      // A full disk must not stop the gateway; there is nowhere left to report it.
    }
  };
}
