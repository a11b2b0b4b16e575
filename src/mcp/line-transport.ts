/**
 * MCP messages as lines of JSON over two byte streams: a child process's pipes, a local socket, or our own stdin and
 * stdout.
 *
 * The SDK's transports validate every message against a schema before its protocol layer does so again; a gateway pays
 * that four times per call. Here a line must be a JSON object, and the protocol layer validates the rest. Lines that
 * are not JSON objects are reported and skipped, since some servers print to stdout.
 *
 * @module
 */

import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { isDeeperThan } from "../base/json-depth.js";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { LineSplitter } from "../base/line-splitter.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { EnvelopeScan } from "./envelope-scan.js";
import { tooDeepError, tooLongAnswer, tooLongError } from "./too-long.js";

/** More lines than this in one read count as a flood. */
const CROWD_LINES = 50;
/** Dropped and counted if the other side does not read. */
const DROPPABLE: ReadonlySet<string> = new Set(["notifications/progress", "notifications/message"]);
/** If the other side does not read, only the last message of each of these kinds is kept until it does. */
const NEWS: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
]);

/** An error for a request whose id could not be read: JSON-RPC uses null, which the SDK's types do not allow. */
interface NamelessError {
  readonly jsonrpc: "2.0";
  readonly id: null;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface LineTransportOptions {
  readonly bytesMost?: number;
  /** Maximum nesting; default: no limit beyond the parser's. */
  readonly levelsMost?: number;
  /** Whether closing the transport ends the output stream; false for a process's own stdout. */
  readonly endsOutput?: boolean;
  /** Whether reading pauses while the other side does not read; only for clients. */
  readonly pausesInput?: boolean;
  /** Called for a line that is not a valid message, so that its sender can be informed. */
  readonly onUnreadable?: (error: PmlError, transport: LineTransport) => void;
  /** Called when the other side reads again, with the number of notifications that were dropped meanwhile. */
  readonly onDropped?: (count: number) => void;
}

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #options: LineTransportOptions;
  readonly #bytesMost: number;
  readonly #lines: ReturnType<typeof messageLines>;
  readonly #news = new Map<string, JSONRPCMessage>();
  #dropped = 0;
  #garbage = 0;
  #drained: Promise<void> | undefined;
  #closed = false;
  /** Why this side closed the connection, if it did. */
  givenUp: string | undefined;

  constructor(input: Readable, output: Writable, options: LineTransportOptions = {}) {
    this.#input = input;
    this.#output = output;
    this.#options = options;
    this.#bytesMost = options.bytesMost ?? LIMITS.messageBytes;
    this.#lines = messageLines(this.#bytesMost, {
      line: (text) => this.#read(text),
      tooLong: (envelope) => this.#refuseWhole(envelope, tooLongError(this.#bytesMost)),
      endless: (why) => this.#giveUp(why),
    });
  }

  async start(): Promise<void> {
    this.#input.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#input.on("end", () => {
      this.#lines.end();
      this.inputEnded();
    });
    this.#input.on("close", () => this.inputEnded());
    this.#input.on("error", (error) => this.onerror?.(error));
    // Adding a listener does not resume a stream that was paused on purpose.
    this.#input.resume();
    this.#output.on("error", (error) => {
      if (this.#closed) return;
      this.onerror?.(error);
      void this.close();
    });
  }

  /** Resolves when the bytes are written; waits if the other side reads slowly. */
  send(message: JSONRPCMessage | NamelessError): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("Cannot send: the connection is closed"));
    const isFull = this.#output.writableLength > LIMITS.sendBufferBytes;
    if (isFull && "method" in message && this.#isPutOff(message.method, message)) return Promise.resolve();
    if (this.#output.write(`${lineOf(message)}\n`)) return Promise.resolve();
    if (isFull && this.#options.pausesInput === true) this.#input.pause();
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#lines.stop();
    if (this.#options.endsOutput === true) this.#output.end();
    this.onclose?.();
  }

  /** Called at the end of the input, possibly twice. */
  protected inputEnded(): void {
    void this.close();
  }

  /** Whether a notification waits for the other side to read, or is dropped. */
  #isPutOff(method: string, message: JSONRPCMessage): boolean {
    if (NEWS.has(method) && this.#news.size < LIMITS.clientSubscriptions)
      this.#news.set(JSON.stringify(message), message);
    else if (NEWS.has(method) || DROPPABLE.has(method)) this.#dropped += 1;
    else return false;
    return true;
  }

  #sendPutOff(): void {
    const news = [...this.#news.values()];
    this.#news.clear();
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (this.#closed) return;
    for (const message of news) this.send(message).catch(() => {});
    if (dropped > 0) this.#options.onDropped?.(dropped);
  }

  #drain(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#output.off("drain", done);
        this.#output.off("close", done);
        this.#drained = undefined;
        if (this.#options.pausesInput === true) this.#input.resume();
        this.#sendPutOff();
        resolve();
      };
      this.#output.on("drain", done);
      this.#output.on("close", done);
    });
  }

  #take(chunk: Buffer): void {
    const startedAt = performance.now();
    const count = this.#lines.push(chunk);
    if (count > CROWD_LINES || this.#lines.isInLongLine) this.#rest(startedAt);
  }

  /**
   * Pauses reading for as long as these lines took, so that one stream gets at most half of the time. Without it the
   * event loop reads 32 chunks, tens of thousands of messages, before other work has a turn.
   */
  #rest(startedAt: number): void {
    this.#input.pause();
    setImmediate(() => {
      setTimeout(() => {
        if (this.#drained === undefined || this.#options.pausesInput !== true) this.#input.resume();
      }, performance.now() - startedAt);
    });
  }

  #read(line: string): void {
    const { levelsMost } = this.#options;
    if (levelsMost !== undefined && isDeeperThan(line, levelsMost)) {
      const envelope = new EnvelopeScan();
      envelope.take(Buffer.from(line));
      this.#refuseWhole(envelope, tooDeepError(levelsMost));
      return;
    }
    const message = parseObject(line);
    if (message !== undefined) {
      this.#hand(message as JSONRPCMessage);
      return;
    }
    this.#refuse(
      new PmlError("MESSAGE_INVALID", `Cannot read a line as a JSON-RPC message: ${line.slice(0, 120)}`),
    );
    this.#garbage += 1;
    if (this.#garbage >= LIMITS.garbageLines)
      this.#giveUp(`${LIMITS.garbageLines} lines were not messages, the limit of garbageLines`);
  }

  #hand(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      // Handling an object that is not a message may throw; the stream continues.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Answers a rejected request with an error, and fails the call that waits for a rejected answer. */
  #refuseWhole({ id, hasMethod }: EnvelopeScan, error: PmlError): void {
    if (id === undefined && !hasMethod) {
      this.#refuse(error);
      return;
    }
    this.onerror?.(error);
    if (id === undefined) return;
    const answer = tooLongAnswer(id, error);
    if (hasMethod) this.send(answer).catch(() => {});
    else this.#hand(answer);
  }

  #giveUp(why: string): void {
    const error = new PmlError("LIMIT_EXCEEDED", `Cannot continue reading: ${why}`);
    this.givenUp = error.message;
    this.onerror?.(error);
    void this.close();
  }

  #refuse(error: PmlError): void {
    this.onerror?.(error);
    this.#options.onUnreadable?.(error, this);
  }
}

/** A result may be nested too deep to be written, although it could be read; then its receiver gets an error. */
export function lineOf(message: object): string {
  try {
    return JSON.stringify(message);
  } catch (error) {
    if (!("id" in message) || !("result" in message)) throw error;
    const why = `Cannot send the result: ${messageOf(error)}`;
    return JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: why } });
  }
}

function parseObject(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export interface MessageHandlers {
  /** Called with a line that is not blank. */
  line(text: string): void;
  /** Called at the end of a line over the limit. */
  tooLong(envelope: EnvelopeScan): void;
  /** Called if a line is too long to continue with the stream. */
  endless(why: string): void;
}

/** Splits messages into lines. Of a message over the limit only the id and method are read. */
export function messageLines(bytesMost: number, handlers: MessageHandlers): LineSplitter<EnvelopeScan> {
  return new LineSplitter<EnvelopeScan>(bytesMost, {
    line: (line) => {
      const text = line.toString("utf8");
      if (text.trim() !== "") handlers.line(text);
    },
    scan: () => new EnvelopeScan(),
    tooLong: (envelope) => handlers.tooLong(envelope),
    endless: () =>
      handlers.endless(
        `a line was longer than ${LIMITS.messageSkippedBytes} bytes, the limit of messageSkippedBytes`,
      ),
  });
}
