/**
 * Reads the log files of the gateway and its servers in a data directory, oldest first.
 *
 * @module
 */
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { compareTexts } from "../base/compare-texts.js";
import { isJsonObject } from "../base/json-object.js";
import { backgroundLogFile } from "../daemon/start-background.js";
import { olderLogFile, serverLogDirectory, serverLogFile } from "./file-log.js";

export interface LogLine {
  /** The line in the file. */
  readonly raw: string;
  /** Its fields; empty if it is not JSON, such as the last words of a process. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** At most this much of the end of each file is read. */
const READ_BYTES_MOST = 1024 * 1024;
const LOOK_EVERY_MS = 250;

/** Servers that have log files. */
export function loggedServers(dataDir: string): readonly string[] {
  try {
    const names = readdirSync(serverLogDirectory(dataDir));
    return names.filter((name) => name.endsWith(".log")).map((name) => name.slice(0, -".log".length));
  } catch {
    return [];
  }
}

/** The newest `most` lines of the gateway and all servers, or those about one server, filtered by `shown`. */
export function readLogs(
  dataDir: string,
  server: string | undefined,
  most: number,
  shown: ShownLines = (line) => [line],
): readonly LogLine[] {
  return filesOf(dataDir, server)
    .flatMap((file) => [olderLogFile(file), file].flatMap((one) => linesOf(readEnd(one).text)))
    .filter(isAbout(server))
    .map((line, at) => ({ line, at }))
    .sort((a, b) => compareTexts(timeOf(a.line), timeOf(b.line)) || a.at - b.at)
    .flatMap(({ line }) => shown(line))
    .slice(-most);
}

type ShownLines = (line: LogLine) => readonly LogLine[];

/** The output of a server while it starts; later lines are not compared. */
const START_LINES = 200;

/**
 * Removes lines that a failing server repeats at each retry, such as its stack; numbers may differ. The gateway's line
 * about the retry then gives the number of removed lines.
 */
export function withoutRepeats(): ShownLines {
  const starts = new Map<string, { readonly before: readonly string[]; now: string[]; repeated: number }>();
  return (line) => {
    const { server, line: text, event } = line.fields;
    if (typeof server !== "string") return [line];
    const start = starts.get(server) ?? { before: [], now: [], repeated: 0 };
    if (typeof text === "string") {
      const plain = text.replace(/\d+/g, "0");
      const isRepeated = start.repeated === start.now.length && start.before[start.repeated] === plain;
      if (isRepeated) start.repeated += 1;
      if (start.now.length < START_LINES) start.now.push(plain);
      starts.set(server, start);
      return isRepeated ? [] : [line];
    }
    if (event === "server.ready") starts.delete(server);
    if (event !== "server.unavailable") return [line];
    starts.set(server, { before: start.now, now: [], repeated: 0 });
    const { repeated: repeatedLines } = start;
    return repeatedLines === 0 ? [line] : [{ ...line, fields: { ...line.fields, repeatedLines } }];
  };
}

/** Yields lines that are written from now on, until `signal` is aborted. */
export async function* followLogs(
  dataDir: string,
  server: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const read = new Map<string, ReadEnd>();
  for (const file of filesOf(dataDir, server)) read.set(file, readEnd(file));
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    for (const file of filesOf(dataDir, server)) {
      const before = read.get(file);
      const now = readEnd(file, before);
      read.set(file, now);
      yield* linesOf(now.text).filter(isAbout(server));
    }
  }
}

function filesOf(dataDir: string, server: string | undefined): readonly string[] {
  const servers = server === undefined ? loggedServers(dataDir) : [server];
  return [backgroundLogFile(dataDir), ...servers.map((name) => serverLogFile(dataDir, name))];
}

function isAbout(server: string | undefined): (line: LogLine) => boolean {
  return ({ fields }) => server === undefined || fields.server === server;
}

interface ReadEnd {
  readonly text: string;
  readonly file: number;
  /** The position after the last whole line that was read. */
  readonly end: number;
}

const NOTHING: ReadEnd = { text: "", file: 0, end: 0 };

/** What was added since `before`, or the end of the file; from its start if another file has replaced it. */
function readEnd(path: string, before?: ReadEnd): ReadEnd {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch {
    return NOTHING;
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) return NOTHING;
    const isSame = before?.file === stats.ino && before.end <= stats.size;
    const least = Math.max(0, stats.size - READ_BYTES_MOST);
    const start = Math.max(isSame ? before.end : 0, least);
    const bytes = Buffer.alloc(stats.size - start);
    const length = readSync(fd, bytes, 0, bytes.length, start);
    const text = bytes.toString("utf8", 0, bytes.lastIndexOf("\n", length - 1) + 1);
    const end = start + Buffer.byteLength(text);
    // The first line may be incomplete.
    return { text: start > 0 && !isSame ? text.slice(text.indexOf("\n") + 1) : text, file: stats.ino, end };
  } finally {
    closeSync(fd);
  }
}

function linesOf(text: string): readonly LogLine[] {
  return text
    .split("\n")
    .filter((raw) => raw !== "")
    .map((raw) => ({ raw, fields: fieldsOf(raw) }));
}

function fieldsOf(raw: string): LogLine["fields"] {
  try {
    const value: unknown = JSON.parse(raw);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

function timeOf({ fields }: LogLine): string {
  return typeof fields.time === "string" ? fields.time : "";
}
