/**
 * One client on a pair of byte streams: our stdin and stdout, or a local socket that another `pml serve` relays to.
 *
 * @module
 */
import type { Readable, Writable } from "node:stream";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { PmlError } from "../../base/pml-error.js";
import { LineTransport } from "../../mcp/line-transport.js";
import { watchMessage } from "../client-watch.js";
import { toProtocolError } from "../error-mapping.js";
import type { Gateway } from "../gateway.js";
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
      // An instance that only answered a probe is replaced by the one that stays.
      forget();
      const listen = () => {
        forget = gateway.connections.add(serverTarget(gateway, session, server, era));
      };
      if (era === "modern") listen();
      else server.oninitialized = listen;
      return server;
    },
    {
      transport,
      onerror: (error) => gateway.log.debug("client.trouble", { message: error.message.slice(0, 300) }),
    },
  );
  return { closed, close: () => handle.close() };
}

/** Shows each message to the gateway first, and tells the client of lines that cannot be read. */
class ClientTransport extends LineTransport {
  onGone: () => void = () => {};
  readonly #gateway: Gateway;
  readonly #session: Session;

  constructor(gateway: Gateway, session: Session, { input, output, endsOutput }: ConnectionStreams) {
    super(input, output, {
      endsOutput,
      pausesInput: true,
      onUnreadable: (error, transport) => sendUnreadable(error, transport),
    });
    this.#gateway = gateway;
    this.#session = session;
  }

  override async start(): Promise<void> {
    const deliver = this.onmessage;
    this.onmessage = (message: JSONRPCMessage) => {
      if (!isMessage(message)) return sendInvalid(message, this);
      watchMessage(this.#gateway, this.#session.id, message);
      deliver?.(message);
    };
    const gone = this.onclose;
    this.onclose = () => {
      gone?.();
      this.onGone();
    };
    await super.start();
  }
}

const INVALID_REQUEST = -32600;

function sendUnreadable(error: PmlError, transport: LineTransport): void {
  sendError(null, toProtocolError(error), transport);
}

/** The SDK passes over an object that is no message, and its sender would wait for an answer for ever. */
function sendInvalid(message: object, transport: LineTransport): void {
  const { id, method } = message as { readonly id?: unknown; readonly method?: unknown };
  const why =
    'expected "jsonrpc": "2.0", a method, params that are an object, and an id that is a text or a number';
  const { message: text, data } = toProtocolError(
    new PmlError("MESSAGE_INVALID", `Cannot read an object as a JSON-RPC message: ${why}`),
  );
  // Without a method it may be an answer to somebody else's request: then its id is none that we could answer to.
  const isAsked = method !== undefined && isId(id);
  sendError(isAsked ? id : null, { code: INVALID_REQUEST, message: text, data }, transport);
}

function sendError(
  id: string | number | null,
  { code, message, data }: { readonly code: number; readonly message: string; readonly data?: unknown },
  transport: LineTransport,
): void {
  // JSON-RPC has null here for a request whose id could not be read; the SDK's type does not know it.
  const response = { jsonrpc: "2.0", id, error: { code, message, data } } as unknown as JSONRPCMessage;
  transport.send(response).catch(() => {});
}

function isMessage(value: object): boolean {
  const { jsonrpc, id, method, params, result, error } = value as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0") return false;
  if (method === undefined) return isId(id) && (result !== undefined || error !== undefined);
  return (
    typeof method === "string" && (id === undefined || isId(id)) && (params === undefined || isObject(params))
  );
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
