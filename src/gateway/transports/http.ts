/**
 * Streamable HTTP for both eras on one endpoint: sessions for 2025-era clients, one exchange per request for
 * 2026-era ones. Host and Origin are checked before anything is read, since a web page can reach loopback too.
 *
 * @module
 */
import {
  createServer,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import {
  localhostHostValidation,
  localhostOriginValidation,
  toNodeHandler,
} from "@modelcontextprotocol/node";
import {
  classifyInboundRequest,
  createMcpHandler,
  type InboundModernRoute,
  type JSONRPCRequest,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import { errorShape, messageOf, PmlError } from "../../base/pml-error.js";
import { PROMETHEUS_TYPE } from "../../base/prometheus.js";
import { VERSION } from "../../base/version.js";
import { listenKey, watchMessage } from "../client-watch.js";
import type { Gateway } from "../gateway.js";
import { mcpServer } from "../mcp-server.js";
import type { Session } from "../session.js";
import { BodyTooLarge, readJsonBody } from "./http-body.js";
import { ExchangeTransport, HttpExchange, plainRequest } from "./http-exchange.js";
import { HttpSessions, ownerOf } from "./http-sessions.js";

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

export interface HttpOptions extends HttpAddress {
  /** Makes the session of a connection, or of a request of the 2026-era client `client`. */
  readonly session: (client?: string) => Omit<Session, "role">;
  /** What is served at `/metrics`; nothing is when left out. */
  readonly metrics?: () => Promise<string>;
}

export interface HttpEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Listening streams of 2026-era clients hear news together. */
const MODERN_NEWS = "http";

/** Of every client: there are no tokens that tell a person from an agent. */
const ROLE = "agent";

const METHODS = ["GET", "POST", "DELETE"];

const STANDARD_HEADERS = ["mcp-protocol-version", "mcp-method", "mcp-name"] as const;

/** The 2026-era one whose calls need no more of the SDK's HTTP than {@link plainCall} looks at. */
const REVISION = "2026-07-28";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);

/** An address that is taken. Requests wait until somebody serves it. */
export interface BoundHttp {
  serve(gateway: Gateway, options: Omit<HttpOptions, keyof HttpAddress>): HttpEndpoint;
  close(): Promise<void>;
}

/** Takes the address before anything else is started: throws `BIND_REFUSED` where that is not possible. */
export async function bindHttp(address: HttpAddress): Promise<BoundHttp> {
  if (!LOOPBACK.has(address.host)) {
    throw new PmlError(
      "BIND_REFUSED",
      `Cannot serve on "${address.host}": only 127.0.0.1, ::1 and localhost are allowed without bearer tokens`,
      {
        hint: "Omit the host, or put an authenticating proxy in front.",
      },
    );
  }
  let answer: RequestListener | undefined;
  const waiting: (() => void)[] = [];
  // Explicitly, since an environment variable can ask for a parser that takes more.
  const http = createServer({ insecureHTTPParser: false }, (req, res) => {
    if (answer !== undefined) answer(req, res);
    else if (waiting.length < LIMITS.localConnections) waiting.push(() => answer?.(req, res));
    else res.destroy();
  });
  // All of them are looked at; the parser bounds their bytes.
  http.maxHeadersCount = 0;
  await listen(http, address);
  const { port } = http.address() as AddressInfo;
  const close = async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  return {
    close,
    serve(gateway, options) {
      const served = answering(gateway, options);
      answer = served.answer;
      for (const one of waiting.splice(0)) one();
      return {
        url: `http://${address.host.includes(":") ? `[${address.host}]` : address.host}:${port}/mcp`,
        async close() {
          await served.close();
          await close();
        },
      };
    },
  };
}

export async function serveHttp(gateway: Gateway, options: HttpOptions): Promise<HttpEndpoint> {
  return (await bindHttp(options)).serve(gateway, options);
}

function answering(
  gateway: Gateway,
  options: Omit<HttpOptions, keyof HttpAddress>,
): { readonly answer: RequestListener; close(): Promise<void> } {
  const newSession = (client?: string): Session => ({ ...options.session(client), role: ROLE });
  const sessions = new HttpSessions(gateway, newSession);
  const modernSession = (client?: string): Session => ({ ...newSession(client), newsId: MODERN_NEWS });
  const modern = createMcpHandler(({ authInfo }) => mcpServer(gateway, modernSession(authInfo?.clientId)), {
    legacy: "reject",
    maxRequestBodySize: LIMITS.httpBodyBytes,
    onerror: (error) => gateway.log.debug("client.trouble", { message: error.message.slice(0, 300) }),
  });
  const forget = gateway.connections.add({
    id: MODERN_NEWS,
    view: newSession(),
    listChanged: (kind) =>
      modern.notify[
        kind === "tools" ? "toolsChanged" : kind === "prompts" ? "promptsChanged" : "resourcesChanged"
      ](),
    resourceUpdated: (uri) => modern.notify.resourceUpdated(uri),
    logged: () => {},
  });
  const answerModern = toNodeHandler(modern);
  const isHostFine = localhostHostValidation();
  const isOriginFine = localhostOriginValidation();

  async function answerMcp(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = req.method === "POST" ? await readJsonBody(req) : undefined;
    const [version, method, name] = STANDARD_HEADERS.map((header) => headerOf(req, header));
    const route = classifyInboundRequest({
      httpMethod: req.method ?? "GET",
      body: body ?? {},
      ...(version !== undefined && { protocolVersionHeader: version }),
      ...(method !== undefined && { mcpMethodHeader: method }),
      ...(name !== undefined && { mcpNameHeader: name }),
    });
    if (route.kind === "legacy") return sessions.answer(req, res, body);
    const key = listenKey("http", crypto.randomUUID());
    const client = ownerOf(req, body);
    const refusal = watchMessage(gateway, { id: key, client }, body);
    if (refusal !== undefined) return sendJson(res, 429, { ...rpcError(-32603, refusal), id: idOf(body) });
    const call = route.kind === "modern" ? plainCall(req, route) : undefined;
    if (call !== undefined) return serveCall(gateway, modernSession(client), call, res);
    res.once("close", () => void gateway.subscriptions.drop(key));
    // The SDK hands this through to whoever makes the server.
    const from = Object.assign(req, { auth: { token: "", clientId: client, scopes: [] } });
    return answerModern(from as Parameters<typeof answerModern>[0], res, body);
  }

  const answer: RequestListener = (req, res) => {
    const unclear = whyUnclear(req);
    if (unclear !== undefined) return refuseUnclear(res, unclear);
    if (!isHostFine(req, res) || !isOriginFine(req, res)) return;
    const path = (req.url ?? "/").split("?")[0];
    if (path === "/healthz") return sendJson(res, 200, { status: "ok", version: VERSION });
    if (path === "/metrics" && options.metrics !== undefined) {
      if (req.method !== "GET") return notAllowed(req, res, path, ["GET"]);
      sendMetrics(res, options.metrics).catch((error: unknown) => refuse(gateway, res, error));
      return;
    }
    if (path !== "/mcp") {
      return sendJson(res, 404, {
        error: {
          code: "NOT_FOUND",
          message: `Nothing is served at ${path}`,
          hint: "The MCP endpoint is /mcp.",
        },
      });
    }
    if (!METHODS.includes(req.method ?? "")) return notAllowed(req, res, path, METHODS);
    answerMcp(req, res).catch((error: unknown) => refuse(gateway, res, error));
  };
  return {
    answer,
    async close() {
      forget();
      await sessions.close();
      await modern.close();
    },
  };
}

function listen(http: HttpServer, { host, port }: HttpAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "EADDRINUSE" ? "the port is in use" : error.message;
      reject(
        new PmlError("BIND_REFUSED", `Cannot serve on ${host}:${port}: ${why}`, {
          hint: "Choose another port with --http PORT; 0 selects a free one.",
          cause: error,
        }),
      );
    });
    http.listen(port, host, resolve);
  });
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** A call of a tool whose headers say just what its body says. */
interface PlainCall {
  readonly message: JSONRPCRequest;
  readonly revision: string;
  readonly classification: InboundModernRoute["classification"];
}

function plainCall(req: IncomingMessage, route: InboundModernRoute): PlainCall | undefined {
  const message = plainRequest(req, route.message);
  const { classification } = route;
  const { revision = "" } = classification;
  const said = [revision, message?.method, message?.params?.name];
  const isPlain =
    message?.method === "tools/call" &&
    revision === REVISION &&
    STANDARD_HEADERS.every((header, index) => headerOf(req, header) === said[index]);
  return isPlain ? { message, revision, classification } : undefined;
}

/** Its server is of no use to anybody else, and so it is closed only where its client goes before the answer. */
async function serveCall(
  gateway: Gateway,
  session: Session,
  { message, revision, classification }: PlainCall,
  res: ServerResponse,
): Promise<void> {
  const server = mcpServer(gateway, session, [revision]);
  const transport = new ExchangeTransport(new HttpExchange(res), classification);
  res.once("close", () => {
    if (!res.writableEnded) void server.close();
  });
  await server.connect(transport);
  transport.serve(message);
}

function refuse(gateway: Gateway, res: ServerResponse, error: unknown): void {
  if (res.headersSent) {
    res.destroy();
  } else if (error instanceof BodyTooLarge) {
    const why = `its body is larger than ${LIMITS.httpBodyBytes} bytes, the limit of one request`;
    const tooLarge = new PmlError("LIMIT_EXCEEDED", `Cannot read the request: ${why}`, {
      hint: "Send less at a time; the limit is fixed.",
    });
    // Where the rest of the body was not read, the connection cannot be used again.
    const headers = error.isReadWhole ? {} : { connection: "close" };
    sendJson(res, 413, { ...rpcError(-32600, tooLarge), id: error.id ?? null }, headers);
  } else if (error instanceof SyntaxError) {
    const why = messageOf(error);
    sendJson(
      res,
      400,
      rpcError(-32700, new PmlError("MESSAGE_INVALID", `Cannot read the request as JSON: ${why}`)),
    );
  } else {
    gateway.log.error("http.failed", { message: messageOf(error) });
    sendJson(res, 500, rpcError(-32603, undefined));
  }
}

function refuseUnclear(res: ServerResponse, why: string): void {
  const error = new PmlError("MESSAGE_INVALID", `Cannot read the request: ${why}`);
  sendJson(res, 400, rpcError(-32600, error), { connection: "close" });
}

function idOf(body: unknown): unknown {
  return isJsonObject(body) ? (body.id ?? null) : null;
}

function rpcError(code: number, error: PmlError | undefined): object {
  const shape =
    error === undefined ? { message: "Internal error" } : { message: error.message, data: errorShape(error) };
  return { jsonrpc: "2.0", id: null, error: { code, ...shape } };
}

async function sendMetrics(res: ServerResponse, metrics: () => Promise<string>): Promise<void> {
  const text = await metrics();
  res.writeHead(200, { "content-type": PROMETHEUS_TYPE, "cache-control": "no-store" });
  res.end(text);
}

function notAllowed(
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
  methods: readonly string[],
): void {
  const error = { code: "NOT_FOUND", message: `${req.method} is not supported at ${path}` };
  sendJson(res, 405, { error }, { allow: methods.join(", ") });
}

function sendJson(
  res: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify(body));
}

/** Headers that say whom a request is for or from, and what its body is: two of one could be read in two ways. */
const SINGLE: ReadonlySet<string> = new Set([
  "host",
  "origin",
  "authorization",
  "content-type",
  "mcp-session-id",
  "mcp-protocol-version",
]);

/**
 * Why the head of a request could be understood in more than one way, or nothing: a proxy in front, a browser and this
 * gateway must read the same host and origin. Node's parser itself refuses two lengths, a length beside chunks, and
 * headers that go over two lines.
 */
function whyUnclear({ rawHeaders, url = "" }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const twice = names.find((name, index) => SINGLE.has(name) && names.indexOf(name) !== index);
  if (twice !== undefined) return `it has two "${twice}" headers`;
  if (url.startsWith("/")) return undefined;
  return "its target is not a path; send a path such as /mcp, and the host in the Host header";
}
