import type { Result } from "@modelcontextprotocol/server";
import type { ServerRequest } from "../../mcp/real-servers.js";
import type { ServerName } from "../../registry/tool-id.js";
import type { ClientCall } from "../client-call.js";
import type { Gateway } from "../gateway.js";

/** Sends a client's request to the server it is for; a question for the user comes back as a result as well. */
export async function passOn(
  gateway: Gateway,
  server: ServerName,
  request: ServerRequest,
  call: ClientCall,
): Promise<Result> {
  const { _meta, ...params } = request.params;
  const sent = {
    method: request.method,
    params: call.meta === undefined ? params : { ...params, _meta: call.meta },
  };
  try {
    return (await gateway.servers.request(server, sent, call.caller)).result;
  } finally {
    await call.close();
  }
}
