/**
 * Sessions of 2025-era HTTP clients: each has a server instance of its own, found by the `Mcp-Session-Id` header.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { isInitializeRequest, isJSONRPCRequest } from "@modelcontextprotocol/server";
import { LIMITS } from "../../base/limits.js";
import { watchMessage } from "../client-watch.js";
import type { Gateway } from "../gateway.js";
import { mcpServer } from "../mcp-server.js";
import { serverTarget } from "../server-target.js";
import type { Session } from "../session.js";

interface HttpSession {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly session: Session;
  usedAt: number;
  open: number;
}

export class HttpSessions {
  readonly #gateway: Gateway;
  readonly #newSession: () => Session;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweep: NodeJS.Timeout;

  constructor(gateway: Gateway, newSession: () => Session) {
    this.#gateway = gateway;
    this.#newSession = newSession;
    this.#sweep = setInterval(() => this.#closeIdle(), LIMITS.httpSessionIdleMs / 10);
    this.#sweep.unref();
  }

  async answer(req: IncomingMessage, res: ServerResponse, body: unknown): Promise<void> {
    const id = req.headers["mcp-session-id"];
    const known = typeof id === "string" ? this.#sessions.get(id) : undefined;
    if (known !== undefined) return this.#use(known, req, res, body);
    if (typeof id === "string")
      return refuse(res, 404, -32001, "Session not found: it has ended; initialize again");
    if (!startsSession(body))
      return refuse(res, 400, -32000, "Bad Request: no Mcp-Session-Id, and not an initialize request");
    if (this.#sessions.size >= LIMITS.httpSessions && !this.#closeOldest()) {
      return refuse(res, 503, -32000, `Too many sessions: ${LIMITS.httpSessions} are in use`);
    }
    await this.#use(await this.#open(), req, res, body);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions.values()].map(({ transport }) => transport.close()));
  }

  async #open(): Promise<HttpSession> {
    const session = this.#newSession();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void this.#sessions.set(id, opened),
    });
    const opened: HttpSession = { transport, session, usedAt: Date.now(), open: 0 };
    const server = mcpServer(this.#gateway, session);
    let forget: () => void = () => {};
    server.oninitialized = () => {
      forget = this.#gateway.connections.add(serverTarget(this.#gateway, session, server, "legacy"));
    };
    server.onclose = () => {
      forget();
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
      this.#gateway.clientGone(session.id);
    };
    await server.connect(transport);
    return opened;
  }

  async #use(used: HttpSession, req: IncomingMessage, res: ServerResponse, body: unknown): Promise<void> {
    for (const message of Array.isArray(body) ? body : [body])
      watchMessage(this.#gateway, used.session.id, message);
    used.open += 1;
    used.usedAt = Date.now();
    res.once("close", () => {
      used.open -= 1;
      used.usedAt = Date.now();
    });
    await used.transport.handleRequest(req, res, body);
  }

  #closeIdle(): void {
    const before = Date.now() - LIMITS.httpSessionIdleMs;
    for (const { transport, usedAt, open } of this.#sessions.values()) {
      if (open === 0 && usedAt < before) void transport.close();
    }
  }

  /** Makes room: the session that nobody has used for longest goes, but none with a request or stream open. */
  #closeOldest(): boolean {
    const [oldest] = [...this.#sessions.values()]
      .filter(({ open }) => open === 0)
      .sort((a, b) => a.usedAt - b.usedAt);
    void oldest?.transport.close();
    return oldest !== undefined;
  }
}

function startsSession(body: unknown): boolean {
  return (Array.isArray(body) ? body : [body]).some(
    (message) => isJSONRPCRequest(message) && isInitializeRequest(message),
  );
}

function refuse(res: ServerResponse, status: number, code: number, message: string): void {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
}
