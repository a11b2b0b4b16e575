import type {
  CompleteResult,
  GetPromptResult,
  ListPromptsResult,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Result,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { ServerRequest } from "../../mcp/real-servers.js";
import type { ServerName } from "../../registry/tool-id.js";
import { type ClientSide, capabilitiesOf, clientCall } from "../client-call.js";
import { refuseReader } from "../decision-gate.js";
import { codeOf } from "../error-mapping.js";
import { pageOf } from "../pages.js";

type Params = Readonly<Record<string, unknown>>;

/** Sends a client's request to its server; a question for the user is returned as a result too. */
async function passOn(
  side: ClientSide,
  ctx: ServerContext,
  server: ServerName,
  { method, params: { _meta, ...params } }: ServerRequest,
): Promise<Result> {
  refuseReader(side.session.role, method);
  const call = clientCall(side, ctx);
  const { trace } = call.caller;
  const meta = { ...call.meta, ...trace?.fields };
  const sent = {
    method,
    params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta },
    scope: side.session.scope,
  };
  try {
    return (await side.gateway.servers.request(server, sent, call.caller)).result;
  } catch (error) {
    trace?.failed(codeOf(error));
    throw error;
  } finally {
    await call.close();
  }
}

interface CompletionParams {
  readonly ref:
    | { readonly type: "ref/prompt"; readonly name: string }
    | { readonly type: "ref/resource"; readonly uri: string };
}

export async function complete(side: ClientSide, params: CompletionParams & Params, ctx: ServerContext) {
  const { offers } = side.gateway;
  const method = "completion/complete";
  await side.gateway.firstServers("prompts");
  const { ref } = params;
  if (ref.type === "ref/resource")
    return (await passOn(side, ctx, offers.serverOfTemplate(ref.uri), { method, params })) as CompleteResult;
  const { server, name } = offers.prompt(ref.name);
  const request = { method, params: { ...params, ref: { ...ref, name } } } as const;
  return (await passOn(side, ctx, server, request)) as CompleteResult;
}

export async function listPrompts(
  { gateway, session }: ClientSide,
  cursor?: string,
): Promise<ListPromptsResult> {
  if (session.role === "reader") return { prompts: [] };
  await gateway.firstServers("prompts");
  const prompts = gateway.offers.prompts();
  if (cursor === undefined) gateway.connections.noteSent(session.id, "prompts", prompts);
  const { items, ...next } = pageOf(prompts, ({ listed }) => listed.name, cursor);
  return { prompts: items.map(({ listed }) => listed), ...next };
}

export async function getPrompt(side: ClientSide, params: Params, ctx: ServerContext) {
  await side.gateway.firstServers("prompts");
  const { server, name } = side.gateway.offers.prompt(String(params.name));
  const request = { method: "prompts/get", params: { ...params, name } } as const;
  return (await passOn(side, ctx, server, request)) as GetPromptResult;
}

export async function listResources(
  { gateway, session, server }: ClientSide,
  ctx: ServerContext,
  cursor?: string,
): Promise<ListResourcesResult> {
  if (session.role === "reader") return { resources: [] };
  await gateway.firstServers("resources");
  if (cursor === undefined)
    gateway.connections.noteSent(session.id, "resources", gateway.offers.allResources());
  const { items, ...next } = pageOf(gateway.offers.resources(), ({ uri }) => uri, cursor);
  const own = cursor === undefined ? gateway.views?.resources(capabilitiesOf(server, ctx)) : undefined;
  return { resources: [...(own ?? []), ...items], ...next };
}

export async function listTemplates(
  { gateway, session }: ClientSide,
  cursor?: string,
): Promise<ListResourceTemplatesResult> {
  if (session.role === "reader") return { resourceTemplates: [] };
  await gateway.firstServers("resources");
  const { items, ...next } = pageOf(gateway.offers.templates(), ({ uriTemplate }) => uriTemplate, cursor);
  return { resourceTemplates: [...items], ...next };
}

export async function readResource(side: ClientSide, params: Params, ctx: ServerContext) {
  const own = await side.gateway.views?.read(params.uri);
  if (own !== undefined) return own;
  await side.gateway.firstServers("resources");
  const owner = side.gateway.offers.serverOf(String(params.uri));
  return (await passOn(side, ctx, owner, { method: "resources/read", params })) as ReadResourceResult;
}
