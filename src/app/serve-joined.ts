/**
 * `pml serve` on stdio: the client on stdin and stdout, a gateway behind a socket, and the relay between them.
 *
 * Everything that is needed to join another gateway is loaded at the start: the files may have another version later.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { LIMITS } from "../base/limits.js";
import { errorShape } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import type { EnvelopeScan } from "../mcp/envelope-scan.js";
import { type MessageHandlers, messageLines } from "../mcp/line-transport.js";
import { tooLongAnswer, tooLongError } from "../mcp/too-long.js";
import { greetingOf } from "./greeting.js";
import { joinGateway } from "./join-gateway.js";
import { type Link, Relay } from "./relay.js";
import { lineOf } from "./relay-message.js";
import type { Settings } from "./settings.js";

/**
 * Serves the client until it has disconnected. Rejects if the first gateway cannot be joined or started; `settings` are
 * read again for each later gateway.
 */
export function serveJoined(first: Settings, readSettings: () => Settings): Promise<void> {
  const { stdin, stdout } = process;
  let isFirst = true;
  return new Promise((resolve, reject) => {
    const toClient = (line: string) => writeLine(stdout, line);
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
    readLines(stdin, LIMITS.messageBytes, {
      line: (text) => relay.clientSaid(text),
      tooLong: (envelope) => refuseTooLong(envelope, toClient, (text) => relay.clientSaid(text)),
      ready: () => relay.drained(),
      ended: () => relay.clientEnded(),
    });
    relay.start();
  });
}

/** The version of the installed files, which may have been replaced since this process was started. */
function installedVersion(): string {
  try {
    const text = readFileSync(new URL("../base/version.js", import.meta.url), "utf8");
    return /VERSION = "([^"]*)"/.exec(text)?.[1] ?? VERSION;
  } catch {
    return VERSION;
  }
}

/** Runs the same command in the installed version, which can join a gateway of its version. */
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
    send: (line) => writeLine(output, line),
    end: () => output.end(),
    destroy,
    drained: () => drained(output),
    listen(said, gone) {
      readLines(input, LIMITS.answerBytes, {
        line: said,
        tooLong({ id, hasMethod }) {
          if (id !== undefined && !hasMethod)
            said(JSON.stringify(tooLongAnswer(id, tooLongError(LIMITS.answerBytes))));
        },
        ready: () => drained(process.stdout),
        ended: gone,
      });
    },
  };
}

/** Lines that are written in one turn of the event loop are sent together. */
function writeLine(output: Writable, line: string): void {
  if (output.writableCorked === 0) {
    output.cork();
    process.nextTick(() => output.uncork());
  }
  output.write(`${line}\n`);
}

/**
 * If a request's answer is too long, the client gets an error; if the gateway waits for the answer, the gateway gets
 * it.
 */
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

/**
 * Passes on each line of a stream, and waits with the next chunk until `ready` resolves. `ended` is called once: at the
 * end of the stream, when it breaks, or when a line never ends.
 */
function readLines(
  input: Readable,
  most: number,
  handlers: Pick<MessageHandlers, "line" | "tooLong"> & {
    ready(): Promise<unknown> | undefined;
    ended(): void;
  },
): void {
  const lines = messageLines(most, { ...handlers, endless: () => input.destroy() });
  input.on("data", (chunk: Buffer) => {
    lines.push(chunk);
    const waiting = handlers.ready();
    if (waiting === undefined) return;
    input.pause();
    void waiting.finally(() => input.resume());
  });
  let isEnded = false;
  const end = () => {
    if (!isEnded) handlers.ended();
    isEnded = true;
  };
  input.on("end", () => {
    lines.end();
    end();
  });
  input.on("error", () => {});
  input.on("close", end);
  // The socket was paused when the gateway was joined.
  input.resume();
}

/** Waits if the other side does not read. */
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
