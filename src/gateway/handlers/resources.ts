import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import { clientCall } from "../client-call.js";
import type { Gateway } from "../gateway.js";
import { pageOf } from "../pages.js";
import type { Session } from "../session.js";
import { passOn } from "./pass-on.js";

export async function listResources(
  gateway: Gateway,
  session: Session,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  await gateway.firstServers("resources");
  if (cursor === undefined)
    gateway.connections.noteSent(session.id, "resources", gateway.offers.allResources());
  const { items, nextCursor } = pageOf(gateway.offers.resources(), ({ uri }) => uri, cursor);
  return { resources: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
}

export async function listTemplates(
  gateway: Gateway,
  cursor: string | undefined,
): Promise<ListResourceTemplatesResult> {
  await gateway.firstServers("resources");
  const { items, nextCursor } = pageOf(gateway.offers.templates(), ({ uriTemplate }) => uriTemplate, cursor);
  return { resourceTemplates: [...items], ...(nextCursor === undefined ? {} : { nextCursor }) };
}

export async function readResource(
  gateway: Gateway,
  session: Session,
  server: Server,
  params: Readonly<Record<string, unknown>>,
  ctx: ServerContext,
): Promise<ReadResourceResult> {
  await gateway.firstServers("resources");
  const owner = gateway.offers.serverOf(String(params.uri));
  const call = clientCall(server, session, ctx);
  return (await passOn(gateway, owner, { method: "resources/read", params }, call)) as ReadResourceResult;
}
