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
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { localhostHostValidation, localhostOriginValidation } from "@modelcontextprotocol/node";
import { classifyInboundRequest, type InboundModernRoute } from "@modelcontextprotocol/server";
import { LIMITS } from "../../base/limits.js";
import { errorShape, PmlError } from "../../base/pml-error.js";
import { PROMETHEUS_TYPE } from "../../base/prometheus.js";
import { VERSION } from "../../base/version.js";
import type { Scope } from "../../registry/scope.js";
import { listenKey, watchMessage } from "../client-watch.js";
import type { Gateway } from "../gateway.js";
import type { Session } from "../session.js";
import { HttpAccess, type HttpAccessOptions, type Identity, METADATA_PATH, Refused } from "./http-access.js";
import {
  idOf,
  notAllowed,
  refuse,
  refuseHost,
  refuseUnclear,
  rpcError,
  sendJson,
  whyUnclear,
} from "./http-answers.js";
import { readJsonBody } from "./http-body.js";
import { type HttpDoor, LOOPBACK_DOOR, type TlsFiles, whyWrongHost } from "./http-door.js";
import { plainRequest } from "./http-exchange.js";
import { ModernClients, type PlainCall } from "./http-modern.js";
import { HttpSessions, ownerOf } from "./http-sessions.js";

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/** The pages for browsers, served in addition to the MCP endpoint. */
export interface BrowserDoor {
  /** Whether it handles this request. */
  takes(req: IncomingMessage, path: string): boolean;
  /**
   * `holder` is the owner of the request's token; undefined if the token was refused, and the request is then answered.
   */
  answer(
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
    holder: () => Promise<TokenHolder | undefined>,
  ): void;
  /** From now on browsers reach it at this origin; returns a function that reverts this. */
  servedAt(origin: string): () => void;
}

/** The owner of a token, and its scope. */
export type TokenHolder = Pick<Identity, "key" | "role" | "via" | "isValid"> & { readonly scope: Scope };

/** Which clients may connect; default: all clients of this machine, as agents. */
export type HttpGuards = Omit<HttpAccessOptions, "door"> & {
  /** Called with the scope of a token before anything is done for it. */
  readonly noteTenant?: (scope: Scope) => void;
};

interface HttpOptions extends HttpAddress {
  readonly guards?: HttpGuards;
  /** Creates the session of a connection, or of a request of the 2026-era client `client`. */
  readonly session: (client?: string) => Omit<Session, "role">;
  /** The content of `/metrics`; default: not served. */
  readonly metrics?: () => Promise<string>;
  readonly dashboard?: BrowserDoor;
  /** Only the dashboard is served, so that clients cannot reach tools over HTTP unless that was configured. */
  readonly isDashboardOnly?: boolean;
}

export interface HttpEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** How often tokens with open answers or sessions are checked for expiry. */
const EXPIRY_MS = 5_000;
/** How often the certificate files are checked for changes. */
const RENEWAL_MS = 60_000;

const METHODS = ["GET", "POST", "DELETE"];

const STANDARD_HEADERS = ["mcp-protocol-version", "mcp-method", "mcp-name"] as const;

/** The 2026-era revision for which {@link plainCall} checks everything that the SDK's HTTP layer would check. */
const REVISION = "2026-07-28";

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "::1"]);

/** A bound address. Requests wait until `serve` is called. */
export interface BoundHttp {
  serve(gateway: Gateway, options: Omit<HttpOptions, keyof HttpAddress>): HttpEndpoint;
  /** The address that it is served at. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Binds the address before anything else is started: throws `BIND_REFUSED` if that is not possible. Beyond loopback it
 * needs a door, which defines its protection.
 */
export async function bindHttp(address: HttpAddress, door: HttpDoor = LOOPBACK_DOOR): Promise<BoundHttp> {
  if (!LOOPBACK.has(address.host) && !(door.isRemote && door.needsToken)) {
    throw new PmlError(
      "BIND_REFUSED",
      `Cannot serve on "${address.host}": without tokens only 127.0.0.1, ::1 and localhost are allowed`,
    );
  }
  let answer: RequestListener | undefined;
  const waiting: (() => void)[] = [];
  // Explicit, since an environment variable can select a more lenient parser.
  const options = { insecureHTTPParser: false };
  const listener: RequestListener = (req, res) => {
    if (answer !== undefined) answer(req, res);
    else if (waiting.length < LIMITS.localConnections) waiting.push(() => answer?.(req, res));
    else res.destroy();
  };
  const { tls } = door;
  const http =
    tls === undefined
      ? createServer(options, listener)
      : createTlsServer({ ...options, ...tls.read() }, listener);
  const renewal = tls === undefined ? undefined : renewCertificate(http as TlsServer, tls);
  // No limit on their number; the parser limits their bytes.
  http.maxHeadersCount = 0;
  await listen(http, address);
  const { port } = http.address() as AddressInfo;
  const scheme = tls === undefined ? "http" : "https";
  const url = `${scheme}://${address.host.includes(":") ? `[${address.host}]` : address.host}:${port}/mcp`;
  const close = async () => {
    clearInterval(renewal);
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  return {
    close,
    url,
    serve(gateway, options) {
      const served = answering(gateway, door, options);
      answer = served.answer;
      for (const one of waiting.splice(0)) one();
      const forget = options.dashboard?.servedAt(originOf(door, url));
      return {
        url,
        async close() {
          forget?.();
          await served.close();
          await close();
        },
      };
    },
  };
}

/** Applies a renewed certificate without a restart. */
function renewCertificate(server: TlsServer, tls: TlsFiles): NodeJS.Timeout {
  let known = tls.stamp();
  const timer = setInterval(() => {
    const stamp = tls.stamp();
    if (stamp === known) return;
    try {
      server.setSecureContext(tls.read());
      known = stamp;
    } catch {
      // Only one file of a new pair was written; the next check finds both.
    }
  }, RENEWAL_MS);
  return timer.unref();
}

function answering(
  gateway: Gateway,
  door: HttpDoor,
  options: Omit<HttpOptions, keyof HttpAddress>,
): { readonly answer: RequestListener; close(): Promise<void> } {
  const { dashboard } = options;
  const access = new HttpAccess({ door, ...options.guards });
  const newSession = ({ key, role, scope, via }: Identity, client?: string): Session => {
    const session = options.session(key === "" ? client : key);
    if (scope !== undefined) options.guards?.noteTenant?.(scope);
    return {
      ...session,
      role,
      ...(scope === undefined ? {} : { scope }),
      ...(role === "person" ? { byPerson: true } : {}),
      ...(via === undefined ? {} : { via }),
      ...(door.isRemote ? { isRemote: true } : {}),
    };
  };
  const sessions = new HttpSessions(gateway, newSession);
  const modern = new ModernClients(gateway, newSession);
  const open = new Set<{ readonly res: ServerResponse; readonly identity: Identity }>();
  const closeInvalid = () => {
    for (const { res, identity } of open) if (!identity.isValid()) res.destroy();
    sessions.closeInvalid();
  };
  const unwatch = options.guards?.tokens?.onChange(closeInvalid);
  const expiry = setInterval(closeInvalid, EXPIRY_MS).unref();
  const isHostFine = localhostHostValidation();
  const isOriginFine = localhostOriginValidation();

  /** The sender; undefined if the request was rejected. */
  async function admitted(
    req: IncomingMessage,
    res: ServerResponse,
    told: (error: PmlError) => object = (error) => rpcError(-32001, error),
  ): Promise<Identity | undefined> {
    const found = access.identify(req);
    const identity = found instanceof Promise ? await found : found;
    if (identity instanceof Refused) {
      const { status, error, headers } = identity;
      gateway.log.debug("http.refused", { status, code: error.code, from: access.addresses.of(req) });
      sendJson(res, status, told(error), headers);
      return undefined;
    }
    // The client may have disconnected while its token was checked, and no later event would report that.
    if (res.destroyed) return undefined;
    if (identity.key !== "") {
      const one = { res, identity };
      open.add(one);
      res.once("close", () => open.delete(one));
    }
    return identity;
  }

  async function answerMcp(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const identity = await admitted(req, res);
    if (identity === undefined) return;
    const body = req.method === "POST" ? await readJsonBody(req) : undefined;
    if (res.destroyed) return;
    const [version, method, name] = STANDARD_HEADERS.map((header) => headerOf(req, header));
    const route = classifyInboundRequest({
      httpMethod: req.method ?? "GET",
      body: body ?? {},
      ...(version !== undefined && { protocolVersionHeader: version }),
      ...(method !== undefined && { mcpMethodHeader: method }),
      ...(name !== undefined && { mcpNameHeader: name }),
    });
    if (route.kind === "legacy") return sessions.answer(req, res, body, identity);
    const key = listenKey("http", crypto.randomUUID());
    const client = identity.key === "" ? ownerOf(req, body) : identity.key;
    const refusal = watchMessage(gateway, { id: key, client, role: identity.role }, body);
    if (refusal !== undefined) return sendJson(res, 429, { ...rpcError(-32603, refusal), id: idOf(body) });
    const call = route.kind === "modern" ? plainCall(req, route) : undefined;
    if (call !== undefined) return modern.answerCall(call, res, identity, client);
    res.once("close", () => void gateway.subscriptions.drop(key));
    return modern.answer(req, res, body, identity, client);
  }

  async function answerMetrics(req: IncomingMessage, res: ServerResponse, metrics: () => Promise<string>) {
    const identity = await admitted(req, res);
    if (identity === undefined) return;
    if (mayReadMetrics(identity, newSession(identity).scope, options.session().scope))
      return sendMetrics(res, metrics);
    const why =
      "metrics of the whole gateway need a token of role reader or person in its own org and project";
    sendJson(res, 403, rpcError(-32001, new PmlError("NOT_ALLOWED", `Cannot read /metrics: ${why}`)));
  }

  const answer: RequestListener = (req, res) => {
    const unclear = whyUnclear(req);
    if (unclear !== undefined) return refuseUnclear(res, unclear);
    if (door.isRemote) {
      const why = whyWrongHost(door, req);
      if (why !== undefined) return refuseHost(res, why);
    } else if (!isHostFine(req, res) || !isOriginFine(req, res)) return;
    const path = (req.url ?? "/").split("?")[0] ?? "/";
    if (path === "/healthz") return sendJson(res, 200, { status: "ok", version: VERSION });
    const { metadata } = options.guards ?? {};
    if (metadata !== undefined && (path === METADATA_PATH || path === `${METADATA_PATH}/mcp`)) {
      if (req.method !== "GET") return notAllowed(req, res, path, ["GET"]);
      return sendJson(res, 200, metadata, { "cache-control": "max-age=300" });
    }
    if (path === "/metrics" && options.metrics !== undefined) {
      if (req.method !== "GET") return notAllowed(req, res, path, ["GET"]);
      answerMetrics(req, res, options.metrics).catch((error: unknown) => refuse(gateway.log, res, error));
      return;
    }
    if (path !== "/mcp" && dashboard?.takes(req, path))
      return dashboard.answer(req, res, path, async () => {
        const identity = await admitted(req, res, (error) => ({ error: errorShape(error) }));
        return identity && { ...identity, scope: newSession(identity).scope };
      });
    if (path !== "/mcp" || options.isDashboardOnly === true) {
      return sendJson(res, 404, {
        error: {
          code: "NOT_FOUND",
          message: `Nothing is served at ${path}`,
          hint:
            options.isDashboardOnly === true
              ? "This is the dashboard alone; `pml serve --http` serves MCP."
              : "The MCP endpoint is /mcp.",
        },
      });
    }
    if (!METHODS.includes(req.method ?? "")) return notAllowed(req, res, path, METHODS);
    answerMcp(req, res).catch((error: unknown) => refuse(gateway.log, res, error));
  };
  return {
    answer,
    async close() {
      unwatch?.();
      clearInterval(expiry);
      await sessions.close();
      await modern.close();
    },
  };
}

/** Where browsers reach it: a wildcard address is replaced by this machine's. */
function originOf({ publicUrl }: HttpDoor, url: string): string {
  const { origin } = new URL(publicUrl ?? url);
  return origin.replace("//0.0.0.0", "//127.0.0.1").replace("//[::]", "//[::1]");
}

/** The numbers cover the work of all users. */
function mayReadMetrics({ key, role }: Identity, scope: Scope, own: Scope): boolean {
  return key === "" || (role !== "agent" && scope.org === own.org && scope.project === own.project);
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

/** The call of a tool, if its headers match its body exactly. */
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

async function sendMetrics(res: ServerResponse, metrics: () => Promise<string>): Promise<void> {
  const text = await metrics();
  res.writeHead(200, { "content-type": PROMETHEUS_TYPE, "cache-control": "no-store" });
  res.end(text);
}
