import type {
  CompleteResult,
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Result,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { ServerRequest } from "../../mcp/real-servers.js";
import type { ServerName } from "../../registry/tool-id.js";
import { type ClientCall, clientCall } from "../client-call.js";
import type { Gateway } from "../gateway.js";
import { pageOf } from "../pages.js";
import type { Session } from "../session.js";

/** Sends a client's request to the server it is for; a question for the user comes back as a result as well. */
async function passOn(
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

interface CompletionParams {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
}

export async function complete(
  gateway: Gateway,
  session: Session,
  server: Server,
  params: CompletionParams & Readonly<Record<string, unknown>>,
  ctx: ServerContext,
): Promise<CompleteResult> {
  await gateway.firstServers("prompts");
  const { ref } = params;
  const call = clientCall(server, session, ctx);
  if (ref.type === "ref/resource") {
    const owner = gateway.offers.serverOfTemplate(ref.uri);
    return (await passOn(gateway, owner, { method: "completion/complete", params }, call)) as CompleteResult;
  }
  const prompt = gateway.offers.prompt(ref.name);
  const request = {
    method: "completion/complete",
    params: { ...params, ref: { ...ref, name: prompt.name } },
  } as const;
  return (await passOn(gateway, prompt.server, request, call)) as CompleteResult;
}

export async function listPrompts(
  gateway: Gateway,
  session: Session,
  cursor: string | undefined,
): Promise<ListPromptsResult> {
  await gateway.firstServers("prompts");
  const prompts = gateway.offers.prompts();
  if (cursor === undefined) gateway.connections.noteSent(session.id, "prompts", prompts);
  const { items, nextCursor } = pageOf(prompts, ({ listed }) => listed.name, cursor);
  return { prompts: items.map(({ listed }) => listed), ...(nextCursor === undefined ? {} : { nextCursor }) };
}

export async function getPrompt(
  gateway: Gateway,
  session: Session,
  server: Server,
  params: Readonly<Record<string, unknown>>,
  ctx: ServerContext,
): Promise<GetPromptResult> {
  await gateway.firstServers("prompts");
  const prompt = gateway.offers.prompt(String(params.name));
  const call = clientCall(server, session, ctx);
  const request = { method: "prompts/get", params: { ...params, name: prompt.name } } as const;
  return (await passOn(gateway, prompt.server, request, call)) as GetPromptResult;
}

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
