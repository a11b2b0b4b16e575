/**
 * 2026-era HTTP clients: each request is a separate exchange. A listening stream gets the notifications of the client
 * that opened it: clients with the same token share a handler of the SDK, and no others do.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, type InboundModernRoute, type JSONRPCRequest } from "@modelcontextprotocol/server";
import { isJsonObject } from "../../base/json-object.js";
import { LIMITS } from "../../base/limits.js";
import type { Gateway } from "../gateway.js";
import { KnownEnvelopes } from "../lean-server.js";
import { mcpServer } from "../mcp-server.js";
import type { Session } from "../session.js";
import type { Identity } from "./http-access.js";
import { ExchangeTransport, HttpExchange } from "./http-exchange.js";

/** A call that does not need the rest of the SDK's HTTP layer. */
export interface PlainCall {
  readonly message: JSONRPCRequest;
  readonly revision: string;
  readonly classification: InboundModernRoute["classification"];
}

type NewSession = (identity: Identity, client?: string) => Session;

interface Shared {
  readonly newsId: string;
  readonly answer: ReturnType<typeof toNodeHandler>;
  /** Answers and streams that have not ended. */
  open: number;
  /** The listening streams among them. */
  streams: number;
  close(): Promise<void>;
}

const LISTEN = "subscriptions/listen";
/** The number of cached handlers without an open stream. */
const KEPT = 100;

export class ModernClients {
  readonly #envelopes = new KnownEnvelopes();
  readonly #gateway: Gateway;
  readonly #newSession: NewSession;
  readonly #shared = new Map<string, Shared>();

  constructor(gateway: Gateway, newSession: NewSession) {
    this.#gateway = gateway;
    this.#newSession = newSession;
  }

  /** No other request uses this server, so it is closed only if its client disconnects before the answer. */
  async answerCall(
    { message, revision, classification }: PlainCall,
    res: ServerResponse,
    identity: Identity,
    client: string,
  ): Promise<void> {
    const one = { revision, envelopes: this.#envelopes };
    const server = mcpServer(this.#gateway, this.#session(identity, client), one);
    const transport = new ExchangeTransport(new HttpExchange(res), classification);
    res.once("close", () => {
      if (!res.writableEnded) void server.close();
    });
    await server.connect(transport);
    transport.serve(message);
  }

  /** The session for a request of this client. */
  #session(identity: Identity, client: string): Session {
    return { ...this.#newSession(identity, client), newsId: newsIdOf(identity) };
  }

  async answer(
    req: IncomingMessage,
    res: ServerResponse,
    body: unknown,
    identity: Identity,
    client: string,
  ): Promise<void> {
    const shared = this.#of(identity);
    const streams = isJsonObject(body) && body.method === LISTEN ? 1 : 0;
    shared.open += 1;
    shared.streams += streams;
    res.once("close", () => {
      shared.open -= 1;
      shared.streams -= streams;
    });
    // The SDK passes this on to the code that makes the server.
    const from = Object.assign(req, { auth: { token: "", clientId: client, scopes: [] } });
    await shared.answer(from as Parameters<typeof shared.answer>[0], res, body);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shared.values()].map((one) => one.close()));
  }

  #of(identity: Identity): Shared {
    const known = this.#shared.get(identity.key);
    if (known !== undefined) return known;
    for (const [key, one] of this.#shared) {
      if (this.#shared.size < KEPT) break;
      if (one.open > 0 || key === "") continue;
      this.#shared.delete(key);
      void one.close();
    }
    const made = this.#make(identity);
    this.#shared.set(identity.key, made);
    return made;
  }

  #make(identity: Identity): Shared {
    const gateway = this.#gateway;
    const newsId = newsIdOf(identity);
    const handler = createMcpHandler(
      ({ authInfo }) => mcpServer(gateway, this.#session(identity, authInfo?.clientId ?? "")),
      {
        legacy: "reject",
        maxRequestBodySize: LIMITS.httpBodyBytes,
        onerror: (error) => gateway.log.debug("client.trouble", { message: error.message.slice(0, 300) }),
      },
    );
    const forget = gateway.connections.add({
      id: newsId,
      view: this.#newSession(identity),
      isHeard: () => shared.streams > 0,
      listChanged: (kind) =>
        handler.notify[
          kind === "tools" ? "toolsChanged" : kind === "prompts" ? "promptsChanged" : "resourcesChanged"
        ](),
      resourceUpdated: (uri) => handler.notify.resourceUpdated(uri),
      logged: () => {},
    });
    const shared: Shared = {
      newsId,
      answer: toNodeHandler(handler),
      open: 0,
      streams: 0,
      async close() {
        forget();
        await handler.close();
      },
    };
    return shared;
  }
}

/** The target through which its streams get notifications. */
function newsIdOf({ key }: Identity): string {
  return key === "" ? "http" : `http ${key}`;
}
