/**
 * One request over HTTP and its answer, written directly to Node's response. Most requests are answered quickly, with
 * one JSON body in one write. If messages come before the answer, or the answer takes long, it becomes a stream of
 * events, so that clients and proxies see that it is alive.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  isJSONRPCRequest,
  isJsonContentType,
  type JSONRPCMessage,
  type JSONRPCRequest,
  PerRequestHTTPServerTransport,
  type TransportSendOptions,
} from "@modelcontextprotocol/server";
import { lineOf } from "../../mcp/line-transport.js";

/** Well before a client or a proxy stops waiting for the head of an answer. */
const STREAM_AFTER_MS = 2_000;
const KEEP_ALIVE_MS = 15_000;

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export class HttpExchange {
  readonly #res: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  #timer: NodeJS.Timeout;
  #isStream = false;

  constructor(res: ServerResponse, headers: Readonly<Record<string, string>> = {}) {
    this.#res = res;
    this.#headers = headers;
    this.#timer = setTimeout(() => this.#stream(), STREAM_AFTER_MS).unref();
    res.once("close", () => clearTimeout(this.#timer));
  }

  /** Sends a message before the answer, unless the client is gone. */
  say(message: JSONRPCMessage): void {
    this.#stream();
    this.#event(message);
  }

  answer(message: JSONRPCMessage, status = 200): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    if (this.#isStream) {
      this.#event(message);
      this.#res.end();
      return;
    }
    this.#res.statusCode = status;
    for (const [name, value] of Object.entries(this.#headers)) this.#res.setHeader(name, value);
    this.#res.setHeader("content-type", "application/json");
    // As one text, with the head not written before: so Node knows the length and writes both at once.
    this.#res.end(lineOf(message));
  }

  /** The client has cancelled its request: there is no answer, and the response ends normally. */
  cancel(): void {
    this.#stream();
    this.#end();
  }

  /** There will be no answer. */
  abandon(): void {
    if (this.#isStream) this.#end();
    else this.#res.destroy();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#res.end();
  }

  /** A client that does not read keeps a response from closing that has ended; a write to it would be an exception. */
  get #isOver(): boolean {
    return this.#res.closed || this.#res.writableEnded;
  }

  #stream(): void {
    if (this.#isStream || this.#isOver) return;
    this.#isStream = true;
    clearTimeout(this.#timer);
    this.#res.writeHead(200, { ...this.#headers, ...STREAM_HEADERS }).flushHeaders();
    this.#timer = setInterval(() => this.#res.write(": keepalive\n\n"), KEEP_ALIVE_MS).unref();
  }

  #event(message: JSONRPCMessage): void {
    if (!this.#isOver) this.#res.write(`event: message\ndata: ${lineOf(message)}\n\n`);
  }
}

/** The request in the body, if it has the plain form; all other bodies go to the SDK, which reports errors. */
export function plainRequest(req: IncomingMessage, body: unknown): JSONRPCRequest | undefined {
  const { accept = "", "content-type": contentType } = req.headers;
  const isPlain =
    accept.includes("application/json") &&
    accept.includes("text/event-stream") &&
    isJsonContentType(contentType) &&
    isJSONRPCRequest(body);
  return isPlain ? body : undefined;
}

/** A 2026-era request: the SDK binds its server to the revision, and results bypass its web streams. */
export class ExchangeTransport extends PerRequestHTTPServerTransport {
  readonly #exchange: HttpExchange;
  #hasSaid = false;

  constructor(
    exchange: HttpExchange,
    classification: ConstructorParameters<typeof PerRequestHTTPServerTransport>[0]["classification"],
  ) {
    super({ classification });
    this.#exchange = exchange;
  }

  /** Serves the request. An error before any message gets a status that the SDK chooses. */
  serve(request: JSONRPCRequest): void {
    this.handleMessage(request).then(
      async (response) => this.#exchange.answer((await response.json()) as JSONRPCMessage, response.status),
      () => {},
    );
  }

  override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if ("method" in message) {
      this.#hasSaid = true;
      this.#exchange.say(message);
    } else if ("result" in message || this.#hasSaid) this.#exchange.answer(message);
    else await super.send(message, options);
  }
}
