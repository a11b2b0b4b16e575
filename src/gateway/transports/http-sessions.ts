/**
 * Sessions of 2025-era HTTP clients: each has its own server instance, found by the `Mcp-Session-Id` header.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import {
  CLIENT_INFO_META_KEY,
  isInitializedNotification,
  isInitializeRequest,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import { errorShape, PmlError } from "../../base/pml-error.js";
import { watchMessage } from "../client-watch.js";
import type { Gateway } from "../gateway.js";
import { mcpServer } from "../mcp-server.js";
import { serverTarget } from "../server-target.js";
import type { Session } from "../session.js";
import type { Identity } from "./http-access.js";
import { HttpExchange, plainRequest } from "./http-exchange.js";

interface HttpSession {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly session: Session;
  readonly owner: string;
  /** From its last request: tokens of issuers are replaced before they expire. */
  identity: Identity;
  /** Answers and streams that have not ended. */
  readonly responses: Set<ServerResponse>;
  /** Unanswered requests, by id. */
  readonly exchanges: Map<RequestId, HttpExchange>;
  usedAt: number;
  /** Whether any request followed the first one. */
  isUsed: boolean;
}

/** A session that was used within this time is in use. Others of the same owner may be closed for a new one. */
const LIVE_MS = 300_000;
const RETRY_SECONDS = 60;

export class HttpSessions {
  readonly #gateway: Gateway;
  readonly #newSession: (identity: Identity) => Session;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(gateway: Gateway, newSession: (identity: Identity) => Session) {
    this.#gateway = gateway;
    this.#newSession = newSession;
    this.#sweep = setInterval(() => this.#closeIdle(), LIMITS.httpSessionIdleMs / 10);
    this.#sweep.unref();
  }

  async answer(req: IncomingMessage, res: ServerResponse, body: unknown, identity: Identity): Promise<void> {
    const id = req.headers["mcp-session-id"];
    const known = typeof id === "string" ? this.#sessions.get(id) : undefined;
    // A session of another client counts as unknown.
    if (known?.identity.key === identity.key) {
      known.identity = identity;
      return this.#use(known, req, res, body);
    }
    if (typeof id === "string")
      return refuse(res, 404, -32001, "Session not found: it has ended; initialize again");
    if (!startsSession(body))
      return refuse(res, 400, -32000, "Bad Request: no Mcp-Session-Id, and not an initialize request");
    const owner = identity.key === "" ? ownerOf(req, body) : identity.key;
    const refusal = this.#makeRoom(owner);
    if (refusal !== undefined) return refuse(res, 429, -32000, refusal);
    await this.#use(await this.#open(owner, identity), req, res, body);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  /** Ends sessions whose token is no longer valid. */
  closeInvalid(): void {
    for (const { transport, identity } of this.#sessions.values())
      if (!identity.isValid()) void transport.close();
  }

  async #open(owner: string, identity: Identity): Promise<HttpSession> {
    const session = this.#newSession(identity);
    const responses = new Set<ServerResponse>();
    const exchanges: HttpSession["exchanges"] = new Map();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#sessions.set(id, opened),
    });
    const fresh = { usedAt: Date.now(), isUsed: false };
    const opened: HttpSession = { transport, session, owner, identity, responses, exchanges, ...fresh };
    sendInExchanges(transport, exchanges);
    const isBehind = () => [...responses].some(({ writableNeedDrain }) => writableNeedDrain);
    const { log } = this.#gateway;
    boundNews(transport, isBehind, {
      behind: () => log.warn("client.not_reading", { client: session.id }),
      dropped: (count) => log.warn("client.news_dropped", { client: session.id, count }),
    });
    const server = mcpServer(this.#gateway, session);
    let forget: () => void = () => {};
    server.oninitialized = () => {
      forget = this.#gateway.connections.add(serverTarget(this.#gateway, session, server, "legacy"));
    };
    server.onclose = () => {
      forget();
      for (const exchange of exchanges.values()) exchange.abandon();
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
      this.#gateway.clientGone(session.id);
    };
    await server.connect(transport);
    return opened;
  }

  async #use(used: HttpSession, req: IncomingMessage, res: ServerResponse, body: unknown): Promise<void> {
    for (const message of Array.isArray(body) ? body : [body]) {
      const refusal = watchMessage(this.#gateway, used.session, message);
      if (refusal !== undefined) return refuse(res, 429, -32000, refusal);
      if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") continue;
      const cancelled = message.params?.requestId as RequestId;
      used.exchanges.get(cancelled)?.cancel();
      used.exchanges.delete(cancelled);
    }
    used.responses.add(res);
    used.isUsed ||= !startsSession(body) && !isInitializedNotification(body);
    used.usedAt = Date.now();
    res.once("close", () => {
      used.responses.delete(res);
      used.usedAt = Date.now();
    });
    const request = plainRequest(req, body);
    const { transport, exchanges } = used;
    const { sessionId, onmessage } = transport;
    const isDirect = request?.method === "tools/call" && isKnown(req) && !exchanges.has(request.id);
    if (!isDirect || sessionId === undefined || onmessage === undefined)
      return transport.handleRequest(req, res, body);
    exchanges.set(request.id, new HttpExchange(res, { "mcp-session-id": sessionId }));
    onmessage(request, {});
  }

  #closeIdle(): void {
    const before = Date.now() - LIMITS.httpSessionIdleMs;
    for (const { transport, usedAt, responses } of this.#sessions.values()) {
      if (responses.size === 0 && usedAt < before) void transport.close();
    }
  }

  /**
   * Makes room for a session of `owner`, if it has too many sessions or all owners together have too many: closes its
   * least recently used session, but no session in use and no session of another owner. Returns an error if there is no
   * room.
   */
  #makeRoom(owner: string): PmlError | undefined {
    const own = [...this.#sessions.values()].filter((session) => session.owner === owner);
    if (own.length < LIMITS.httpOwnerSessions && this.#sessions.size < LIMITS.httpSessions) return undefined;
    const liveSince = Date.now() - LIVE_MS;
    const [oldest] = own
      .filter(({ responses, isUsed, usedAt }) => responses.size === 0 && (!isUsed || usedAt < liveSince))
      .sort((a, b) => Number(a.isUsed) - Number(b.isUsed) || a.usedAt - b.usedAt);
    if (oldest !== undefined) {
      void oldest.transport.close();
      return undefined;
    }
    const why =
      own.length < LIMITS.httpOwnerSessions
        ? `${this.#sessions.size} are in use, the limit of httpSessions`
        : `${own.length} of this client are in use, the limit of httpOwnerSessions`;
    return new PmlError("LIMIT_EXCEEDED", `Cannot open a session: ${why}`, {
      hint: "Close unused sessions with DELETE, or try again later.",
    });
  }
}

function startsSession(body: unknown): boolean {
  return (Array.isArray(body) ? body : [body]).some(
    (message) => isJSONRPCRequest(message) && isInitializeRequest(message),
  );
}

function refuse(res: ServerResponse, status: number, code: number, why: string | PmlError): void {
  const error =
    typeof why === "string" ? { code, message: why } : { code, message: why.message, data: errorShape(why) };
  const headers = status === 429 ? { "retry-after": String(RETRY_SECONDS) } : {};
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}

/** Whether the request names no revision, or one that has sessions. */
function isKnown({ headers }: IncomingMessage): boolean {
  const version = headers["mcp-protocol-version"];
  return version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version));
}

/** Makes a transport send answers, and the messages that belong to their requests, to the exchange of the request. */
function sendInExchanges(transport: Pick<Transport, "send">, exchanges: Map<RequestId, HttpExchange>): void {
  const send = transport.send.bind(transport);
  transport.send = (message: JSONRPCMessage, options) => {
    const isAnswer = !("method" in message);
    const id = isAnswer ? message.id : options?.relatedRequestId;
    const exchange = id === undefined ? undefined : exchanges.get(id);
    if (id === undefined || exchange === undefined) return send(message, options);
    if (isAnswer) {
      exchanges.delete(id);
      exchange.answer(message);
    } else exchange.say(message);
    return Promise.resolve();
  };
}

/** Messages that may be dropped. */
const DROPPABLE: ReadonlySet<string> = new Set([
  "notifications/message",
  "notifications/progress",
  "notifications/resources/updated",
]);

interface NewsEvents {
  /** Called when the first message is dropped. */
  behind(): void;
  /** Called when the client reads again, with the number of dropped messages. */
  dropped(count: number): void;
}

/**
 * Makes a transport drop notifications while the client does not read (`isBehind`), because they would fill the memory.
 */
export function boundNews(
  transport: Pick<Transport, "send">,
  isBehind: () => boolean,
  events: NewsEvents,
): void {
  const send = transport.send.bind(transport);
  let dropped = 0;
  transport.send = (message: JSONRPCMessage, options) => {
    const isLate = isBehind();
    if (isLate && "method" in message && DROPPABLE.has(message.method)) {
      dropped += 1;
      if (dropped === 1) events.behind();
      return Promise.resolve();
    }
    if (dropped > 0 && !isLate) {
      events.dropped(dropped);
      dropped = 0;
    }
    return send(message, options);
  };
}

const NAME_CHARS = 100;

/**
 * Identifies the sender of an HTTP request without a session: by its address, and by the name that the client claims.
 * Only that name, which any client can use, distinguishes the clients of one machine.
 */
export function ownerOf(req: IncomingMessage, body: unknown): string {
  return `http ${req.socket.remoteAddress ?? ""} ${clientName(body).slice(0, NAME_CHARS)}`;
}

function clientName(body: unknown): string {
  const message: unknown = Array.isArray(body) ? body[0] : body;
  const params = isJsonObject(message) && isJsonObject(message.params) ? message.params : {};
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const info = params.clientInfo ?? meta[CLIENT_INFO_META_KEY];
  return isJsonObject(info) && typeof info.name === "string" ? info.name : "";
}
