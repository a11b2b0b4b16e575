/**
 * An authorization server for tests, with the MCP server that it protects, in one HTTP server. Refresh tokens rotate,
 * and using one twice ends the whole sign-in. It records all requests.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface AuthorizationOptions {
  /** The lifetime of an access token in seconds. */
  readonly expiresIn?: number;
  /** Disables dynamic registration. */
  readonly noRegistration?: boolean;
  /** The issuer in the metadata; default: its own address. */
  readonly issuer?: string;
  /** The authorization server that the MCP server names; default: this one. */
  readonly named?: string;
  /** Whether the MCP server names the whole origin as its resource. */
  readonly isResourceOrigin?: boolean;
  /** The address of its metadata; the usual address redirects there. */
  readonly metadataAt?: string;
  /** Whether it supports the device flow. */
  readonly device?: boolean;
  /** Whether it accepts client metadata documents. */
  readonly clientDocuments?: boolean;
  readonly clients?: Readonly<Record<string, string>>;
  /** The scope that one of the tools needs. */
  readonly writeScope?: string;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Family {
  readonly client: string;
  scope: string;
}

export class AuthorizationServer {
  readonly #options: AuthorizationOptions;
  readonly #server: Server;
  readonly events: { readonly event: string; readonly [key: string]: unknown }[] = [];
  readonly clients = new Map<string, { readonly secret?: string; readonly redirects?: readonly string[] }>();
  readonly #codes = new Map<string, { challenge: string; client: string; redirect: string; scope: string }>();
  readonly #refresh = new Map<string, { readonly family: Family; used: boolean }>();
  readonly #access = new Map<string, { readonly family: Family; until: number }>();
  readonly #dead = new Set<Family>();
  readonly #devices = new Map<string, { client: string; isDone: boolean }>();
  /** Replaces the answer to a refresh. */
  fault: Answer | undefined;
  /** How long a refresh waits before it is processed; a client that disconnects by then has used up nothing. */
  holdMs = 0;
  /** Whether it uses up the refresh token and never answers. */
  swallows = false;
  calls = 0;

  private constructor(options: AuthorizationOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    for (const [id, secret] of Object.entries(options.clients ?? {})) this.clients.set(id, { secret });
  }

  static async start(options: AuthorizationOptions = {}): Promise<AuthorizationServer> {
    const server = createServer((request, response) => {
      void text(request).then(async (body) => {
        const { status = 200, headers = {}, body: said = "" } = await made.#answer(request, body);
        if (response.destroyed) return;
        const isText = typeof said === "string";
        response.writeHead(status, {
          "content-type": isText ? "text/plain" : "application/json",
          ...headers,
        });
        response.end(isText ? said : JSON.stringify(said));
      });
    });
    const made = new AuthorizationServer(options, server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return made;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get resource(): string {
    return `${this.origin}/mcp`;
  }

  /** How often an event happened. */
  count(event: string): number {
    return this.events.filter((one) => one.event === event).length;
  }

  /** All issued tokens. */
  tokens(): readonly string[] {
    return [...this.#access.keys(), ...this.#refresh.keys()];
  }

  revokeAll(): void {
    for (const { family } of this.#refresh.values()) this.#dead.add(family);
  }

  /** Expires access tokens, but not refresh tokens. */
  expireAll(): void {
    for (const one of this.#access.values()) one.until = 0;
  }

  approveDevices(): void {
    for (const device of this.#devices.values()) device.isDone = true;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #say(event: string, more: object = {}): void {
    this.events.push({ event, ...more });
  }

  async #answer(request: IncomingMessage, body: string): Promise<Answer> {
    const url = new URL(request.url ?? "/", this.origin);
    const { pathname } = url;
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return {
        body: {
          resource: this.#options.isResourceOrigin === true ? this.origin : this.resource,
          authorization_servers: [this.#options.named ?? this.origin],
          scopes_supported: ["read"],
        },
      };
    const { metadataAt } = this.#options;
    if (metadataAt !== undefined && pathname.startsWith("/.well-known/"))
      return { status: 302, headers: { location: metadataAt } };
    if (pathname === metadataAt || pathname.startsWith("/.well-known/")) return { body: this.#metadata() };
    if (pathname === "/register" && this.#options.noRegistration !== true) return this.#register(body);
    if (pathname === "/authorize") return this.#authorize(url.searchParams);
    if (pathname === "/token") return await this.#token(new URLSearchParams(body), request);
    if (pathname === "/device") return this.#device(new URLSearchParams(body));
    if (pathname === "/revoke") {
      const token = new URLSearchParams(body).get("token") ?? "";
      this.#say("revoked");
      const family = this.#refresh.get(token)?.family ?? this.#access.get(token)?.family;
      if (family !== undefined) this.#dead.add(family);
      return { body: {} };
    }
    if (pathname === "/mcp") return this.#mcp(request, body);
    return { status: 404, body: "not found" };
  }

  #metadata(): object {
    const { noRegistration, issuer, device, clientDocuments } = this.#options;
    return {
      issuer: issuer ?? this.origin,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      revocation_endpoint: `${this.origin}/revoke`,
      ...(noRegistration ? {} : { registration_endpoint: `${this.origin}/register` }),
      ...(device ? { device_authorization_endpoint: `${this.origin}/device` } : {}),
      ...(clientDocuments ? { client_id_metadata_document_supported: true } : {}),
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_post"],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #register(body: string): Answer {
    const asked = JSON.parse(body) as { redirect_uris: string[] };
    const id = `client-${randomBytes(6).toString("hex")}`;
    this.clients.set(id, { redirects: asked.redirect_uris });
    this.#say("register");
    return { status: 201, body: { ...asked, client_id: id } };
  }

  #authorize(asked: URLSearchParams): Answer {
    const of = (name: string) => asked.get(name) ?? "";
    this.#say("authorize", Object.fromEntries(asked));
    if (of("code_challenge_method") !== "S256") return { status: 400, body: "PKCE is missing" };
    const code = randomBytes(12).toString("hex");
    const [client, redirect, scope] = [of("client_id"), of("redirect_uri"), of("scope")];
    this.#codes.set(code, { challenge: of("code_challenge"), client, redirect, scope });
    const to = new URL(redirect);
    to.searchParams.set("code", code);
    to.searchParams.set("state", of("state"));
    to.searchParams.set("iss", this.origin);
    return { status: 302, headers: { location: to.href } };
  }

  #device(form: URLSearchParams): Answer {
    const deviceCode = randomBytes(12).toString("hex");
    this.#devices.set(deviceCode, { client: form.get("client_id") ?? "", isDone: false });
    this.#say("device");
    return {
      body: {
        device_code: deviceCode,
        user_code: "WXYZ-1234",
        verification_uri: `${this.origin}/code`,
        expires_in: 60,
        interval: 0.1,
      },
    };
  }

  async #token(form: URLSearchParams, request: IncomingMessage): Promise<Answer> {
    const of = (name: string) => form.get(name) ?? "";
    const error = (code: string): Answer => ({ status: 400, body: { error: code } });
    const client = this.clients.get(of("client_id"));
    if (client?.secret !== undefined && client.secret !== of("client_secret")) return error("invalid_client");
    const grant = of("grant_type");
    if (grant === "authorization_code") {
      const code = this.#codes.get(of("code"));
      this.#codes.delete(of("code"));
      const challenge = createHash("sha256").update(of("code_verifier")).digest("base64url");
      const isGood = code?.challenge === challenge && code.client === of("client_id");
      this.#say(isGood ? "code" : "bad-code", { resource: of("resource") });
      return isGood ? this.#issue({ client: code.client, scope: code.scope }) : error("invalid_grant");
    }
    if (grant.endsWith("device_code")) {
      const device = this.#devices.get(of("device_code"));
      if (device === undefined) return error("invalid_grant");
      return device.isDone
        ? this.#issue({ client: device.client, scope: "read" })
        : error("authorization_pending");
    }
    this.#say("refresh-asked");
    if (client === undefined && !of("client_id").startsWith("https://")) return error("invalid_client");
    if (this.holdMs > 0) {
      await new Promise((resolve) => setTimeout(resolve, this.holdMs));
      if (request.socket.destroyed) return {};
    }
    if (this.fault !== undefined) return this.fault;
    const held = this.#refresh.get(of("refresh_token"));
    if (held === undefined || this.#dead.has(held.family)) {
      this.#say("invalid-grant");
      return error("invalid_grant");
    }
    if (held.used) {
      this.#dead.add(held.family);
      this.#say("reuse");
      return error("invalid_grant");
    }
    held.used = true;
    this.#say("refresh");
    if (this.swallows) return await new Promise(() => {});
    return this.#issue(held.family);
  }

  #issue(family: Family): Answer {
    const { expiresIn = 60 } = this.#options;
    const access = `at_${randomBytes(18).toString("base64url")}`;
    const refresh = `rt_${randomBytes(18).toString("base64url")}`;
    this.#access.set(access, { family, until: Date.now() + expiresIn * 1_000 });
    this.#refresh.set(refresh, { family, used: false });
    return {
      body: {
        access_token: access,
        token_type: "Bearer",
        expires_in: expiresIn,
        refresh_token: refresh,
        ...(family.scope === "" ? {} : { scope: family.scope }),
      },
    };
  }

  #mcp(request: IncomingMessage, body: string): Answer {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const known = this.#access.get(token);
    const where = `resource_metadata="${this.origin}/.well-known/oauth-protected-resource/mcp"`;
    if (known === undefined || known.until < Date.now() || this.#dead.has(known.family)) {
      this.#say(known === undefined ? "no-token" : "stale-token");
      return { status: 401, headers: { "www-authenticate": `Bearer error="invalid_token", ${where}` } };
    }
    if (request.method !== "POST") return { status: 405 };
    const message = JSON.parse(body) as { id?: number; method: string; params?: Record<string, unknown> };
    if (message.id === undefined) return { status: 202 };
    const result = (value: object): Answer => ({ body: { jsonrpc: "2.0", id: message.id, result: value } });
    const { writeScope } = this.#options;
    switch (message.method) {
      case "initialize":
        return result({
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "notes", version: "1.0.0" },
        });
      case "tools/list": {
        const tool = { inputSchema: { type: "object" }, annotations: { readOnlyHint: true } };
        return result({
          tools: [
            { name: "whoami", ...tool },
            { name: "write", ...tool },
          ],
        });
      }
      case "tools/call": {
        if (
          message.params?.name === "write" &&
          writeScope !== undefined &&
          !known.family.scope.includes(writeScope)
        )
          return {
            status: 403,
            headers: {
              "www-authenticate": `Bearer error="insufficient_scope", scope="${writeScope}", ${where}`,
            },
          };
        this.calls += 1;
        const said = message.params?.arguments as { echo?: boolean } | undefined;
        const given = [token, request.headers["x-key"], request.url].join(" ");
        return result({ content: [{ type: "text", text: said?.echo ? given : "ada" }] });
      }
      case "ping":
        return result({});
      default:
        return { body: { jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "unknown" } } };
    }
  }
}

/** Does what a browser does with the address of a sign-in: returns the address that it is redirected to. */
export async function consent(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "manual" });
  return response.headers.get("location") ?? `no redirect: ${response.status} ${await response.text()}`;
}
