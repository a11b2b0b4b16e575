/**
 * Sees two kinds of messages on their way to the SDK that it answers by itself and tells nobody of, and that the
 * servers behind must hear of as well: log levels, and the resources of `subscriptions/listen`.
 *
 * @module
 */
import { isJSONRPCNotification, isJSONRPCRequest } from "@modelcontextprotocol/server";
import { messageOf } from "../base/pml-error.js";
import type { LogMessage } from "../mcp/real-servers.js";
import type { Gateway } from "./gateway.js";

/** To be called with every message of a client before it is handled. */
export function watchMessage(gateway: Gateway, connection: string, message: unknown): void {
  if (isJSONRPCRequest(message)) {
    if (message.method === "logging/setLevel")
      gateway.wantLogLevel(message.params?.level as LogMessage["level"]);
    if (message.method === "subscriptions/listen")
      listen(gateway, listenKey(connection, message.id), message.params);
  } else if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
    void gateway.subscriptions.drop(listenKey(connection, message.params?.requestId));
  }
}

/** Subscriptions of a listening stream end with the stream, so they are counted under a key of its own. */
export function listenKey(connection: string, requestId: unknown): string {
  return `${connection}#${String(requestId)}`;
}

function listen(gateway: Gateway, key: string, params: unknown): void {
  const filter = (params as { notifications?: { resourceSubscriptions?: unknown } } | undefined)
    ?.notifications;
  const uris = Array.isArray(filter?.resourceSubscriptions) ? filter.resourceSubscriptions : [];
  for (const uri of uris) {
    gateway.subscriptions.subscribe(key, String(uri)).catch((error: unknown) => {
      gateway.log.debug("resource.not_subscribed", { uri: String(uri), message: messageOf(error) });
    });
  }
}
