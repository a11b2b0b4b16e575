/**
 * `pml serve` on stdio: the client on stdin and stdout, a gateway behind a socket, and the relay between them.
 *
 * Everything that is needed to join another gateway is loaded at the start: the files may be of another version by then.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { LIMITS } from "../base/limits.js";
import { errorShape, PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { EnvelopeScan } from "../mcp/envelope-scan.js";
import { tooLongAnswer, tooLongError } from "../mcp/too-long.js";
import { greetingOf } from "./greeting.js";
import { joinGateway } from "./join-gateway.js";
import { type Link, Relay } from "./relay.js";
import { lineOf } from "./relay-message.js";
import type { Settings } from "./settings.js";

/**
 * Serves the client until it has gone. Rejects where no gateway can be joined or started at first; `settings` are read
 * again for each gateway after that.
 */
export function serveJoined(first: Settings, readSettings: () => Settings): Promise<void> {
  const { stdin, stdout } = process;
  let isFirst = true;
  return new Promise((resolve, reject) => {
    const toClient = (line: string) => void stdout.write(`${line}\n`);
    const relay = new Relay({
      toClient,
      async join(onStart) {
        if (isFirst) {
          isFirst = false;
          return socketLink(await joinGateway(first, { onStart }));
        }
        if (installedVersion() !== VERSION) return successor();
        return socketLink(await joinGateway(readSettings(), { onStart }));
      },
      greeting: greetingOf(first),
      finished(error) {
        stdin.destroy();
        if (error === undefined) resolve();
        else reject(error);
      },
    });
    stdout.on("error", () => relay.clientEnded());
    const said = (line: string | EnvelopeScan) =>
      typeof line === "string"
        ? relay.clientSaid(line)
        : refuseTooLong(line, toClient, (it) => relay.clientSaid(it));
    readLines(stdin, LIMITS.messageBytes, said, () => relay.drained())
      .catch(() => {})
      .finally(() => relay.clientEnded());
    relay.start();
  });
}

/** Of the files that are installed now, which may have been replaced since this process was started. */
function installedVersion(): string {
  try {
    const text = readFileSync(new URL("../base/version.js", import.meta.url), "utf8");
    return /VERSION = "([^"]*)"/.exec(text)?.[1] ?? VERSION;
  } catch {
    return VERSION;
  }
}

/** The same command again, of the version that is installed now: it knows how to join a gateway of its version. */
function successor(): Link {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.on("error", () => {});
  return streamLink(child.stdout, child.stdin, () => child.kill());
}

function socketLink(socket: import("node:net").Socket): Link {
  return streamLink(socket, socket, () => socket.destroy());
}

function streamLink(input: Readable, output: Writable, destroy: () => void): Link {
  output.on("error", () => {});
  return {
    send: (line) => void output.write(`${line}\n`),
    end: () => output.end(),
    destroy,
    drained: () => drained(output),
    listen(said, gone) {
      const take = (line: string | EnvelopeScan) => {
        if (typeof line === "string") said(line);
        else if (line.id !== undefined && !line.hasMethod)
          said(JSON.stringify(tooLongAnswer(line.id, tooLongError(LIMITS.answerBytes))));
      };
      readLines(input, LIMITS.answerBytes, take, () => drained(process.stdout))
        .catch(() => {})
        .finally(gone);
    },
  };
}

/** A request gets an error for its answer; the gateway, which waits for an answer, gets an error instead. */
function refuseTooLong(
  { id, hasMethod }: EnvelopeScan,
  toClient: (line: string) => void,
  toGateway: (line: string) => void,
): void {
  const error = tooLongError(LIMITS.messageBytes);
  if (id !== undefined) (hasMethod ? toClient : toGateway)(JSON.stringify(tooLongAnswer(id, error)));
  else if (!hasMethod)
    toClient(lineOf({ id: null, error: { code: -32603, message: error.message, data: errorShape(error) } }));
}

const NEWLINE = 0x0a;

/**
 * Hands over each line, and reads on when `ready` resolves. Of a line over `most` bytes only what its envelope says is
 * kept. Resolves at the end of the stream, and rejects where it breaks or a line never ends.
 */
async function readLines(
  input: Readable,
  most: number,
  take: (line: string | EnvelopeScan) => void,
  ready: () => Promise<unknown> | undefined,
): Promise<void> {
  let held: Buffer[] = [];
  let bytes = 0;
  let tooLong: EnvelopeScan | undefined;
  const hold = (part: Buffer) => {
    bytes += part.length;
    if (bytes > LIMITS.messageSkippedBytes)
      throw new PmlError("LIMIT_EXCEEDED", "Cannot read on: a line is longer than messageSkippedBytes");
    if (tooLong === undefined && bytes <= most) held.push(part);
    else {
      tooLong ??= new EnvelopeScan();
      for (const one of [...held.splice(0), part]) tooLong.take(one);
    }
  };
  const deliver = () => {
    const line = tooLong ?? Buffer.concat(held).toString("utf8");
    held = [];
    bytes = 0;
    tooLong = undefined;
    if (typeof line !== "string" || line.trim() !== "") take(line);
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end));
      start = end + 1;
      deliver();
      await ready();
    }
    if (start < chunk.length) hold(chunk.subarray(start));
  }
  // The last line of a file often has no end of its own.
  if (bytes > 0) deliver();
}

/** Waits where the other side does not read. */
function drained(output: Writable): Promise<unknown> | undefined {
  if (!output.writableNeedDrain || output.destroyed) return undefined;
  const gone = new AbortController();
  return Promise.race([
    once(output, "drain", { signal: gone.signal }),
    once(output, "close", { signal: gone.signal }),
  ])
    .catch(() => {})
    .finally(() => gone.abort());
}
