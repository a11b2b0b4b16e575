/**
 * The dashboard of every HTTP endpoint of the gateway: the page, the one-time link, `/api` and events.
 *
 * To a browser, a page on another port of this machine belongs to the same site, so it would send the cookie along. So
 * each request must prove by headers that only a browser sets that it comes from the page itself, and with each call
 * the page sends a token that no other page can read.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import { LIMITS } from "../base/limits.js";
import { errorShape, messageOf, PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import type { Gateway } from "../gateway/gateway.js";
import { isSameText } from "../gateway/signed-mark.js";
import type { BrowserDoor, TokenHolder } from "../gateway/transports/http.js";
import { BodyTooLarge, readJsonBody } from "../gateway/transports/http-body.js";
import type { Scope } from "../registry/scope.js";
import { type ApiUser, callOperation, statusOf } from "./api-call.js";
import { DashboardAccess, type DashboardSession } from "./dashboard-access.js";
import { EventFeed, type EventFeedParts } from "./event-feed.js";
import { EventStreams } from "./event-streams.js";
import { PageFiles, SAFE_HEADERS } from "./page-file.js";

export interface DashboardParts extends EventFeedParts {
  readonly gateway: Gateway;
}

const ENTRANCE = "/open";
const API = "/api/";

export class Dashboard implements BrowserDoor {
  readonly #gateway: Gateway;
  readonly #access = new DashboardAccess();
  readonly #files = new PageFiles();
  readonly #feedParts: EventFeedParts;
  /** Created with the first page. */
  #live: { readonly feed: EventFeed; readonly streams: EventStreams } | undefined;
  /** Different for each gateway, and after each restart. */
  readonly #id = crypto.randomUUID();
  readonly #origins = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #start: (() => Promise<string>) | undefined;
  #starting: Promise<string> | undefined;
  #expected: NodeJS.Timeout | undefined;

  constructor({ gateway, ...feed }: DashboardParts) {
    this.#gateway = gateway;
    this.#feedParts = feed;
  }

  /** How to serve it if nothing does yet; returns the origin. */
  startWith(start: () => Promise<string>): void {
    this.#start = start;
  }

  /** Calls `listener` when a session or a link begins or ends. */
  onUse(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** The number of pages that are open, or about to be. */
  get users(): number {
    return (this.#live?.streams.count ?? 0) + (this.#access.isExpected ? 1 : 0);
  }

  /** A link that admits one browser, once. */
  async link(scope: Scope): Promise<{ readonly url: string; readonly expiresAt: Date }> {
    const origin = [...this.#origins].at(-1) ?? (await this.#served());
    if (origin === undefined)
      throw new PmlError("GATEWAY_UNREACHABLE", "Cannot open the dashboard: this gateway serves no HTTP", {
        hint: "Run `pml serve --http 7423`, then `pml open`.",
      });
    const { ticket, expiresAt } = this.#access.link(scope);
    clearTimeout(this.#expected);
    this.#expected = setTimeout(() => this.#used(), LIMITS.dashboardLinkMs + 1).unref();
    this.#used();
    return { url: `${origin}${ENTRANCE}?t=${ticket}`, expiresAt };
  }

  /** The page, for clients that show it themselves. */
  html(): Promise<string> {
    return this.#files.html();
  }

  servedAt(origin: string): () => void {
    this.#origins.add(origin);
    return () => void this.#origins.delete(origin);
  }

  takes({ method = "", headers }: IncomingMessage, path: string): boolean {
    if (path.startsWith(API) || path === ENTRANCE) return true;
    if (method !== "GET" && method !== "HEAD") return false;
    const file = this.#files.fileOf(path);
    if (file === undefined || path.startsWith("/.")) return false;
    // Programs get a 404 for an unknown address; browsers get the page.
    return file !== "index.html" || path === "/" || String(headers.accept).includes("text/html");
  }

  answer(...[req, res, path, holder]: Parameters<BrowserDoor["answer"]>): void {
    this.#answer(req, res, path, holder).catch((error: unknown) => this.#refuse(res, error));
  }

  close(): void {
    clearTimeout(this.#expected);
    this.#live?.streams.close();
    this.#live?.feed.stop();
  }

  async #answer(...[req, res, path, holder]: Parameters<BrowserDoor["answer"]>): Promise<void> {
    if (path === ENTRANCE) return this.#enter(req, res);
    if (path.startsWith(API)) {
      const user = await this.#userOf(req, holder);
      return user && this.#api(req, res, path.slice(API.length), user);
    }
    const file = this.#files.fileOf(path) ?? "index.html";
    if (!(await this.#files.send(req, res, file)))
      throw new PmlError("RESOURCE_NOT_FOUND", `Nothing is served at ${path.slice(0, 200)}`);
  }

  #enter(req: IncomingMessage, res: ServerResponse): void {
    if (req.method !== "GET") throw new PmlError("NOT_ALLOWED", "The link is opened with GET");
    const ticket = new URL(req.url ?? "/", "http://localhost").searchParams.get("t") ?? "";
    const cookie = this.#access.enter(ticket);
    if (cookie === undefined) {
      res.writeHead(401, { ...SAFE_HEADERS, "content-type": "text/plain; charset=utf-8" });
      res.end("This link was used, or is older than a minute. Run pml open again.\n");
      return;
    }
    const isSecure = req.socket instanceof TLSSocket || this.#isPublic(req);
    const secure = isSecure ? "; Secure" : "";
    res.writeHead(303, {
      ...SAFE_HEADERS,
      location: "/",
      "set-cookie": `${cookieName(req)}=${cookie}; Path=/; HttpOnly; SameSite=Strict${secure}`,
    });
    res.end();
    this.#used();
  }

  async #api(req: IncomingMessage, res: ServerResponse, path: string, user: ApiUser): Promise<void> {
    if (req.method === "GET" && path === "session") return sendJson(res, 200, this.#describe(user));
    if (req.method === "GET" && path === "events") {
      // Events cover all runs of the project, but an agent may only see its own.
      if (user.role !== "person") throw new PmlError("NOT_ALLOWED", "Events are for persons only");
      return this.#streams().open(req, res, user.scope, user.isValid);
    }
    if (req.method !== "POST")
      throw new PmlError(
        "RESOURCE_NOT_FOUND",
        `Nothing is served at ${req.method} ${API}${path.slice(0, 200)}`,
        {
          hint: "Operations are called with POST.",
        },
      );
    if (user.csrf !== undefined && !isSameText(user.csrf, headerOf(req, "x-pml-csrf")))
      throw new PmlError("CSRF_INVALID", "The request is not one of the dashboard's own page", {
        hint: "Reload the page.",
      });
    if (!/^application\/json\b/i.test(headerOf(req, "content-type")))
      throw new PmlError("MESSAGE_INVALID", "Cannot read the request: its body is not application/json");
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    const pin = headerOf(req, "x-pml-pin");
    const answer = await callOperation(this.#gateway, {
      name: decoded(path),
      input: await readJsonBody(req),
      user,
      ...(pin === "" ? {} : { pin: decoded(pin) }),
      signal: gone.signal,
    });
    sendJson(res, 200, answer);
  }

  async #served(): Promise<string | undefined> {
    this.#starting ??= this.#start?.();
    try {
      return await this.#starting;
    } finally {
      this.#starting = undefined;
    }
  }

  /** Whether it came through a proxy that uses TLS to the browser. */
  #isPublic(req: IncomingMessage): boolean {
    return this.#origins.has(`https://${headerOf(req, "host")}`);
  }

  #streams(): EventStreams {
    if (this.#live === undefined) {
      const feed = new EventFeed(this.#feedParts);
      this.#live = { feed, streams: new EventStreams(feed, () => this.#used()) };
    }
    return this.#live.streams;
  }

  #describe({ role, scope, csrf = "" }: ApiUser): object {
    return {
      role,
      ...scope,
      csrf,
      pinRequired: !this.#gateway.gate.takesAnswers(),
      version: VERSION,
      gateway: this.#id,
    };
  }

  /** By the request's bearer token, else by its cookie. Undefined if the token was refused. */
  async #userOf(
    req: IncomingMessage,
    holder: () => Promise<TokenHolder | undefined>,
  ): Promise<ApiUser | undefined> {
    if (req.headers.authorization !== undefined) return await holder();
    refuseForeign(req, this.#origins);
    const session = this.#find(req);
    if (session !== undefined) {
      const { id: key, scope, csrf } = session;
      const isValid = () => this.#find(req) !== undefined;
      return { key, role: "person", via: "dashboard", scope, csrf, isValid };
    }
    throw new PmlError("SESSION_REQUIRED", "This browser has no session at the dashboard", {
      hint: "Run `pml open` in a terminal.",
    });
  }

  #find(req: IncomingMessage): DashboardSession | undefined {
    const name = cookieName(req);
    const pairs = headerOf(req, "cookie").split(/; */);
    const mine = pairs.filter((pair) => pair.startsWith(`${name}=`));
    // With two cookies of that name, at least one was set by another page.
    return mine.length === 1 ? this.#access.session(mine[0]?.slice(name.length + 1) ?? "") : undefined;
  }

  #used(): void {
    for (const listener of this.#listeners) listener();
  }

  #refuse(res: ServerResponse, thrown: unknown): void {
    if (res.headersSent || res.destroyed) {
      res.destroy();
      return;
    }
    const error = badRequest(thrown) ?? thrown;
    if (error instanceof PmlError) {
      const status = thrown instanceof BodyTooLarge ? 413 : statusOf(error.code);
      sendJson(res, status, { error: errorShape(error) });
      return;
    }
    this.#gateway.log.error("dashboard.failed", { message: messageOf(error) });
    sendJson(res, 500, { error: { code: "INTERNAL_ERROR", message: "The gateway failed; see its log" } });
  }
}

/** The answer to a bad body; undefined if something else was thrown. */
function badRequest(thrown: unknown): PmlError | undefined {
  if (thrown instanceof BodyTooLarge)
    return new PmlError("LIMIT_EXCEEDED", `The request is larger than ${LIMITS.httpBodyBytes} bytes`);
  if (thrown instanceof SyntaxError)
    return new PmlError("MESSAGE_INVALID", `Cannot read the request as JSON: ${messageOf(thrown)}`);
  return undefined;
}

/** Cookies are shared by all ports, so each gateway of a machine uses its own name. */
function cookieName({ socket }: IncomingMessage): string {
  return `pml_${socket.localPort}`;
}

/** Throws if the request comes from another page. Clients that are not browsers send none of these headers. */
function refuseForeign(req: IncomingMessage, served: ReadonlySet<string>): void {
  const origin = headerOf(req, "origin");
  const site = headerOf(req, "sec-fetch-site");
  const isOwn = origin === "" || served.has(origin) || hostOf(origin) === headerOf(req, "host");
  if (isOwn && (site === "" || site === "same-origin" || site === "none")) return;
  throw new PmlError("NOT_ALLOWED", "The request comes from another page than the dashboard's own");
}

function hostOf(origin: string): string {
  try {
    return new URL(origin).host;
  } catch {
    return "";
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : "";
}

function sendJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { ...SAFE_HEADERS, "content-type": "application/json" });
  res.end(JSON.stringify(body));
}
