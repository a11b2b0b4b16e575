import type { IncomingMessage } from "node:http";
import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { isJsonObject } from "../../base/json-object.js";

const NAME_CHARS = 100;

/**
 * Who sends an HTTP request, as far as that is known without a session: the address it comes from, and the name that the
 * client gives itself. Clients of one machine are told apart by that name alone, which any of them can take.
 */
export function ownerOf(req: IncomingMessage, body: unknown): string {
  return `http ${req.socket.remoteAddress ?? ""} ${clientName(body).slice(0, NAME_CHARS)}`;
}

function clientName(body: unknown): string {
  const message: unknown = Array.isArray(body) ? body[0] : body;
  const params = isJsonObject(message) && isJsonObject(message.params) ? message.params : {};
  const meta = isJsonObject(params._meta) ? params._meta : {};
  const info = params.clientInfo ?? meta[CLIENT_INFO_META_KEY];
  return isJsonObject(info) && typeof info.name === "string" ? info.name : "";
}
