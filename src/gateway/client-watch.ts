/**
 * Watches two kinds of messages that the SDK answers without telling PML, although servers must get them too: log
 * levels, and the resources of `subscriptions/listen`.
 *
 * @module
 */
import { isJSONRPCNotification, isJSONRPCRequest } from "@modelcontextprotocol/server";
import { isJsonObject } from "../base/json-object.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { LogMessage } from "../mcp/real-servers.js";
import type { Role } from "../registry/role.js";
import type { Gateway } from "./gateway.js";

/** The connection of a message, and the client whose share it uses. */
export interface Sender {
  readonly id: string;
  readonly client?: string;
  readonly role?: Role;
}

/** The schemas that recognise a message are slow, so its method is checked first. */
const WATCHED: ReadonlySet<unknown> = new Set([
  "logging/setLevel",
  "subscriptions/listen",
  "notifications/cancelled",
]);

/**
 * To be called with every message of a client before it is handled. If the message must not be handled, it returns the
 * reason.
 */
export function watchMessage(
  gateway: Gateway,
  { id: connection, client = connection, role }: Sender,
  message: unknown,
): PmlError | undefined {
  // No message of a reader reaches a server.
  if (role === "reader" || !isJsonObject(message) || !WATCHED.has(message.method)) return undefined;
  if (isJSONRPCRequest(message)) {
    if (message.method === "logging/setLevel")
      gateway.wantLogLevel(message.params?.level as LogMessage["level"]);
    if (message.method === "subscriptions/listen")
      return listen(gateway, listenKey(connection, message.id), client, message.params);
  } else if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
    void gateway.subscriptions.drop(listenKey(connection, message.params?.requestId));
  }
  return undefined;
}

/** Subscriptions of a listening stream end with the stream, so they are counted under a separate key. */
export function listenKey(connection: string, requestId: unknown): string {
  return `${connection}#${String(requestId)}`;
}

function listen(gateway: Gateway, key: string, client: string, params: unknown): PmlError | undefined {
  const filter = (params as { notifications?: { resourceSubscriptions?: unknown } } | undefined)
    ?.notifications;
  const uris = Array.isArray(filter?.resourceSubscriptions) ? filter.resourceSubscriptions : [];
  try {
    gateway.subscriptions.open(key, client, uris.length);
  } catch (error) {
    if (error instanceof PmlError) return error;
    throw error;
  }
  for (const uri of uris) {
    gateway.subscriptions.subscribe(key, String(uri), client).catch((error: unknown) => {
      gateway.log.debug("resource.not_subscribed", { uri: String(uri), message: messageOf(error) });
    });
  }
  return undefined;
}
