/**
 * One client on a pair of byte streams: our stdin and stdout, or a local socket that another `pml serve` relays to.
 *
 * @module
 */
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import { LineTransport } from "../../mcp/line-transport.js";
import { watchMessage } from "../client-watch.js";
import { toProtocolError } from "../error-mapping.js";
import type { Gateway } from "../gateway.js";
import type { LeanServer, MessageWire } from "../lean-server.js";
import { mcpServer } from "../mcp-server.js";
import { serverTarget } from "../server-target.js";
import type { Session } from "../session.js";

export interface ServedConnection {
  /** Resolves when the client has gone or the connection was closed. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly endsOutput: boolean;
}

export function serveConnection(
  gateway: Gateway,
  session: Session,
  streams: ConnectionStreams,
): ServedConnection {
  const transport = new ClientTransport(gateway, session, streams);
  let forget: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    transport.onGone = () => {
      forget();
      gateway.clientGone(session.id);
      resolve();
    };
  });
  const handle = serveStdio(
    ({ era }) => {
      const server = mcpServer(gateway, session);
      // An instance that only answered a probe is replaced by the final one.
      forget();
      const listen = () => {
        forget = gateway.connections.add(serverTarget(gateway, session, server, era));
      };
      if (era === "modern") {
        listen();
        transport.server = server;
      } else
        server.oninitialized = () => {
          listen();
          transport.server = server;
        };
      return server;
    },
    {
      transport,
      onerror: (error) => gateway.log.debug("client.trouble", { message: error.message.slice(0, 300) }),
    },
  );
  return { closed, close: () => handle.close() };
}

/** How long a client that has closed its side can still get answers. */
const LAST_ANSWERS_MS = 5_000;

/**
 * Shows each message to the gateway first, reports unreadable lines to the client, and answers the requests that came
 * before the client's stream ended.
 */
class ClientTransport extends LineTransport {
  onGone: () => void = () => {};
  /** Handles plain calls before the SDK sees them; for 2025-era clients only after their initialization. */
  server: LeanServer | undefined;
  readonly #gateway: Gateway;
  readonly #session: Session;
  readonly #output: Writable;
  readonly #open = new OpenRequests();
  #lastAnswers: NodeJS.Timeout | undefined;

  constructor(gateway: Gateway, session: Session, { input, output, endsOutput }: ConnectionStreams) {
    super(input, output, {
      endsOutput,
      pausesInput: true,
      levelsMost: LIMITS.jsonLevels,
      onUnreadable: (error, transport) => sendUnreadable(error, transport),
      onDropped: (count) => gateway.log.warn("client.news_dropped", { client: session.id, count }),
    });
    this.#gateway = gateway;
    this.#session = session;
    this.#output = output;
  }

  override async start(): Promise<void> {
    const deliver = this.onmessage;
    const wire: MessageWire = {
      send: (answer) => this.send(answer),
      judge: (message) => deliver?.(message as JSONRPCMessage),
    };
    this.onmessage = (message: JSONRPCMessage) => {
      if (!isMessage(message)) return sendInvalid(message, this);
      this.#open.received(message);
      if (this.server?.takes(message, wire) === true) return;
      const refusal = watchMessage(this.#gateway, this.#session, message);
      if (refusal === undefined) deliver?.(message);
      else sendError((message as { readonly id: string | number }).id, toProtocolError(refusal), this);
    };
    const gone = this.onclose;
    this.onclose = () => {
      gone?.();
      this.onGone();
    };
    await super.start();
  }

  override send(message: JSONRPCMessage): Promise<void> {
    this.#open.sent(message);
    const sent = super.send(message);
    const isLast = this.#lastAnswers !== undefined && !this.#open.canFinish;
    return isLast ? sent.then(() => this.close()) : sent;
  }

  override async close(): Promise<void> {
    clearTimeout(this.#lastAnswers);
    await super.close();
  }

  protected override inputEnded(): void {
    if (!this.#open.canFinish || this.#output.destroyed) void this.close();
    else this.#lastAnswers ??= setTimeout(() => void this.close(), LAST_ANSWERS_MS);
  }
}

/** Not counted, because this request is never answered. */
const LISTEN = "subscriptions/listen";

/** The unanswered requests of both sides. */
class OpenRequests {
  readonly #ofClient = new Set<unknown>();
  readonly #ofGateway = new Set<unknown>();

  /**
   * Whether requests of the client can still be answered although it sends nothing more, not even answers to questions.
   */
  get canFinish(): boolean {
    return this.#ofClient.size > 0 && this.#ofGateway.size === 0;
  }

  received(message: JSONRPCMessage): void {
    const { id, method, params } = message as Message;
    if (method === undefined) this.#ofGateway.delete(id);
    else if (id !== undefined && method !== LISTEN) this.#ofClient.add(id);
    else if (method === CANCELLED) this.#ofClient.delete(params?.requestId);
  }

  sent(message: JSONRPCMessage): void {
    const { id, method, params } = message as Message;
    if (method === undefined) this.#ofClient.delete(id);
    else if (id !== undefined) this.#ofGateway.add(id);
    else if (method === CANCELLED) this.#ofGateway.delete(params?.requestId);
  }
}

const CANCELLED = "notifications/cancelled";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const INVALID_REQUEST = -32600;

function sendUnreadable(error: PmlError, transport: LineTransport): void {
  sendError(null, toProtocolError(error), transport);
}

/** The SDK ignores an object that is not a message, and its sender would wait for ever. */
function sendInvalid(message: object, transport: LineTransport): void {
  const { id, method } = message as { readonly id?: unknown; readonly method?: unknown };
  const why =
    'expected "jsonrpc": "2.0", a method, params that are an object, and an id that is a string or a number';
  const { message: text, data } = toProtocolError(
    new PmlError("MESSAGE_INVALID", `Cannot read an object as a JSON-RPC message: ${why}`),
  );
  // Without a method it may be an answer, whose id is not that of a request.
  const isAsked = method !== undefined && isId(id);
  sendError(isAsked ? id : null, { code: INVALID_REQUEST, message: text, data }, transport);
}

function sendError(
  id: string | number | null,
  { code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown },
  transport: LineTransport,
): void {
  const error = { code, message, data };
  transport.send(id === null ? { jsonrpc: "2.0", id, error } : { jsonrpc: "2.0", id, error }).catch(() => {});
}

function isMessage(value: object): boolean {
  const { jsonrpc, id, method, params, result, error } = value as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0") return false;
  if (method === undefined) return isId(id) && (result !== undefined || error !== undefined);
  return (
    typeof method === "string" &&
    (id === undefined || isId(id)) &&
    (params === undefined || isJsonObject(params))
  );
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}
