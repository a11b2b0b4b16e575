/**
 * A client's request in the form that real servers get, for clients of both eras.
 *
 * @module
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  LOG_LEVEL_META_KEY,
  type Progress,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { LatestOnly } from "../base/latest-only.js";
import { LIMITS } from "../base/limits.js";
import { requestSpan, withoutTrace } from "../base/trace-context.js";
import { cleanText } from "../mcp/clean-text.js";
import type { Caller, LogMessage } from "../mcp/real-servers.js";
import { PERSON_META, type PersonAsked, personAsked } from "./decision-gate.js";
import type { Gateway } from "./gateway.js";
import type { Session } from "./session.js";

/**
 * Clients forget a request's progress handler as soon as they see its result, so progress that arrives in the same read
 * is lost, and some clients close the connection over it. The result is sent at least this long after the last
 * progress.
 */
const PROGRESS_GAP_MS = 20;

interface ClientCall {
  readonly caller: Caller;
  /** The client's `_meta`, without fields that concern this connection only. */
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** How a person was asked, according to the client. */
  readonly person: PersonAsked;
  /** Must be awaited before the result is sent; no progress is sent after it. */
  close(): Promise<void>;
}

/** One client's connection, for the handlers of its requests. */
export interface ClientSide {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly server: Server;
}

/** @param of the name of the requested item, if it is a name that this gateway gave */
export function clientCall(
  { gateway, server, session }: ClientSide,
  ctx: ServerContext,
  of?: string,
): ClientCall {
  const { id: connection, client } = session;
  const { envelope, _meta, signal, inputResponses, method } = ctx.mcpReq;
  const { progressToken, [PERSON_META]: person, ...said } = _meta ?? {};
  const meta = withoutTrace(said);
  const trace = requestSpan(said, gateway.spans, of === undefined ? method : `${method} ${of}`, {
    kind: "server",
    attributes: { "mcp.method.name": method, ...(of !== undefined && { "gen_ai.tool.name": of }) },
  });
  const state = ctx.mcpReq.requestState<string>();
  const enveloped: Readonly<Record<string, unknown>> = { ...envelope };
  // 2025-era clients set a level for the session, and the SDK filters by it.
  const logLevel =
    envelope === undefined ? "debug" : (enveloped[LOG_LEVEL_META_KEY] as LogMessage["level"] | undefined);
  let lastProgressAt = 0;
  let isOpen = true;
  const progress = new LatestOnly<Progress>(LIMITS.progressPerSecond, (latest) => {
    lastProgressAt = performance.now();
    void ctx.mcpReq
      .notify({ method: "notifications/progress", params: { ...latest, progressToken: progressToken ?? "" } })
      .catch(() => {});
  });
  const caller: Caller = {
    connection,
    ...(client === undefined ? {} : { client }),
    capabilities: capabilitiesOf(server, ctx),
    signal,
    trace,
    isAskedWithinRequest: envelope === undefined,
    onLog: ({ level, data, logger }) => void ctx.mcpReq.log(level, data, logger).catch(() => {}),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...(progressToken === undefined
      ? {}
      : {
          onProgress: (latest) => {
            if (isOpen) progress.take(shownProgress(latest));
          },
        }),
    ...(inputResponses === undefined && state === undefined
      ? {}
      : { input: { responses: inputResponses ?? {}, ...(state === undefined ? {} : { state }) } }),
  };
  return {
    caller,
    meta: Object.keys(meta).length === 0 ? undefined : meta,
    person: personAsked(person),
    async close() {
      isOpen = false;
      trace?.end();
      progress.flush();
      if (lastProgressAt === 0) return;
      const wait = PROGRESS_GAP_MS - (performance.now() - lastProgressAt);
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    },
  };
}

/** The capabilities that the client declared with this request or when it connected. */
export function capabilitiesOf(server: Server, { mcpReq: { envelope } }: ServerContext): ClientCapabilities {
  const said = (envelope as Readonly<Record<string, unknown>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  return (said as ClientCapabilities | undefined) ?? server.getClientCapabilities() ?? {};
}

/** A server can write anything into the text that a person reads while waiting. */
function shownProgress({ message, ...rest }: Progress): Progress {
  if (typeof message !== "string") return rest;
  const text = cleanText(message);
  const isLong = text.length > LIMITS.progressChars;
  return { ...rest, message: isLong ? `${text.slice(0, LIMITS.progressChars)}…` : text };
}
