/**
 * Wires the SDK's low-level server to the handlers: one instance per connection, or per request on the stateless
 * HTTP leg. Nothing is decided here.
 *
 * @module
 */
import type { StandardSchemaV1 } from "@modelcontextprotocol/server";
import { refuseReader } from "./decision-gate.js";
import { toldError } from "./error-mapping.js";
import type { Gateway } from "./gateway.js";
import {
  complete,
  getPrompt,
  listPrompts,
  listResources,
  listTemplates,
  readResource,
} from "./handlers/pass-on.js";
import { callTool, listTools, type ToolCallParams } from "./handlers/tools.js";
import { CAPABILITIES, instructions, SERVER_INFO } from "./introduction.js";
import { type KnownEnvelopes, LeanServer } from "./lean-server.js";
import type { Session } from "./session.js";

/** A call may ask many questions; the SDK's own limit of 8 is too low for a wizard. */
const QUESTION_ROUNDS = 100;
/** 2026-era clients may cache a list this long; changes are announced anyway. */
const LIST_TTL_MS = 60_000;
/** Never cached, because the next list after naming a capability must show it. */
const TOOLS_TTL_MS = 0;

/** Settings of a 2026-era call that has its own server. */
interface OneCall {
  /** The server's revision; the SDK would choose another one. */
  readonly revision: string;
  readonly envelopes: KnownEnvelopes;
}

export function mcpServer(gateway: Gateway, session: Session, one?: OneCall): LeanServer {
  const listHint = { ttlMs: LIST_TTL_MS, cacheScope: "private" } as const;
  const setUp = {
    capabilities: CAPABILITIES,
    ...(one
      ? { supportedProtocolVersions: [one.revision] }
      : { instructions: instructions(gateway.servers.statuses().map(({ name }) => name)) }),
    inputRequired: { maxRounds: QUESTION_ROUNDS },
    cacheHints: {
      "tools/list": { ...listHint, ttlMs: TOOLS_TTL_MS },
      "prompts/list": listHint,
      "resources/list": listHint,
      "resources/templates/list": listHint,
    },
  };
  const server = new LeanServer(SERVER_INFO, setUp, one?.envelopes);
  const side = { gateway, session, server };
  /** Failures become JSON-RPC errors; `tools/call` handles its own. */
  const told = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw toldError(error, gateway.log);
    });
  server.onerror = (error) => gateway.log.debug("client.trouble", { message: error.message.slice(0, 300) });
  // These messages are already validated.
  server.setRequestHandler("tools/call", { params: calledParams }, (params, ctx) =>
    callTool(side, params, ctx),
  );
  if (one !== undefined) return server;
  server.setRequestHandler("tools/list", { params: anyParams }, ({ cursor }, ctx) =>
    told(listTools(side, ctx, text(cursor))),
  );
  server.setRequestHandler("prompts/list", { params: anyParams }, ({ cursor }) =>
    told(listPrompts(side, text(cursor))),
  );
  server.setRequestHandler("prompts/get", ({ params }, ctx) => told(getPrompt(side, params, ctx)));
  server.setRequestHandler("resources/list", { params: anyParams }, ({ cursor }, ctx) =>
    told(listResources(side, ctx, text(cursor))),
  );
  server.setRequestHandler("resources/templates/list", { params: anyParams }, ({ cursor }) =>
    told(listTemplates(side, text(cursor))),
  );
  server.setRequestHandler("resources/read", ({ params }, ctx) => told(readResource(side, params, ctx)));
  server.setRequestHandler("resources/subscribe", async ({ params }) => {
    const subscribe = async () => {
      refuseReader(session.role, "resources/subscribe");
      await gateway.subscriptions.subscribe(session.id, params.uri, session.client);
    };
    await told(subscribe());
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params }) => {
    await told(gateway.subscriptions.unsubscribe(session.id, params.uri));
    return {};
  });
  server.setRequestHandler("completion/complete", ({ params }, ctx) => told(complete(side, params, ctx)));
  return server;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Accepts any parameters as they are. For requests that the real server validates, or whose few fields the handler
 * reads defensively: a schema would cost as much as the rest of the request.
 */
const anyParams = acceptAll<Record<string, unknown>>();
const calledParams = acceptAll<ToolCallParams>();

function acceptAll<Params>(): StandardSchemaV1<unknown, Params> {
  return {
    "~standard": { version: 1, vendor: "pml", validate: (value) => ({ value: (value ?? {}) as Params }) },
  };
}
