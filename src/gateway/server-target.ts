import type { Server } from "@modelcontextprotocol/server";
import type { OfferKind } from "../mcp/real-servers.js";
import type { NewsTarget } from "./client-connections.js";
import { isTokenHolder } from "./decision-gate.js";
import type { Gateway } from "./gateway.js";
import type { Session } from "./session.js";

/**
 * Notifies the client of one server instance. In the 2026 era the SDK sends notifications to listening streams only.
 */
export function serverTarget(
  gateway: Gateway,
  session: Session,
  server: Server,
  era: "legacy" | "modern",
): NewsTarget {
  const send = (sending: Promise<void>) => sending.catch(() => {});
  const lists: Readonly<Record<OfferKind, () => Promise<void>>> = {
    tools: () => server.sendToolListChanged(),
    prompts: () => server.sendPromptListChanged(),
    resources: () => server.sendResourceListChanged(),
  };
  return {
    id: session.id,
    view: session,
    listChanged: (kind) => send(lists[kind]()),
    resourceUpdated: (uri) => {
      if (era === "modern" || gateway.subscriptions.has(session.id, uri))
        void send(server.sendResourceUpdated({ uri }));
    },
    // The 2026 revision allows log messages only within requests.
    logged: (message) => {
      // The message belongs to no call, and could be about a call of another client.
      if (era === "legacy" && !isTokenHolder(session)) void send(server.sendLoggingMessage(message));
    },
  };
}
